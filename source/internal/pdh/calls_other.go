//go:build !windows

package pdh

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

// systemCalls: only Windows has them.
func systemCalls(string) (*calls, error) {
	return nil, fmt.Errorf("the Performance Data Helper on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
