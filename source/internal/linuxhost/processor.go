package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

// The figures of the Processor and Processor Information objects that the code
// knows. Times are in 100 ns.
const (
	cpuIdle fields = 1 << iota // with cpuIOWait and the time suspended, and settled
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
	cpuFrequency      // in MHz
	cpuFrequencyShare // in percent
	cpuNumber
)

const cpuStateFigures = cpuC1Time | cpuC2Time | cpuC3Time | cpuC1Entries | cpuC2Entries | cpuC3Entries |
	cpuIdleBreaks

// onRequestAbove is the number of processors above which figures that take
// files growing with it are read only when the query names them.
const onRequestAbove = 64

// processorSource reads the Processor object.
type processorSource struct {
	totals totals
	total  values // figures of _Total
}

func newProcessorSource(sp *spec) source { return &processorSource{totals: totals{sums: sp.sums}} }

func (r *processorSource) probe(s *session) (given fields) {
	if _, err := s.stat(); err != nil {
		return 0
	}
	return s.cpus.probe(s)
}

// wholeMachine returns the figures of _Total that the kernel adds up itself.
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
		return nil // without the file there are no instances: the object is not there
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
