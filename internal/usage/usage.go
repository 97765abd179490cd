// Package usage measures the memory and processor time that this program has used.
package usage

import (
	"runtime/metrics"
	"time"
)

// Meter reads the runtime's metrics. The zero Meter is ready for use; it serves one goroutine and
// allocates nothing once warm.
type Meter struct{ heap [2]metrics.Sample }

// Heap returns the number and bytes of all objects allocated on the heap since the start. The
// runtime counts small objects per span, so the latest few may be missing.
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

// Processor returns the user and system time of all threads since the start; ok is false on
// unsupported systems.
func Processor() (t time.Duration, ok bool) { return processor() }
