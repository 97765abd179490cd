package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// Replacements for cobra's scripts, which damage backslashes.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.zsh
	zshScript string
	//go:embed completion.fish
	fishScript string
)

var shells = []struct {
	name, load string
	write      func(root *cobra.Command, w io.Writer) error
}{
	{"bash", "source <(winperf completion bash)", writeScript(&bashScript)},
	{"zsh", "source <(winperf completion zsh)", writeScript(&zshScript)},
	{"fish", "winperf completion fish | source", writeScript(&fishScript)},
	{"powershell", "winperf completion powershell | Out-String | Invoke-Expression",
		(*cobra.Command).GenPowerShellCompletionWithDesc},
}

func writeScript(script *string) func(*cobra.Command, io.Writer) error {
	return func(_ *cobra.Command, w io.Writer) error {
		_, err := io.WriteString(w, *script)
		return err
	}
}

func completionCommand(a *console.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script for shell completion of commands and counter paths",
		Long: `Completion prints a script that completes commands, flags, and the names of objects,
instances and counters. Add the line for your shell to its startup file.`,
	}

	for _, s := range shells {
		cmd.ValidArgs = append(cmd.ValidArgs, s.name)
		cmd.Example += "  " + s.load + "\n"
	}

	cmd.Example = strings.TrimSuffix(cmd.Example, "\n")
	cmd.ValidArgsFunction = cobra.FixedCompletions(cmd.ValidArgs, cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, s := range shells {
			if len(args) == 1 && args[0] == s.name {
				return s.write(cmd.Root(), a.Stdout)
			}
		}
		return fmt.Errorf("completion needs the name of a shell: %s", strings.Join(cmd.ValidArgs, ", "))
	}
	return cmd
}
