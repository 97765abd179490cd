package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of the program",
		Long: `Version shows the program's version, the commit it was built from with its date where
that is known, the system it was built for and Go's version.`,
		Example: "  winperf version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, versionLine())
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func versionLine() string {
	return fmt.Sprintf("winperf %s%s %s/%s %s", version(), builtFrom(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// builtFrom is the commit and its date in parentheses, as far as they are known.
func builtFrom() string {
	info, _ := debug.ReadBuildInfo()
	var commit, date string
	for _, s := range buildSettings(info) {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			date = s.Value
		}
	}
	if commit == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", commit, cmp.Or(date, "date unknown"))
}

func buildSettings(info *debug.BuildInfo) []debug.BuildSetting {
	if info == nil {
		return nil
	}
	return info.Settings
}

// writtenBy is what a log says of the system that wrote it: what the one says that it is
// made from, or else this program and its system.
func writtenBy(from winperf.LogInfo) string {
	return cmp.Or(from.System, fmt.Sprintf("winperf %s on %s/%s", version(), runtime.GOOS, runtime.GOARCH))
}

// version is the module's version, or the revision that a working copy was
// built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}

	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
