// Package hostfacts returns facts of this machine that no counter provides: names, system, memory.
package hostfacts

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/sink/metrics"
)

// Read returns the facts of this machine. Unknown facts are zero. Only names can change while the
// machine runs.
func Read() metrics.Facts {
	var f metrics.Facts
	read(&f)
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
	if !thismachine.Is(is.Machine) {
		return metrics.Facts{}
	}
	return Read()
}

// ValuesFor returns the function for metrics.Options.HostValues of a source, or nil if the source is a
// log or another machine.
func ValuesFor(is winperf.Description) func([]metrics.HostValue) []metrics.HostValue {
	if is.Recorded || !thismachine.Is(is.Machine) {
		return nil
	}
	return values()
}

// UsersFor returns the function for metrics.Options.UserName of a source, or nil if the source is a log or
// another machine, or if user ids are not numbers.
func UsersFor(is winperf.Description) func(id uint64) string {
	if is.Recorded || !thismachine.Is(is.Machine) || runtime.GOOS == "windows" {
		return nil
	}

	return func(id uint64) string {
		u, err := user.LookupId(strconv.FormatUint(id, 10))
		if err != nil {
			return ""
		}
		return u.Username
	}
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
