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

// helpCommand shows the help of a command. Unlike cobra's own it fails for one
// that does not exist.
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

// helpWriter keeps the first error of writing help texts and the version, which
// cobra does not look at.
type helpWriter struct {
	w   io.Writer
	err error
}

func (h *helpWriter) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	h.err = cmp.Or(h.err, err)
	return n, err
}

// otherPrograms are the commands that do the same as programs with other names.
var otherPrograms = map[string]string{
	"relog": "convert", "typeperf": "watch", "logman": "record", "top": "watch", "diff": "compare",
}

// unknownCommand says that the first argument which is not a flag names no
// command.
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
		return fmt.Errorf("unknown command %q; winperf %s does that: winperf help %[2]s", name, command)
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

// flagError adds to an error about flags where to read about them.
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
