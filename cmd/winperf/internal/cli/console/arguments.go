package console

import (
	"fmt"
	"iter"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/suggest"
)

// Complete sets what completes the argument of a flag.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails for a flag that the command does not have
}

// NoArgs accepts no argument of a command.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments and got %q", cmd.CommandPath(), args)
	}
	return nil
}

// ExactlyOne accepts one argument of a command, and names it where there is none.
func ExactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a %s", cmd.CommandPath(), what)
		}
		return AtMostOne(what)(cmd, args)
	}
}

// AtMostOne accepts one argument of a command, and names it where there are more.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s and got %d: %q; a name with blanks needs quotes",
				cmd.CommandPath(), what, len(args), args)
		}
		return nil
	}
}

// DidYouMean is a question to put behind a name that is not known, "" where
// no candidate is like it.
func DidYouMean(name string, candidates iter.Seq[string]) string {
	if s := suggest.Closest(name, candidates); s != "" {
		return fmt.Sprintf(" (did you mean %q?)", s)
	}
	return ""
}
