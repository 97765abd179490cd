package console

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/winperf/winperf"
)

// VersionLine returns what winperf --version prints.
func VersionLine() string {
	const form = "winperf %s%s %s/%s %s"
	return fmt.Sprintf(form, Version(), builtFrom(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// builtFrom returns the commit and its date in parentheses, if known.
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

// WrittenBy returns the system that a log is from, or this program and its system.
func WrittenBy(from winperf.LogInfo) string {
	return cmp.Or(from.System, fmt.Sprintf("winperf %s on %s/%s", Version(), runtime.GOOS, runtime.GOARCH))
}

// Version returns the module's version, or the revision of a working copy.
func Version() string {
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
