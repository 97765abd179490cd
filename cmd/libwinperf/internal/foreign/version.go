package foreign

import (
	"runtime/debug"

	"github.com/winperf/winperf/counter"
)

// String returns the name and version of the library.
func (l *Library) String() string { return "libwinperf " + version() }

// VersionSize returns the number of bytes that Version writes.
func (l *Library) VersionSize() (int, Code) {
	n, err := textSize(version())
	return n, codeOf(err)
}

// Version writes the version of the module, or the revision of a development build.
func (l *Library) Version(out []byte) (int, Code) {
	n, err := copyText(out, version())
	return n, codeOf(err)
}

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

// Status writes the word of an item's status.
func (l *Library) Status(status int32, out []byte) (int, Code) {
	if status < 0 || status > 0xFF {
		return 0, l.Fail(0, "unknown status %d", status)
	}
	n, err := copyText(out, counter.Status(status).String())
	return n, codeOf(err)
}
