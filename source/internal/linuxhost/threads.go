package linuxhost

import (
	"context"
	"strconv"

	"github.com/winperf/winperf/provider"
)

// threadSource reads the Thread object. Parents are positions in the Process object of the same
// block.
type threadSource struct {
	keeper[thread, *thread]
	parent    uint32
	processes *processSource
	known     []*fileTable // stat, then files with counts, best first
	kinds     []*fileTable // files to read
	process   *process
	totals    totals
}

func newThreadSource(sp *spec) source {
	r := &threadSource{parent: sp.parent, known: sp.files, totals: totals{sums: sp.sums}}
	r.begin = func(t *thread, tid int) {
		*t = thread{pidEntry: newEntry(tid, r.kinds, &t.pidEntry), process: r.process}
		t.name = strconv.Itoa(tid)
	}
	return r
}

// probe selects the first file that counts more than zeros, or only stat.
func (r *threadSource) probe(s *session) (available fields) {
	parent := s.object(r.parent)
	if parent == nil {
		return 0
	}

	r.processes = parent.source.(*processSource)
	pids := probedProcesses(s)
	for i := 1; i <= len(r.known); i++ {
		r.kinds = append(r.known[:1:1], r.known[i:min(i+1, len(r.known))]...)
		counted := len(r.kinds) == 1
		for _, pid := range pids {
			available |= r.probeOne(s, pid, &counted)
			if counted && available != 0 {
				return available
			}
		}
		available = 0
	}
	return available
}

// probeOne sets counted if a count is not 0.
func (r *threadSource) probeOne(s *session, pid int, counted *bool) (available fields) {
	p := r.processes.readable(s, pid, 0)
	if p == nil {
		return 0
	}
	defer r.processes.forget(s, p)

	if p.list(s) != nil {
		return 0
	}
	r.process = p
	for _, tid := range p.tasks.ids {
		if t := r.readable(s, tid, ^fields(0)); t != nil {
			r.forget(s, t)
			available |= r.cur.have
			*counted = *counted || len(r.kinds) > 1 && r.cur.sum(r.kinds[1].provides&r.cur.have) != 0
		}
	}
	return available
}

func (r *threadSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if _, err := s.pids(); err != nil {
		return nil // omit the object
	}
	out := w.Object(o.layout)
	r.totals.begin()
	out.Instance(provider.Instance{Name: "_Total", ParentObject: o.parent, ParentPosition: r.processes.total})
	total := out.Place()

	for _, p := range r.processes.live {
		if !p.shown {
			r.totals.markAllMissing(p.unread) // never read
			continue
		}
		if err := r.write(ctx, s, o, &out, p); err != nil {
			return err
		}
	}

	clock := s.timeAfter()
	out.Clock(clock, perSecond)
	v := &r.cur
	v.reset()
	if s.hidden.are {
		r.totals.markAllMissing(errHidden)
	}

	r.totals.end(v)
	v.set(threadID, 0)
	v.set(threadProcess, 0)
	v.set(threadStarted, uint64(clock))
	out.Return(total)
	o.write(&out, v)
	out.End()
	return nil
}

// write writes the threads of a process, or none if it has ended since Process was written.
func (r *threadSource) write(
	ctx context.Context, s *session, o *object, out *provider.ObjectWriter, p *process,
) error {
	err := p.list(s)
	if err != nil {
		p.tasks.ids = p.tasks.ids[:0]
	}

	if err != nil && !isMissing(err) {
		for _, t := range p.tasks.live {
			r.show(s, o, out, t, err)
		}
		s.noteMissed(err)
		r.totals.markAllMissing(err) // other threads may exist
		return nil
	}

	r.process = p
	err = r.follow(ctx, s, &p.tasks.live, p.tasks.ids, p.rank, o.needed, func(t *thread, err error) bool {
		if err == nil && t.number == p.number && t.started != p.started {
			return false
		}
		r.show(s, o, out, t, err)
		return true
	})
	p.releaseTasks(s)
	return err
}

// show writes a thread with the values in r.cur. After a read error it writes a known thread
// without values.
func (r *threadSource) show(s *session, o *object, out *provider.ObjectWriter, t *thread, err error) {
	if err == nil {
		r.totals.add(&t.inTotal, &r.cur)
	} else {
		s.noteMissed(err)
		r.totals.markAllMissing(err)
		r.cur.reset()
		r.cur.markMissing(^fields(0), err)
		t.identify(s, &r.cur)
		r.cur.set(threadProcess, uint64(t.process.number))
	}
	if t.known {
		out.Instance(provider.Instance{
			Name: t.name, ParentObject: o.parent, ParentPosition: t.process.position,
		})
		o.write(out, &r.cur)
	}
}
