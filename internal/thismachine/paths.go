// Package thismachine knows the names of the machine that the program runs on: localhost, a dot and
// that of the system.
package thismachine

import (
	"os"
	"slices"
	"strings"

	"github.com/winperf/winperf"
)

// Paths makes paths of \\localhost and \\. paths of the source, where that reads this
// machine. In a record they are names like others.
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

// Is reports whether a name is that of this machine. A source that does not know its
// machine's name reads this one.
func Is(name string) bool {
	host, err := os.Hostname()
	return name == "" || err == nil && same(name, host)
}

// Name returns the name of the machine that a source reads: of this one, where it is no record, the one that
// the system has, as other programs have it. The source's own is as Windows has names of machines in paths,
// in capitals and without a domain.
func Name(is winperf.Description) string {
	host, err := os.Hostname()
	if err != nil || is.Recorded || !Is(is.Machine) {
		return is.Machine
	}
	return host
}

// netBIOS is the longest name that blocks of Windows have for a machine: longer ones are cut.
const netBIOS = 15

// same reports whether a name is that of a host, with or without domains.
func same(name, host string) bool {
	host, _, _ = strings.Cut(host, ".")
	name, _, _ = strings.Cut(name, ".")
	if len(name) == netBIOS && len(host) > netBIOS {
		host = host[:netBIOS]
	}
	return strings.EqualFold(name, host)
}
