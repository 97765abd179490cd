package console

import "runtime/debug"

// spareGCPercent makes the garbage collector spare memory and not time: any file is to be dumped within
// four times its size, and the widest log is to be converted in little more than its names and lines take.
// Without it both take more (TestDumpMemory, TestConvertWideHead).
const spareGCPercent = 10

// SpareMemory makes the garbage collector spare memory until end is called.
func SpareMemory() (end func()) {
	before := debug.SetGCPercent(spareGCPercent)
	return func() { debug.SetGCPercent(before) }
}
