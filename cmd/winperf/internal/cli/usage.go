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
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  winperf help watch",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return unknownCommand(cmd.Root(), args)
			}
			if len(rest) > 0 {
				return console.UnknownSubcommand(about, rest[0])
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

// sourcesTopic describes the values of --source. It is a help topic, not a command.
func sourcesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "sources",
		Short: "The values of --source",
		Long: `A source is a log or a running system. --source names it:

  FILE
      a log: .blg, .csv, .tsv, .jsonl, a capture of winperf or a performance data block
  -
      a log on standard input
` + input.SourceForms() + `
Options follow the question mark; & separates several:

  kernel=fold      show one process instead of the threads of the Linux kernel
  groups=PATH      show these control groups of Linux and the groups below them
  root=DIR         the Linux machine that is mounted in DIR, in a container
  procfs=DIR       its /proc, by default below root; sysfs=DIR is its /sys
  foreign=HOST     counters of HOST, which has no Windows: MACHINE queries it
  lang=ID          language of the names, such as 009 for English
  formatted=1      values computed by PDH instead of raw values
  names=FILE       names for the title indices in the blocks, from winperf list --names
  zone=ZONE        time zone of a text log, such as Europe/Berlin, as --zone
  codepage=N       code page of a text log, such as 1251, as --code-page

registry:, perflib: and pdh: read Windows machines and need Windows.`,
		Example: `  winperf list --source load.blg
  winperf get '\Memory\*' --source 'perfdata:one.bin,two.bin?names=names.tsv'`,
	}
}

// versionOr returns a help function that shows the version if show is true: winperf --version runs no
// command, and cobra then shows the help. A version template of cobra would make the program larger.
func versionOr(show *bool, help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if asked, _ := cmd.Flags().GetBool("help"); *show && !asked {
			fmt.Fprintln(cmd.OutOrStdout(), console.VersionLine())
			return
		}
		help(cmd, args)
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
	"relog": "convert", "typeperf": "watch", "logman": "record", "diff": "compare",
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
	const form = "unknown command %q%s; winperf help lists the commands"
	return fmt.Errorf(form, name, console.DidYouMean(name, commands))
}

func flagError(cmd *cobra.Command, err error) error {
	if text, ok := flagValueError(err); ok {
		return errors.New(text)
	}
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
	hint := ""
	if cmd.Name() == "run" {
		hint = "; write a command with its flags after --"
	}
	return fmt.Errorf("unknown flag %s; %s --help lists the flags%s", name, cmd.CommandPath(), hint)
}

// flagValueError describes a missing or invalid value of a flag.
func flagValueError(err error) (text string, ok bool) {
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		flag := missing.GetFlag()
		name := "--" + flag.Name
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + flag.Shorthand
		}
		_, usage := pflag.UnquoteUsage(flag)
		return name + " needs a value: " + usage, true
	}

	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return "", false
	}
	flag, cause := invalid.GetFlag(), invalid.Unwrap()
	return fmt.Sprintf("--%s %s: %v", flag.Name, invalid.GetValue(), console.ValueError(flag, cause)), true
}
