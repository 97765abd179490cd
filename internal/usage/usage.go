// Package usage tells what this program has used of the machine so far.
package usage

import (
	"runtime/metrics"
	"time"
)

// Meter reads. The zero Meter is ready for use; it serves one goroutine and
// allocates nothing once warm.
type Meter struct{ heap [2]metrics.Sample }

// Heap returns how many objects were allocated on the heap so far, and their
// bytes. The runtime counts small objects by the span, so the last few may not
// be in it yet.
func (m *Meter) Heap() (objects, bytes uint64) {
	m.heap[0].Name, m.heap[1].Name = "/gc/heap/allocs:objects", "/gc/heap/allocs:bytes"
	metrics.Read(m.heap[:])
	return number(m.heap[0]), number(m.heap[1])
}

func number(s metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}

// Processor returns the user and system time of all threads of the program so
// far; ok is false on systems that are not asked.
func Processor() (t time.Duration, ok bool) { return processor() }

// Resident returns how many bytes of memory the program has; ok is false on systems
// that are not asked.
func Resident() (n uint64, ok bool) { return resident() }
