package console

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/internal/suggest"
)

// Complete sets the completion function of a flag.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails if the command lacks the flag
}

// NoArgs rejects arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments but got %s", commandName(cmd), strings.Join(args, ", "))
	}
	return nil
}

// OnlySubcommands rejects arguments of a command that only groups others.
func OnlySubcommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UnknownSubcommand(cmd, args[0])
	}
	return nil
}

// UnknownSubcommand returns the error for a name that is not a subcommand of cmd.
func UnknownSubcommand(cmd *cobra.Command, name string) error {
	group, names := commandName(cmd), func(yield func(string) bool) {
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && !yield(c.Name()) {
				return
			}
		}
	}
	if !cmd.HasSubCommands() {
		return fmt.Errorf(`unknown command "%s %s"; winperf help %[1]s describes %[1]s`, group, name)
	}
	const form = `unknown command "%s %s"%s; winperf help %[1]s lists its commands`
	return fmt.Errorf(form, group, name, DidYouMean(name, names))
}

// ExactlyOne accepts one argument; what names it in errors.
func ExactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a %s", commandName(cmd), what)
		}
		return AtMostOne(cmd, args)
	}
}

// AtMostOne accepts at most one argument.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		const form = "%s takes one argument but got %d: %s; quote a name that contains spaces"
		return fmt.Errorf(form, commandName(cmd), len(args), strings.Join(args, ", "))
	}
	return nil
}

// commandName returns the name of a command without the program's.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// DidYouMeanOr is DidYouMean, but returns otherwise if no candidate is similar.
func DidYouMeanOr(name string, candidates iter.Seq[string], otherwise string) string {
	return cmp.Or(DidYouMean(name, candidates), otherwise)
}

// DidYouMean returns a question to append to an unknown name, or "" if no candidate is similar.
func DidYouMean(name string, candidates iter.Seq[string]) string {
	if s := suggest.Closest(name, candidates); s != "" {
		return fmt.Sprintf(" (did you mean %q?)", s)
	}
	return ""
}

// ValueError returns an error about a value of a flag without the words of package strconv.
func ValueError(flag *pflag.Flag, err error) error {
	number, ok := errors.AsType[*strconv.NumError](err)
	switch kind := flag.Value.Type(); {
	case !ok:
		return err
	case kind == "bool":
		return errors.New("expected true or false")
	case errors.Is(number, strconv.ErrRange):
		return errors.New("the number is too large")
	case strings.HasPrefix(kind, "uint"):
		return errors.New("expected a whole number, 0 or more")
	}
	return errors.New("expected a whole number")
}
