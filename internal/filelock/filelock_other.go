//go:build !linux && !darwin && !windows

package filelock

import (
	"fmt"
	"os"
	"runtime"

	"github.com/winperf/winperf"
)

// Try fails: the error wraps winperf.ErrNotSupported.
func Try(*os.File) (bool, error) {
	return false, fmt.Errorf("locking files with %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
