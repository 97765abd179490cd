package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  winperf help watch",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err != nil {
				return unknownCommand(cmd.Root(), args)
			}

			about.InitDefaultHelpFlag()
			return about.Help()
		},
		ValidArgsFunction: func(
			cmd *cobra.Command, args []string, _ string,
		) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// examplesFirst returns a help function that shows the examples before the other text.
func examplesFirst(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		examples := cmd.Example
		if examples != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n\nExamples:\n%s\n\n", cmd.Short, strings.TrimRight(examples, "\n"))
		}

		cmd.Example = ""
		help(cmd, args)
		cmd.Example = examples
	}
}

type helpWriter struct {
	w   io.Writer
	err error
}

func (h *helpWriter) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	h.err = cmp.Or(h.err, err)
	return n, err
}

var otherPrograms = map[string]string{
	"relog": "convert", "typeperf": "watch", "logman": "record", "top": "watch", "diff": "compare",
}

// unknownCommand returns an error for the first argument that is not a flag.
func unknownCommand(root *cobra.Command, args []string) error {
	name := ""
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			name = arg
			break
		}
	}

	if strings.HasPrefix(name, `\`) {
		return fmt.Errorf("%s is a path and needs a command before it, such as get or watch", name)
	}
	if command := otherPrograms[name]; command != "" {
		return fmt.Errorf("unknown command %q; use winperf %s instead: winperf help %[2]s", name, command)
	}
	commands := func(yield func(string) bool) {
		for _, c := range root.Commands() {
			if c.IsAvailableCommand() && !yield(c.Name()) {
				return
			}
		}
	}
	return fmt.Errorf("unknown command %q%s; winperf help lists them", name, console.DidYouMean(name, commands))
}

func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}

	flags := func(yield func(string) bool) {
		more := true
		cmd.Flags().VisitAll(func(f *pflag.Flag) { more = more && yield("--"+f.Name) })
	}
	short, name := unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()
	switch short {
	case "":
		name = "--" + name + console.DidYouMean("--"+name, flags)
	case name:
		name = "-" + name
	default:
		name = fmt.Sprintf("-%s in -%s", name, short)
	}
	return fmt.Errorf("unknown flag %s; %s --help lists them", name, cmd.CommandPath())
}
