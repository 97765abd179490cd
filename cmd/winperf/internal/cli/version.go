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
		Long: `Version shows the program's version, the commit it was built from with its date where
that is known, the system it was built for and Go's version.`,
		Example: "  winperf version",
		Args:    console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Stdout, console.VersionLine())
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
