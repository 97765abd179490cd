package measure

import (
	"time"

	"github.com/winperf/winperf/internal/usage"
)

// meter keeps what the program had used at the last cycle.
type meter struct {
	usage.Meter
	known          bool
	at             time.Duration
	processor      time.Duration
	objects, bytes uint64
}

// read returns what was used since the last call.
func (m *meter) read(clock Clock) Usage {
	now := clock.Elapsed()
	processor, ok := usage.Processor()
	objects, bytes := m.Heap()
	u := Usage{
		Known: m.known, ProcessorKnown: ok, Elapsed: now - m.at, Processor: processor - m.processor,
		Allocations: objects - m.objects, AllocatedBytes: bytes - m.bytes,
	}
	m.known, m.at, m.processor, m.objects, m.bytes = true, now, processor, objects, bytes
	if !u.Known {
		return Usage{}
	}
	return u
}
