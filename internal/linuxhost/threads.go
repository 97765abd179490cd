package linuxhost

import (
	"context"
	"errors"
	"strconv"

	"github.com/winperf/winperf/provider"
)

// threadSource reads the Thread object. It goes through the processes that the
// Process object in the same block has: their positions there are what threads
// have for a parent.
type threadSource struct {
	processes *processSource
	counts    *pidFile  // where the kernel counts what threads do
	next      []*thread // of the process being read
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
	p := r.processes.readable(s, pid, 0)
	if p == nil {
		return 0
	}
	defer r.processes.forget(s, p)

	if p.list(s) != nil {
		return 0
	}
	for _, tid := range p.tasks.ids {
		t, err := r.sample(s, p, nil, tid, ^fields(0))
		if t == nil {
			continue
		}
		r.forget(s, t)
		if err == nil {
			given |= r.cur.have
			*counted = *counted || r.cur.sum(r.counts.gives&r.cur.have) != 0
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

	for i, p := range r.processes.live {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if p.shown {
			r.write(s, o, &out, p)
		} else {
			r.totals.lackAll(p.unread) // it could not be read ever
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
func (r *threadSource) write(s *session, o *object, out *provider.ObjectWriter, p *process) {
	err := s.twice(func() error { return p.list(s) }, func() error { return p.close(s) })
	if err != nil {
		p.tasks.ids = p.tasks.ids[:0]
	}

	if err != nil && !isGone(err) {
		for _, t := range p.tasks.live {
			r.show(s, o, out, p, t, err)
		}
		s.miss(err)
		r.totals.lackAll(err) // there may be others
		return
	}

	// The writer panics when it has had enough; the threads that were not looked at
	// live on as far as is known.
	old := p.tasks.live
	defer func() {
		r.next = append(r.next, old...)
		p.tasks.live = append(p.tasks.live[:0], r.next...)
		clear(r.next)
		r.next = r.next[:0]
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

		t, err := r.sample(s, p, t, tid, o.wanted)
		if t == nil {
			continue
		}

		r.next = append(r.next, t)
		if err == nil && tid == p.pid && t.started != p.started {
			break
		}
		r.show(s, o, out, p, t, err)
	}

	for _, t := range old {
		r.forget(s, t)
	}
	old = nil
	_ = p.spare(s) // an error to close what was only read has no meaning
}

// show writes a thread, of which r.cur has the figures unless there was an error:
// then it is written without figures, if it was known before.
func (r *threadSource) show(
	s *session, o *object, out *provider.ObjectWriter, p *process, t *thread, err error,
) {
	if err == nil {
		r.totals.add(&t.inTotal, &r.cur)
	} else {
		s.miss(err)
		r.totals.lackAll(err)
		r.cur.reset()
		r.cur.lack(^fields(0), err)
		t.identify(s, p, &r.cur)
	}
	if t.known {
		out.Instance(provider.Instance{Name: t.name, ParentObject: o.parent, ParentPosition: p.position})
		o.write(out, &r.cur)
	}
}

// sample reads the wanted figures of a thread into r.cur. known is what had the
// id in the last sample, or nil. There is no thread if it has ended. With an
// error there is one that cannot be read now.
func (r *threadSource) sample(s *session, p *process, known *thread, tid int,
	wanted fields) (*thread, error) {
	if known != nil {
		err := r.read(s, p, known, wanted)
		if !isGone(err) {
			return known, err
		}
		// What was open belonged to a thread that has ended. Another one may have its id now.
		r.forget(s, known)
	}

	t := r.remember(tid)
	err := r.read(s, p, t, wanted)
	if isGone(err) {
		r.forget(s, t)
		return nil, err
	}
	return t, err
}

// read reads a thread, once more with all else closed where there were too few
// descriptors.
func (r *threadSource) read(s *session, p *process, t *thread, wanted fields) error {
	return s.twice(
		func() error { return t.read(s, p, &r.cur, r.counts, wanted) },
		func() error { return errors.Join(t.close(s), p.close(s)) },
	)
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

// close closes the threads of the process being read: the processes close the
// others.
func (r *threadSource) close(s *session) error {
	var errs []error
	for _, t := range r.next {
		errs = append(errs, t.close(s))
	}
	return errors.Join(errs...)
}
