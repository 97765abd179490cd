package console

import "runtime/debug"

// spareGCPercent trades time for memory. It keeps dump within four times the size of the file, and convert
// of a wide log near the size of its names and lines (TestDumpMemory, TestConvertWideHead).
const spareGCPercent = 10

// SpareMemory makes the garbage collector save memory until end is called.
func SpareMemory() (end func()) {
	before := debug.SetGCPercent(spareGCPercent)
	return func() { debug.SetGCPercent(before) }
}
