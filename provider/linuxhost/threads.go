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
	processes *processSource
	counts    *pidFile // where the kernel counts what threads do
	next      []*thread
	free      []*thread // forgotten ones, to be used again
	totals    totals
	cur       values // of the thread being read
}

func newThreadSource() source {
	return &threadSource{totals: totals{running: threadRunning}}
}

// threadCounts are the files, besides stat, that kernels count in, the best
// first. The first that gives more than zeros is read.
var threadCounts = [...]pidFile{
	{name: "schedstat", gives: threadTime | threadWaited | threadSwitches, parse: parseThreadSchedstat},
	{name: "status", gives: threadSwitches, parse: parseThreadStatus},
	{}, // neither
}

func (r *threadSource) probe(s *session) (given fields) {
	parent := s.object(threadSpec.parent)
	if parent == nil {
		return 0
	}
	r.processes = parent.source.(*processSource)
	pids := exemplars(s)
	for i := range threadCounts {
		r.counts = &threadCounts[i]
		counted := r.counts.gives == 0
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
	p := r.processes.sample(s, nil, pid, 0)
	if p == nil {
		return 0
	}
	defer r.processes.forget(s, p)
	if p.list(s) != nil {
		return 0
	}
	for _, tid := range p.tasks.ids {
		t := r.sample(s, p, nil, tid, ^fields(0))
		if t == nil {
			continue
		}
		r.forget(s, t)
		given |= r.cur.have
		*counted = *counted || r.cur.sum(r.counts.gives&r.cur.have) != 0
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
	for i, p := range r.processes.live {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.write(s, o, &out, p)
	}
	clock := s.timeAfter()
	out.Clock(clock, perSecond)
	v := &r.cur
	v.have = 0
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
func (r *threadSource) write(s *session, o *object, out *provider.ObjectWriter, p *process) {
	if err := p.list(s); err != nil {
		p.tasks.ids = p.tasks.ids[:0]
	}
	old, next := p.tasks.live, r.next[:0]
	defer func() { // also when the writer panics because it has had enough
		next = append(next, old...) // where it was given up the rest lives on as far as is known
		p.tasks.live = append(p.tasks.live[:0], next...)
		clear(next)
		r.next = next[:0]
	}()
	for _, tid := range p.tasks.ids {
		for len(old) > 0 && p.rank(old[0].tid) < p.rank(tid) {
			r.forget(s, old[0])
			old = old[1:]
		}
		var t *thread
		if len(old) > 0 && old[0].tid == tid {
			t, old = old[0], old[1:]
		}
		if t = r.sample(s, p, t, tid, o.wanted); t == nil {
			continue
		}
		next = append(next, t)
		if tid == p.pid && t.started != p.started {
			break
		}
		r.totals.add(&t.inTotal, &r.cur)
		out.Instance(provider.Instance{Name: t.name, ParentObject: o.parent, ParentPosition: p.position})
		o.write(out, &r.cur)
	}
	for _, t := range old {
		r.forget(s, t)
	}
	old = nil
	_ = p.spare(s) // an error to close what was only read has no meaning
}

// sample reads the wanted figures of a thread into r.cur. known is what had the
// id in the last sample, or nil. The result is nil if there is no such thread
// any more, or if it may not be seen.
func (r *threadSource) sample(s *session, p *process, known *thread, tid int, wanted fields) *thread {
	if known != nil {
		err := known.read(s, p, &r.cur, r.counts, wanted)
		if err == nil {
			return known
		}
		r.forget(s, known)
		if !isGone(err) {
			return nil
		}
		// What was open belonged to a thread that has ended. Another one may have its id now.
	}
	t := r.remember(tid)
	if err := t.read(s, p, &r.cur, r.counts, wanted); err != nil {
		r.forget(s, t)
		return nil
	}
	return t
}

// remember returns a thread of which nothing is known but its id.
func (r *threadSource) remember(tid int) *thread {
	t := new(thread)
	if n := len(r.free); n > 0 {
		t, r.free = r.free[n-1], r.free[:n-1]
	}
	*t = thread{tid: tid, name: strconv.Itoa(tid)}
	return t
}

func (r *threadSource) forget(s *session, t *thread) {
	_ = t.close(s) // an error to close a file that was read has no meaning
	r.free = append(r.free, t)
}

// close has nothing to do: the processes close their threads.
func (r *threadSource) close(*session) error { return nil }
