//go:build !windows

package perflib

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
)

func advapi() (system, error) {
	return nil, fmt.Errorf("version 2 providers on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
