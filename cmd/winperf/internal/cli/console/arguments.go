package console

import (
	"fmt"
	"iter"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/internal/suggest"
)

// Complete sets the completion function of a flag.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails if the command lacks the flag
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments but got %q", cmd.CommandPath(), args)
	}
	return nil
}

// ExactlyOne accepts one argument; what names it in errors.
func ExactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a %s", cmd.CommandPath(), what)
		}
		return AtMostOne(what)(cmd, args)
	}
}

// AtMostOne accepts at most one argument; what names it in errors.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s but got %d: %q; quote a name with blanks",
				cmd.CommandPath(), what, len(args), args)
		}
		return nil
	}
}

// DidYouMean returns a question to append to an unknown name, or "" if no candidate is similar.
func DidYouMean(name string, candidates iter.Seq[string]) string {
	if s := suggest.Closest(name, candidates); s != "" {
		return fmt.Sprintf(" (did you mean %q?)", s)
	}
	return ""
}
