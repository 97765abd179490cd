package console

import (
	"runtime/debug"

	"github.com/winperf/winperf/measure"
)

// spareGCPercent makes the garbage collector spare memory and not time: any file
// is to be dumped within four times its size, and a sample of a million instances
// is to take little more than what is kept of it.
const spareGCPercent = 10

// ServeGCPercent bounds the memory of the server. Answers that clients do not read, and the metrics of their
// filters, can take up to 170 MB, which the default of 100 would double.
const ServeGCPercent = 40

// SpareMemory makes the garbage collector spare memory until end is called.
func SpareMemory() (end func()) {
	before := debug.SetGCPercent(spareGCPercent)
	return func() { debug.SetGCPercent(before) }
}

// largeSample is the size of a sample, in bytes, from which on memory is spared. A
// reading takes some hundred.
const largeSample = 8 << 20

// IsLarge tells whether memory is to be spared for samples such as this one.
func IsLarge(c *measure.Cycle) bool {
	return c.Cost.Bytes >= largeSample || c.Len() >= largeSample/100
}
