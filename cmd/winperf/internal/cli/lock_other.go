//go:build !linux && !darwin && !windows

package cli

import (
	"fmt"
	"os"
	"runtime"

	"github.com/winperf/winperf"
)

const replacesOpen = false

func tryLock(*os.File) (bool, error) {
	return false, fmt.Errorf("locking files with %s: %w", runtime.GOOS, winperf.ErrNotSupported)
}
