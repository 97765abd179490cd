package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

func versionCommand(a *console.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of the program",
		Long: `Version shows the version, the commit and its date if known, the operating system and the
Go version of the program.`,
		Example: "  winperf version",
		Args:    console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Stdout, console.VersionLine())
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
