package console

import (
	"os"
	"runtime/debug"
)

// spareGCPercent trades time for memory. It keeps dump within four times the size of the file, and convert
// of a wide log near the size of its names and lines (TestDumpMemory, TestConvertWideHead).
const spareGCPercent = 10

// SpareMemory makes the garbage collector save memory until end is called.
func SpareMemory() (end func()) {
	before := debug.SetGCPercent(spareGCPercent)
	return func() { debug.SetGCPercent(before) }
}

// softLimit is the memory that serve and view try to stay within, without large histories.
const softLimit = 224 << 20

// LimitMemory sets a soft limit for the garbage collector: 224 MiB, and twice the memory of histories, in
// bytes. GOMEMLIMIT overrides it.
func LimitMemory(histories int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit + 2*histories)
	}
}
