package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

// Fields that the code sets. Times are in 100 ns.
const (
	cpuIdle fields = 1 << iota // includes cpuIOWait and suspended time
	cpuIOWait
	cpuC1Time
	cpuC2Time
	cpuC3Time
	cpuC1Entries
	cpuC2Entries
	cpuC3Entries
	cpuIdleBreaks
	cpuInterrupts
	cpuDPCs
	cpuClocks
	cpuFrequency      // MHz
	cpuFrequencyShare // percent
	cpuNumber
)

const cpuStateFields = cpuC1Time | cpuC2Time | cpuC3Time | cpuC1Entries | cpuC2Entries | cpuC3Entries |
	cpuIdleBreaks

// onRequestAbove is the number of processors above which expensive fields are read only if the query
// names them.
const onRequestAbove = 64

type processorSource struct {
	totals totals
	total  values
}

func newProcessorSource(sp *spec) source { return &processorSource{totals: totals{sums: sp.sums}} }

func (r *processorSource) probe(s *session) (available fields) {
	if _, err := s.stat(); err != nil {
		return 0
	}
	return s.cpus.probe(s)
}

// wholeMachine returns the fields that the kernel sums itself.
func wholeMachine(stat *values) (v values) {
	if stat.has(systemInterrupts) {
		v.set(cpuInterrupts, stat.sum(systemInterrupts))
	}
	if stat.has(systemSoftirqs) {
		v.set(cpuDPCs, stat.sum(systemSoftirqs))
	}
	return v
}

func (r *processorSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	stat, err := s.stat()
	if err != nil {
		return nil // omit the object
	}

	s.cpus.read(s, o)
	r.totals.begin()
	for _, p := range s.kernel.online {
		r.totals.add(&p.inTotal, &p.values)
	}

	r.total = wholeMachine(stat)
	r.totals.end(&r.total)

	out := w.Object(o.layout)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(&out, &r.total)
	for _, p := range s.kernel.online {
		out.Instance(provider.Instance{Name: p.name})
		o.write(&out, &p.values)
	}
	out.End()
	return nil
}
