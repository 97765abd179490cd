//go:build !windows

package pdh

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

// systemCalls fails: only Windows has these functions.
func systemCalls(string) (*calls, error) {
	return nil, fmt.Errorf("the Performance Data Helper on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
