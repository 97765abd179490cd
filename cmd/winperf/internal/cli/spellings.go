package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// spelling is how winperf writes an option of typeperf or relog.
type spelling struct {
	ours     []string // what takes its place
	argument bool     // the next argument belongs to it
	each     bool     // so do all up to the next flag, and ours stands before each
	time     bool     // the next argument belongs to it, and further ones that go on with a time
	// optional is what the next argument must look like to belong to it;
	// where it does not, without takes the place of ours.
	optional *regexp.Regexp
	without  []string
	commands []string // those that have it; none for all
	instead  string   // what to do where there is nothing of the kind
}

// spellings are options as typeperf and relog write them ("typeperf" and
// "relog" on Microsoft Learn). Only whole arguments are compared, so that -si
// is never taken for -s -i. What is not here is the same in winperf: -f CSV, -o
// FILE.
var spellings = map[string]spelling{
	"--lang":  {ours: []string{"--language"}, argument: true},
	"-si":     {ours: []string{"--interval"}, argument: true, commands: []string{"get", "watch"}},
	"-sc":     {ours: []string{"--count"}, argument: true, commands: []string{"watch"}},
	"-cf":     {ours: []string{"--counters"}, argument: true, commands: []string{"get", "watch"}},
	"-q":      {ours: []string{"--format", "paths"}, commands: []string{"list"}},
	"-qx":     {ours: []string{"--format", "paths", "--instances"}, commands: []string{"list"}},
	"-y":      {ours: []string{"--overwrite"}, commands: writers},
	"-?":      {ours: []string{"--help"}},
	"-c":      {instead: "put the paths behind the command, without an option"},
	"-s":      {instead: "--source registry://MACHINE reads another Windows machine, from Windows"},
	"-config": {instead: "put the options on the command line; --counters FILE reads paths from a file"},
}

// writers are the commands that write a file.
var writers = []string{"get", "watch", "list", "compare", "dump", "info", "convert", "record"}

// commandSpellings are those of single commands, which come before the others.
var commandSpellings = map[string]map[string]spelling{
	"convert": { // relog's
		"-c":  {ours: []string{"--path"}, each: true},
		"-cf": {ours: []string{"--counters"}, argument: true},
		"-t":  {ours: []string{"--every"}, argument: true},
		"-b":  {ours: []string{"--begin"}, time: true},
		"-e":  {ours: []string{"--end"}, time: true},
		"-q":  {ours: []string{"--format", "paths"}},
		"-a":  {ours: []string{"--append"}},
	},
	"record": { // logman's and typeperf's
		"-c":   {ours: []string{"--path"}, each: true},
		"-cf":  {ours: []string{"--counters"}, argument: true},
		"-si":  {ours: []string{"--interval"}, argument: true},
		"-sc":  {ours: []string{"--count"}, argument: true},
		"-max": {ours: []string{"--max-size"}, argument: true},
		"-cnf": {
			ours: []string{"--at-limit", "new", "--max-time"}, optional: timeSpan,
			without: []string{"--at-limit", "new"},
		},
		"-v":   {ours: []string{"--suffix"}, argument: true},
		"-rf":  {ours: []string{"--for"}, argument: true},
		"-b":   {ours: []string{"--begin"}, time: true},
		"-e":   {ours: []string{"--end"}, time: true},
		"-a":   {ours: []string{"--append"}},
		"-ow":  {ours: []string{"--overwrite"}},
		"-ets": {}, // there is nothing that a recording could be kept for
		"-m":   {instead: "start and stop the program; --for and --end stop it too"},
		"-r":   {instead: "start the program every day, by cron or the task scheduler"},
		"-rc":  {instead: "start the task when winperf has ended"},
		"-u":   {instead: "start the program as that user"},
	},
}

// findSpelling finds how a command writes a foreign option.
func findSpelling(cmd *cobra.Command, arg string) (spelling, bool) {
	if s, found := commandSpellings[cmd.Name()][arg]; found {
		return s, true
	}
	s, found := spellings[arg]
	return s, found
}

// rewrite replaces foreign spellings. Arguments of options and what follows --
// are left alone.
func rewrite(cmd *cobra.Command, args []string) ([]string, error) {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), nil
		}

		takes := takesArgument(cmd, arg)
		if s, foreign := findSpelling(cmd, arg); foreign {
			if err := s.check(cmd, arg); err != nil {
				return nil, err
			}
			if s.optional != nil && (i+1 == len(args) || !s.optional.MatchString(args[i+1])) {
				out = append(out, s.without...)
				continue
			}

			if s.each || s.time {
				ours, used := s.gather(args[i+1:])
				out = append(out, ours...)
				i += used
				continue
			}
			out = append(out, s.ours...)
			takes = s.argument || s.optional != nil
		} else {
			out = append(out, arg)
		}

		if takes && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out, nil
}

// gather returns ours with the arguments that belong to it, and their number.
func (s spelling) gather(args []string) (ours []string, used int) {
	for used < len(args) {
		arg := args[used]
		if used > 0 && (s.time && !timeOfDay.MatchString(arg) || s.each && strings.HasPrefix(arg, "-")) {
			break
		}
		ours = append(ours, s.ours[0], arg)
		used++
	}

	switch {
	case used == 0:
		return s.ours, 0
	case s.time:
		return []string{s.ours[0], strings.Join(args[:used], " ")}, used
	}
	return ours, used
}

// timeOfDay is what may stand behind a date as an argument of its own.
var timeOfDay = regexp.MustCompile(`^(?i)(\d{1,2}(:\d{2}){1,2}(\.\d+)?( ?[ap]m)?|[ap]m)$`)

// timeSpan is a time as logman writes it: [[hh:]mm:]ss.
var timeSpan = regexp.MustCompile(`^\d+(:\d{1,2}){0,2}$`)

func (s spelling) check(cmd *cobra.Command, arg string) error {
	switch {
	case s.instead != "":
		return fmt.Errorf("%s is not supported: %s", arg, s.instead)
	case len(s.commands) > 0 && !slices.Contains(s.commands, cmd.Name()):
		return fmt.Errorf("%s is a flag of %s, not of %s", arg, strings.Join(s.commands, " and "), cmd.Name())
	}
	return nil
}

// takesArgument tells whether the argument after arg belongs to it.
func takesArgument(cmd *cobra.Command, arg string) bool {
	if name, long := strings.CutPrefix(arg, "--"); long {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}

	if !strings.HasPrefix(arg, "-") {
		return false
	}
	for i := 1; i < len(arg); i++ {
		f := cmd.Flags().ShorthandLookup(arg[i : i+1])
		if f == nil {
			return false
		}
		if f.NoOptDefVal == "" {
			return i == len(arg)-1 // otherwise the rest is its argument
		}
	}
	return false
}
