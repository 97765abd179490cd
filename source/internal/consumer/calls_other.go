//go:build !windows

package consumer

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

// systemCalls fails: only Windows has these functions.
func systemCalls(string) (*calls, error) {
	return nil, fmt.Errorf("counter sets of %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
