// Package hostfacts returns facts of this machine that no counter provides: names, system, memory.
package hostfacts

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/hostfiles"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/sink/metrics"
)

// facts returns the facts of a machine. Unknown facts are zero. Only names can change while the machine
// runs.
func facts(at winperf.HostFiles) metrics.Facts {
	var f metrics.Facts
	read(&f, at)
	if f.Hostname == "" {
		f.Hostname, _ = os.Hostname()
	}
	f.Hostname, f.Domain, f.FQDN = names(f.Hostname, f.Domain, f.FQDN)
	return f
}

// For returns the facts of a source's machine: the facts in a log, none for another live machine.
func For(is winperf.Description) metrics.Facts {
	if is.Recorded {
		return metrics.LogFacts(is.Log)
	}
	if !readable(is) {
		return metrics.Facts{}
	}
	return facts(is.Files)
}

// readable reports whether the files or functions of the system are about the machine of a source.
func readable(is winperf.Description) bool {
	return !is.Recorded && (is.Files != winperf.HostFiles{} || thismachine.Is(is.Machine))
}

// ValuesFor returns the function for metrics.Options.HostValues of a source, or nil if the source is a
// log or another machine.
func ValuesFor(is winperf.Description) func([]metrics.HostValue) []metrics.HostValue {
	if !readable(is) {
		return nil
	}
	return values(is.Files)
}

// UsersFor returns the function for metrics.Options.UserName of a source, or nil if the source is a log or
// another machine, or if user ids are not numbers.
func UsersFor(is winperf.Description) func(id uint64) string {
	if !readable(is) || runtime.GOOS == "windows" {
		return nil
	}
	files, err := hostfiles.Open(is.Files)
	if err == nil && files.Root() != "/" {
		return func(id uint64) string { return userIn(files.Text("etc/passwd"), id) }
	}

	return func(id uint64) string {
		u, err := user.LookupId(strconv.FormatUint(id, 10))
		if err != nil {
			return ""
		}
		return u.Username
	}
}

// userIn returns the name of an account in the text of a file passwd, or "".
func userIn(passwd string, id uint64) string {
	number := strconv.FormatUint(id, 10)
	for line := range strings.Lines(passwd) {
		fields := strings.SplitN(line, ":", 4) // name:password:id:group...
		if len(fields) == 4 && fields[2] == number {
			return strings.Map(nameRune, fields[0])
		}
	}
	return ""
}

// OwnersFor returns the function for metrics.Options.Owner of a source, or nil if the source is a log or another
// machine, or if the system has user ids.
func OwnersFor(is winperf.Description) func(id uint64) string {
	if !readable(is) {
		return nil
	}
	return owners()
}

// CommandLinesFor returns the function for metrics.Options.CommandLine of a source, or nil if the source is a log
// or another machine, or if the system is not supported.
func CommandLinesFor(is winperf.Description) func(id uint64) string {
	if !readable(is) {
		return nil
	}
	return commandLines(is.Files)
}

// maxCommandLine is the largest number of characters of a command line.
const maxCommandLine = 1024

// safeCommandLine returns a command line that is safe in a label.
func safeCommandLine(text string) string {
	safe := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	text = strings.Map(safe, strings.ToValidUTF8(text, "\uFFFD"))
	return clipTo(strings.TrimSpace(text), maxCommandLine)
}

// ControlGroupsFor returns the function for metrics.Options.ControlGroup of a source, or nil if the source
// is a log or another machine, or has no control groups.
func ControlGroupsFor(is winperf.Description) func(id uint64) string {
	files, err := hostfiles.Open(is.Files)
	if !readable(is) || runtime.GOOS != "linux" || err != nil {
		return nil
	}
	return func(id uint64) string {
		return controlGroup(files.Text("proc/" + strconv.FormatUint(id, 10) + "/cgroup"))
	}
}

// controlGroup returns the control group in the text of a file /proc/PID/cgroup, by its name in the object
// Control Group. Each line is number:controllers:path, for version 2 0::path. A path other than / is from
// version 2, else from systemd, else from the first line that has one.
func controlGroup(text string) (path string) {
	known := 0 // rank of path
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) < 3 || !strings.HasPrefix(parts[2], "/") {
			continue
		}

		rank := 2
		switch {
		case parts[2] == "/":
			rank = 1
		case parts[0] == "0":
			rank = 4
		case parts[1] == "name=systemd":
			rank = 3
		}
		if rank > known {
			path, known = parts[2], rank
		}
	}
	return strings.Map(nameRune, strings.TrimSuffix(path, " (deleted)"))
}

// nameRune returns the character for r in the name of an instance.
func nameRune(r rune) rune {
	switch {
	case r == '(':
		return '['
	case r == ')':
		return ']'
	case unicode.IsControl(r), strings.ContainsRune(`\#*`, r):
		return '_'
	}
	return r
}

// clipTo returns at most limit characters of a text.
func clipTo(text string, limit int) string {
	n := 0
	for i := range text {
		if n == limit {
			return text[:i]
		}
		n++
	}
	return text
}

// names completes the names of a machine. A host name may include its domain.
func names(host, domain, full string) (string, string, string) {
	if name, rest, cut := strings.Cut(host, "."); cut {
		host = name
		if domain == "" {
			domain = rest
		}
	}

	switch {
	case full != "":
	case domain != "":
		full = host + "." + domain
	default:
		full = host
	}
	return host, domain, full
}

// firstOf11 is the first build of Windows 11, whose registry still says Windows 10.
const firstOf11 = 22000

// product returns the name of a Windows from the registry's name and build.
func product(name, build string) string {
	if n, err := strconv.Atoi(build); err == nil && n >= firstOf11 {
		return strings.Replace(name, "Windows 10 ", "Windows 11 ", 1)
	}
	return name
}
