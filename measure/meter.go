package measure

import (
	"time"

	"github.com/winperf/winperf/internal/usage"
)

// meter measures the resources that the program uses between two cycles.
type meter struct {
	usage.Meter
	known          bool
	at             time.Duration
	processor      time.Duration
	objects, bytes uint64
}

// read returns the resources used since the last call.
func (m *meter) read(clock Clock) used {
	now := clock.Elapsed()
	processor, ok := usage.Processor()
	objects, bytes := m.Heap()
	u := used{
		known: m.known, processorKnown: ok, elapsed: now - m.at, processor: processor - m.processor,
		allocations: objects - m.objects, allocatedBytes: bytes - m.bytes,
	}
	m.known, m.at, m.processor, m.objects, m.bytes = true, now, processor, objects, bytes
	if !u.known {
		return used{}
	}
	return u
}
