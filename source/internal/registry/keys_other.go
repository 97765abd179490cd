//go:build !windows

package registry

import (
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/v1"
)

func openKeys(Options) (v1.Keys, v1.Options, error) {
	return v1.Keys{}, v1.Options{}, fmt.Errorf("the registry of Windows on %s: %w", runtime.GOOS,
		winperf.ErrNotSupported)
}
