package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// spelling is how winperf writes an option of typeperf or relog.
type spelling struct {
	ours     []string // what takes its place
	argument bool     // the next argument belongs to it
	commands []string // those that have it; none for all
	instead  string   // what to do where there is nothing of the kind
}

// spellings are options as typeperf and relog write them ("typeperf" and
// "relog" on Microsoft Learn). Only whole arguments are compared, so that -si
// is never taken for -s -i. What is not here is the same in winperf: -f CSV, -o
// FILE.
var spellings = map[string]spelling{
	"-si":     {ours: []string{"--interval"}, argument: true, commands: []string{"get", "watch"}},
	"-sc":     {ours: []string{"--count"}, argument: true, commands: []string{"watch"}},
	"-cf":     {ours: []string{"--counters"}, argument: true, commands: []string{"get", "watch"}},
	"-q":      {ours: []string{"--output", "paths"}, commands: []string{"list"}},
	"-qx":     {ours: []string{"--output", "paths", "--instances"}, commands: []string{"list"}},
	"-y":      {}, // answers questions that winperf does not ask
	"-?":      {ours: []string{"--help"}},
	"-c":      {instead: "put the paths behind the command, without an option"},
	"-s":      {instead: "winperf reads this machine only"},
	"-config": {instead: "put the options on the command line; --counters FILE reads paths from a file"},
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
		if s, foreign := spellings[arg]; foreign {
			if err := s.check(cmd, arg); err != nil {
				return nil, err
			}
			out = append(out, s.ours...)
			takes = s.argument
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
