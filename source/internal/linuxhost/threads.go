package linuxhost

import (
	"context"
	"strconv"

	"github.com/winperf/winperf/provider"
)

// threadSource reads the Thread object. It goes through the processes that the
// Process object in the same block has: their positions there are what threads
// have for a parent.
type threadSource struct {
	keeper[thread, *thread]
	parent    uint32 // title index of the object of processes
	processes *processSource
	known     []*fileTable // stat, then those that kernels count in, the best first
	kinds     []*fileTable // of them those that are read
	process   *process     // that is being read
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

// probe finds the file that the kernel counts in: the first that gives more than
// zeros, or none besides stat.
func (r *threadSource) probe(s *session) (given fields) {
	parent := s.object(r.parent)
	if parent == nil {
		return 0
	}

	r.processes = parent.source.(*processSource)
	pids := exemplars(s)
	for i := 1; i <= len(r.known); i++ {
		r.kinds = append(r.known[:1:1], r.known[i:min(i+1, len(r.known))]...)
		counted := len(r.kinds) == 1
		for _, pid := range pids {
			given |= r.probeOne(s, pid, &counted)
			if counted && given != 0 {
				return given
			}
		}
		given = 0
	}
	return given
}

// probeOne tells what the threads of a process give. counted becomes true where
// something was counted.
func (r *threadSource) probeOne(s *session, pid int, counted *bool) (given fields) {
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
			given |= r.cur.have
			*counted = *counted || len(r.kinds) > 1 && r.cur.sum(r.kinds[1].gives&r.cur.have) != 0
		}
	}
	return given
}

func (r *threadSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if _, err := s.pids(); err != nil {
		return nil // without the list there are no processes, and no threads
	}
	out := w.Object(o.layout)
	r.totals.begin()
	out.Instance(provider.Instance{Name: "_Total", ParentObject: o.parent, ParentPosition: r.processes.total})
	total := out.Place()

	for _, p := range r.processes.live {
		if !p.shown {
			r.totals.lackAll(p.unread) // it could not be read ever
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
		r.totals.lackAll(errHidden)
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

// write writes the threads of a process. If it has ended, or if another one has
// its id since the Process object was written, it has none in this sample.
func (r *threadSource) write(
	ctx context.Context, s *session, o *object, out *provider.ObjectWriter, p *process,
) error {
	err := p.list(s)
	if err != nil {
		p.tasks.ids = p.tasks.ids[:0]
	}

	if err != nil && !isGone(err) {
		for _, t := range p.tasks.live {
			r.show(s, o, out, t, err)
		}
		s.miss(err)
		r.totals.lackAll(err) // there may be others
		return nil
	}

	r.process = p
	err = r.follow(ctx, s, &p.tasks.live, p.tasks.ids, p.rank, o.wanted, func(t *thread, err error) bool {
		if err == nil && t.number == p.number && t.started != p.started {
			return false
		}
		r.show(s, o, out, t, err)
		return true
	})
	p.spareTasks(s)
	return err
}

// show writes a thread, of which r.cur has the figures unless there was an error:
// then it is written without figures, if it was known before.
func (r *threadSource) show(s *session, o *object, out *provider.ObjectWriter, t *thread, err error) {
	if err == nil {
		r.totals.add(&t.inTotal, &r.cur)
	} else {
		s.miss(err)
		r.totals.lackAll(err)
		r.cur.reset()
		r.cur.lack(^fields(0), err)
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
