//go:build !linux && !windows

package local

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

func openHost(Options) (host, error) {
	return host{}, fmt.Errorf(
		"live counters on %s: %w yet (logs and captures can be read)",
		runtime.GOOS, winperf.ErrNotSupported)
}
