package cli

import "runtime/debug"

// spareGCPercent makes the garbage collector spare memory and not time: any file
// is to be dumped within four times its size, and a sample of a million instances
// is to take little more than what is kept of it.
const spareGCPercent = 25

// spareMemory makes the garbage collector spare memory until end is called.
func spareMemory() (end func()) {
	before := debug.SetGCPercent(spareGCPercent)
	return func() { debug.SetGCPercent(before) }
}
