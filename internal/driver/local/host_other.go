//go:build !linux && !windows

package local

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

func openHost(Options) (host, error) {
	return host{}, fmt.Errorf(
		"counters of a machine with %s: %w yet; recorded data can be read: perfdata:FILE",
		runtime.GOOS, winperf.ErrNotSupported)
}
