package summary

import (
	"context"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/usage"
)

// sideCost is the cost of samples of a source. Processor time and allocations are measured for the whole
// program, which is otherwise idle.
type sideCost struct {
	Prepare, Sample, Decode time.Duration
	Processor               time.Duration
	ProcessorKnown          bool
	Allocations             uint64
	Bytes                   int // 0 if samples are not bytes
}

func (s *side) prepare(ctx context.Context) error {
	begin := time.Now()
	err := s.measure.Prepare(ctx)
	s.cost.Prepare = time.Since(begin)
	return err
}

func (s *side) take(ctx context.Context) error {
	if s.samples > 0 {
		if err := s.measure.Prepare(ctx); err != nil {
			return err
		}
	}

	var meter usage.Meter
	meter.Heap() // allocates memory
	objects, _ := meter.Heap()
	processor, known := usage.Processor()
	begin := time.Now()
	if err := s.measure.Sample(ctx); err != nil {
		return err
	}

	sampled := time.Now()
	cycle, err := s.measure.Decode()
	if err != nil {
		return err
	}

	decoded := time.Now()
	after, stillKnown := usage.Processor()
	made, _ := meter.Heap()
	c := &s.cost
	c.Sample += sampled.Sub(begin)
	c.Decode += decoded.Sub(sampled)
	c.Processor += after - processor
	c.ProcessorKnown = known && stillKnown
	c.Allocations += made - objects
	c.Bytes += cycle.Cost.Bytes
	s.samples++
	if !cycle.Frame.IsZero() && cycle.Frame.Schema() != nil {
		s.kind = cycle.Frame.Schema().Interface
	}
	if len(console.Costly(s.damage)) == 0 {
		s.damage = append(s.damage[:0], cycle.Damage...)
	}
	s.notices = console.AddNotices(s.notices, cycle.Damage)
	s.denied.Count(cycle)
	s.readings = append(s.readings[:0], cycle.Readings()...)
	return nil
}

func (s *side) mean() sideCost {
	c, n := s.cost, max(s.samples, 1)
	c.Sample /= time.Duration(n)
	c.Decode /= time.Duration(n)
	c.Processor /= time.Duration(n)
	c.Allocations /= uint64(n)
	c.Bytes /= n
	return c
}
