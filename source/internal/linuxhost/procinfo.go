package linuxhost

import (
	"context"
	"fmt"

	"github.com/winperf/winperf/provider"
)

type infoSource struct {
	nodes          []*cpuNode // ascending
	members        map[uint64]*nodeMember
	totals         totals
	total          values
	topologyUnread bool
}

func newInfoSource(sp *spec) source {
	return &infoSource{members: map[uint64]*nodeMember{}, totals: totals{sums: sp.sums}}
}

func (r *infoSource) probe(s *session) (available fields) {
	if _, err := s.stat(); err != nil || len(s.kernel.online) == 0 {
		return 0
	}
	r.topology(s)
	first := r.members[s.kernel.online[0].number]
	available = s.cpus.probe(s) | cpuNumber
	first.frequency.read(s, &first.values)
	return available | first.values.have
}

func (r *infoSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	stat, err := s.stat()
	if err != nil {
		return nil // omit the object
	}

	s.cpus.read(s, o)
	r.sample(s, o)
	if r.topologyUnread {
		return nil // instance names are unknown
	}

	r.total = wholeMachine(stat)
	r.totals.end(&r.total)

	out := w.Object(o.layout)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(&out, &r.total)
	for _, n := range r.nodes {
		for _, m := range n.processors {
			if m.seen == s.kernel.reads {
				out.Instance(provider.Instance{Name: m.name})
				o.write(&out, &m.values)
			}
		}
		if n.online > 0 {
			out.Instance(provider.Instance{Name: n.name})
			o.write(&out, &n.total)
		}
	}
	out.End()
	return nil
}

func (r *infoSource) sample(s *session, o *object) {
	for _, p := range s.kernel.online {
		if r.members[p.number] == nil || r.topologyUnread {
			r.topology(s)
			break
		}
	}

	r.totals.begin()
	for _, n := range r.nodes {
		n.totals.begin()
		n.online = 0
		for _, m := range n.processors {
			if m.seen != s.kernel.reads {
				continue
			}
			n.online++
			m.values.set(cpuNumber, m.number)
			if o.named && o.needed&(cpuFrequency|cpuFrequencyShare) != 0 {
				m.frequency.read(s, &m.values)
			}
			if m.returned != m.since {
				m.returned = m.since
				m.inNode = values{}
				m.inTotal = values{}
			}
			n.totals.add(&m.inNode, &m.values)
			r.totals.add(&m.inTotal, &m.values)
		}
		n.total.have = 0
		n.totals.end(&n.total)
	}
}

// frequency is a processor's frequency (kernel documentation, "CPU Performance Scaling").
type frequency struct {
	file     file // scaling_cur_freq, kHz
	highest  string
	max      uint64 // kHz; 0 if unknown
	readAt   int64  // Times.Boot
	current  uint64 // kHz
	measured bool   // current is valid
}

func newFrequency(cpu uint64) frequency {
	dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/", cpu)
	return frequency{file: file{name: dir + "scaling_cur_freq"}, highest: dir + "cpuinfo_max_freq"}
}

// frequencyAge is the time between readings, in ns.
const frequencyAge = 10_000_000_000

func (f *frequency) read(s *session, v *values) {
	if f.readAt == 0 {
		highest := file{name: f.highest}
		f.max, _ = s.readNumber(&highest) // 0 on error
		s.reader.close(&highest.h)
	}
	if f.readAt == 0 || s.times.Boot-f.readAt >= frequencyAge {
		f.readAt = s.times.Boot
		current, err := s.readNumber(&f.file)
		f.current = current
		f.measured = err == nil
	}

	if s.short != nil {
		f.readAt = 0 // try again next time
	}
	if !f.measured {
		return
	}

	v.set(cpuFrequency, f.current/1000)
	if f.max != 0 {
		v.setScaled(cpuFrequencyShare, f.current, 100, f.max)
	}
}
