//go:build !linux

package linuxhost

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// New returns the provider of this machine's objects. On this system there is
// none: the error wraps [winperf.ErrNotSupported].
func New(Options) (*Host, error) {
	return nil, fmt.Errorf("objects of the Linux host on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}

// Clocks reads this machine's clocks. On this system it returns none.
func Clocks() counter.Clocks { return counter.Clocks{} }
