// Package thismachine recognises the names of the machine that runs this program: localhost, a dot
// and the system's name.
package thismachine

import (
	"os"
	"slices"
	"strings"

	"github.com/winperf/winperf"
)

// Paths replaces \\localhost and \\. by the source's own machine, if the source reads this machine.
// In a log they are ordinary names.
func Paths(paths []winperf.Path, is winperf.Description) []winperf.Path {
	isLocal := func(p winperf.Path) bool {
		return p.Machine == "." || strings.EqualFold(p.Machine, "localhost")
	}
	if is.Recorded || !slices.ContainsFunc(paths, isLocal) || !Is(is.Machine) {
		return paths
	}

	paths = slices.Clone(paths)
	for i := range paths {
		if isLocal(paths[i]) {
			paths[i].Machine = ""
		}
	}
	return paths
}

// Is reports whether a name means this machine. An empty name, of a source that does not know its
// machine, does.
func Is(name string) bool {
	host, err := os.Hostname()
	return name == "" || err == nil && same(name, host)
}

// Name returns the name of the machine that a source reads. For this machine it is the system's
// name, as in other programs. The source's own name has the form of paths on Windows: upper case,
// without domain.
func Name(is winperf.Description) string {
	host, err := os.Hostname()
	if err != nil || is.Recorded || !Is(is.Machine) {
		return is.Machine
	}
	return host
}

// netBIOS is the longest machine name in Windows blocks; longer ones are cut.
const netBIOS = 15

// same reports whether a name is the name of a host, with or without domain.
func same(name, host string) bool {
	host, _, _ = strings.Cut(host, ".")
	name, _, _ = strings.Cut(name, ".")
	if len(name) == netBIOS && len(host) > netBIOS {
		host = host[:netBIOS]
	}
	return strings.EqualFold(name, host)
}
