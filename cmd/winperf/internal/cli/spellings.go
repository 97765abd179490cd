package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

type spelling struct {
	ours     []string // the replacement
	argument bool     // it takes the next argument
	each     bool     // it takes all arguments up to the next flag, each preceded by ours
	time     bool     // it takes the next argument, and further ones that continue a time
	// optional matches the next argument if it belongs to the option; otherwise without replaces the
	// option.
	optional *regexp.Regexp
	without  []string
	commands []string // the commands with this option; nil for all
	instead  string   // advice if winperf has no such option
}

// spellings are options of typeperf and relog (Microsoft Learn). Only whole arguments are compared, so -si
// is never read as -s -i. Options that are the same in winperf, such as -f CSV and -o FILE, are omitted.
var spellings = map[string]spelling{
	"--lang":  {ours: []string{"--language"}, argument: true},
	"-si":     {ours: []string{"--interval"}, argument: true, commands: []string{"get", "watch"}},
	"-sc":     {ours: []string{"--count"}, argument: true, commands: []string{"watch"}},
	"-cf":     {ours: []string{"--counters"}, argument: true, commands: []string{"get", "watch"}},
	"-q":      {ours: []string{"--format", "paths"}, commands: []string{"list"}},
	"-qx":     {ours: []string{"--format", "paths", "--instances"}, commands: []string{"list"}},
	"-y":      {ours: []string{"--overwrite"}, commands: writers},
	"-?":      {ours: []string{"--help"}},
	"-c":      {instead: "write the paths after the command, without an option"},
	"-s":      {instead: "--source registry://MACHINE reads another Windows machine, from Windows"},
	"-config": {instead: "write the options on the command line; --counters FILE reads paths from a file"},
}

var writers = []string{"get", "watch", "list", "compare", "dump", "info", "convert", "record"}

// commandSpellings are options of single commands; they take precedence over spellings.
var commandSpellings = map[string]map[string]spelling{
	"convert": { // relog
		"-c":  {ours: []string{"--path"}, each: true},
		"-cf": {ours: []string{"--counters"}, argument: true},
		"-t":  {ours: []string{"--every"}, argument: true},
		"-b":  {ours: []string{"--begin"}, time: true},
		"-e":  {ours: []string{"--end"}, time: true},
		"-q":  {ours: []string{"--format", "paths"}},
		"-a":  {ours: []string{"--append"}},
	},
	"record": { // logman and typeperf
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
		"-ets": {}, // recordings are never stored as tasks
		"-m":   {instead: "start and stop the program; --for and --end also stop it"},
		"-r":   {instead: "start the program every day with cron or the task scheduler"},
		"-rc":  {instead: "start the task after winperf has ended"},
		"-u":   {instead: "start the program as that user"},
	},
}

func findSpelling(cmd *cobra.Command, arg string) (spelling, bool) {
	if s, found := commandSpellings[cmd.Name()][arg]; found {
		return s, true
	}
	s, found := spellings[arg]
	return s, found
}

// rewrite replaces foreign options. It leaves arguments of options, and all after --, unchanged.
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

var timeOfDay = regexp.MustCompile(`^(?i)(\d{1,2}(:\d{2}){1,2}(\.\d+)?( ?[ap]m)?|[ap]m)$`)

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
			return i == len(arg)-1 // otherwise the rest is the argument
		}
	}
	return false
}
