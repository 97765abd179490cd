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
	if is.Recorded || !slices.ContainsFunc(paths, isLocal) || !isThisMachine(is.Machine) {
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

// isThisMachine reports whether a name is that of this machine. A source that does not
// know its machine's name reads this one.
func isThisMachine(name string) bool {
	host, err := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	name, _, _ = strings.Cut(name, ".")
	return name == "" || err == nil && strings.EqualFold(name, host)
}
