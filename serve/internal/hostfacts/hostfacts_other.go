//go:build !linux && !windows

package hostfacts

import (
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

func read(f *metrics.Facts, _ winperf.HostFiles) {
	f.Product = runtime.GOOS
	f.LogicalProcessors = runtime.NumCPU()
}

func values(winperf.HostFiles) func([]metrics.HostValue) []metrics.HostValue { return nil }

func owners() func(id uint64) string { return nil }

func commandLines(winperf.HostFiles) func(id uint64) string { return nil }
