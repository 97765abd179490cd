package hostfacts

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/hostfiles"
	"github.com/winperf/winperf/sink/metrics"
)

func owners() func(id uint64) string { return nil }

// commandLines returns a function that reads the command lines of processes, with spaces between the
// arguments. Threads of the kernel have none.
func commandLines(at winperf.HostFiles) func(id uint64) string {
	files, err := hostfiles.Open(at)
	if err != nil {
		return nil
	}

	return func(id uint64) string {
		file, err := files.Open("proc/" + strconv.FormatUint(id, 10) + "/cmdline")
		if err != nil {
			return ""
		}
		defer func() { _ = file.Close() }()

		text, err := io.ReadAll(io.LimitReader(file, utf8.UTFMax*maxCommandLine))
		if err != nil {
			return ""
		}
		return safeCommandLine(string(text))
	}
}

// read reads the facts from files of a machine; none if its directories are missing.
func read(f *metrics.Facts, at winperf.HostFiles) {
	files, err := hostfiles.Open(at)
	if err != nil {
		return
	}
	text := files.Text

	f.Product = unquote(word(text("etc/os-release"), "PRETTY_NAME="))
	f.Version = text("proc/sys/kernel/osrelease")
	f.Major, f.Minor = version(f.Version)
	f.Hostname, _ = files.Hostname()

	kilobytes, _, _ := strings.Cut(word(text("proc/meminfo"), "MemTotal:"), " ")
	f.PhysicalMemory = number(kilobytes) * 1024
	f.ProcessLimit = number(text("proc/sys/kernel/pid_max"))
	if boot := number(word(text("proc/stat"), "btime ")); boot > 0 {
		f.Boot = time.Unix(int64(boot), 0).UTC()
	}
	f.LogicalProcessors = processors(text("sys/devices/system/cpu/online"))
	f.TimeZone = zone(files.Root(), text("etc/timezone"))
}

// word returns the rest of the first line that begins with a word.
func word(text, begin string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, begin); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// unquote removes the quotes of a value in os-release.
func unquote(s string) string {
	if t, err := strconv.Unquote(s); err == nil {
		return t
	}
	return strings.Trim(s, "'")
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0
	}
	return n
}

// version returns the first two numbers of a kernel's version, such as 6.1.0-18-amd64.
func version(s string) (major, minor string) {
	major, rest, _ := strings.Cut(s, ".")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	return major, rest[:end]
}

// processors counts the processors in a list such as 0-3,8, or returns runtime.NumCPU.
func processors(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || to < from {
			return runtime.NumCPU()
		}
		n += to - from + 1
	}
	return n
}

// zone returns the name of the time zone from the link etc/localtime, or else from Debian's file.
func zone(root, file string) string {
	path, err := os.Readlink(filepath.Join(root, "etc/localtime"))
	if err != nil {
		return file
	}
	if _, name, ok := strings.Cut(path, "zoneinfo/"); ok {
		return name
	}
	return file
}
