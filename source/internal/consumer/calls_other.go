//go:build !windows

package consumer

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

// systemCalls: only Windows has them.
func systemCalls(string) (*calls, error) {
	return nil, fmt.Errorf("counter sets of %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
