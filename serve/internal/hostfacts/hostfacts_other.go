//go:build !linux && !windows

package hostfacts

import (
	"runtime"

	"github.com/winperf/winperf/sink/metrics"
)

// read knows what Go itself knows.
func read(f *metrics.Facts) {
	f.Product = runtime.GOOS
	f.LogicalProcessors = runtime.NumCPU()
}
