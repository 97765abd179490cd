package linuxhost

import (
	"context"
	"errors"

	"github.com/winperf/winperf/provider"
)

// processSource reads the Process object, or another one of processes.
type processSource struct {
	kinds []pidFile
	// withMemory leaves out Idle and all processes without memory of their own.
	withMemory bool

	live   []*process // of the last sample, by rising id
	now    []*process // of the sample being taken
	free   []*process // forgotten ones, to be used again
	totals totals
	idle   values // what the total has seen of Idle
	folded folded
	cur    values // of the process being read
	next   uint32 // position of the next instance in the sample
	total  uint32 // that of _Total
}

func newProcessSource() source {
	sums := totals{running: procRunning, gauges: procGauges}
	return &processSource{kinds: pidFiles, totals: sums, folded: folded{totals: sums}}
}

// probe looks at the process that reads, whose every file is open to it.
// Where /proc does not show it, it looks at all processes that are shown.
func (r *processSource) probe(s *session) (given fields) {
	all := procOwn | r.totals.running | r.totals.gauges
	if !delaysCounted(s) {
		all &^= procBlockDelay
	}

	for _, pid := range exemplars(s) {
		if given |= r.probeOne(s, pid) & all; all&^given&procHandles != 0 {
			given |= r.probeHandles(s, pid)
		}
		if given == all {
			break
		}
	}

	if s.foldKernel && !r.withMemory {
		r.look(s)
	}
	return given
}

// exemplars returns the ids of the processes that tell what there is to read.
func exemplars(s *session) []int {
	if pid, ok := ownID(s); ok {
		return []int{pid}
	}
	pids, _ := s.pids() // an error leaves none to look at
	return pids
}

// probeOne reads one file of a process at a time: that a file is not there
// would otherwise mean that the process is gone.
func (r *processSource) probeOne(s *session, pid int) (given fields) {
	for i := range r.kinds {
		if p := r.readable(s, pid, r.kinds[i].gives); p != nil {
			r.forget(s, p)
			given |= r.cur.have
		}
	}
	return given
}

// probeHandles finds out how the kernel tells the number of descriptors. A
// process that has none tells nothing.
func (r *processSource) probeHandles(s *session, pid int) fields {
	for _, s.countHandles = range []bool{false, true} {
		p := r.readable(s, pid, procHandles)
		if p == nil {
			continue
		}
		r.forget(s, p)
		if r.cur.sum(procHandles&r.cur.have) > 0 {
			return procHandles
		}
	}
	s.countHandles = false
	return 0
}

// ownID returns the id of the process that reads, in the process namespace of
// /proc.
func ownID(s *session) (pid int, ok bool) {
	f := file{name: "proc/self/stat"}
	text, err := s.reader.read(&f)
	if err != nil {
		return 0, false
	}
	word, _ := cutWord(text)
	n, ok := decimal(word)
	_ = s.reader.close(&f.h)
	return int(n), ok && n <= maxID
}

// delaysCounted tells whether the kernel counts what delays threads. Where it
// does not, its figures are 0, which looks like no delay. Before Linux 5.14
// there is no way to know.
func delaysCounted(s *session) bool {
	f := file{name: "proc/sys/kernel/task_delayacct"}
	text, err := s.reader.read(&f)
	counted := err == nil && len(text) > 0 && text[0] == '1'
	_ = s.reader.close(&f.h)
	return counted
}

func (r *processSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	pids, err := s.pids()
	if err != nil {
		s.miss(err)
		return nil // without the list there are no instances: the object is not there
	}

	out := w.Object(o.layout)
	r.totals.begin()
	r.folded.begin()
	r.next = 0

	// What is no process comes first, so that no process of that name can take its
	// place: of several of one name the first is the one without a number. Their
	// values follow when those of all others are known.
	if !r.withMemory {
		r.writeIdle(s, o, &out)
	}

	r.total = r.next
	total := r.announce(&out, "_Total")
	if r.folded.known {
		r.folded.position = r.next
		r.folded.place = r.announce(&out, "System")
	}

	if err := r.walk(ctx, s, o, &out, pids); err != nil {
		return err
	}

	if r.folded.known {
		r.writeFolded(o, &out)
	}
	clock := s.timeAfter()
	out.Clock(clock, perSecond)
	out.Return(total)
	r.writeTotal(s, o, &out, clock)
	out.End()
	return nil
}

// announce begins an instance whose values are to be written later.
func (r *processSource) announce(out *provider.ObjectWriter, name string) provider.Place {
	out.Instance(provider.Instance{Name: name})
	r.next++
	return out.Place()
}

// walk writes the processes with the given ids, which rise.
func (r *processSource) walk(ctx context.Context, s *session, o *object, out *provider.ObjectWriter,
	pids []int) error {
	old := r.live
	defer func() { // also when the writer panics because it has had enough
		r.now = append(r.now, old...) // where it was given up the rest lives on as far as is known
		clear(r.live)
		r.live, r.now = r.now, r.live[:0]
	}()

	for i, pid := range pids {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for len(old) > 0 && old[0].pid < pid {
			r.forget(s, old[0])
			old = old[1:]
		}

		var p *process
		if len(old) > 0 && old[0].pid == pid {
			p, old = old[0], old[1:]
		}

		if p, err := r.sample(s, p, pid, o.wanted); p != nil {
			r.now = append(r.now, p)
			r.show(s, o, out, p, err)
		}
	}

	for _, p := range old {
		r.forget(s, p)
	}
	old = nil
	return nil
}

// show writes a process, of which r.cur has the figures unless there was an
// error.
func (r *processSource) show(s *session, o *object, out *provider.ObjectWriter, p *process, err error) {
	if p.unread = err; err != nil {
		s.miss(err)
		r.showUnread(s, o, out, p, err)
		return
	}

	p.folded = r.folded.known && r.cur.isKernel()
	p.shown = !r.withMemory || r.cur.hasMemory()
	switch {
	case !p.shown:
	case p.folded:
		p.position = r.folded.position
		r.folded.add(p, &r.cur)
	default:
		r.totals.add(&p.inTotal, &r.cur)
		p.position = r.next
		r.write(o, out, p.name)
	}
}

// showUnread writes a process that is there and could not be read: what it was in
// the last sample, without figures. There is no total of all in this one.
func (r *processSource) showUnread(s *session, o *object, out *provider.ObjectWriter, p *process, err error) {
	r.totals.lackAll(err)
	switch {
	case p.folded:
		p.position = r.folded.position
		r.folded.totals.lackAll(err)
	case p.shown:
		r.cur.reset()
		r.cur.lack(^fields(0), err)
		p.identify(s, &r.cur)
		p.position = r.next
		r.write(o, out, p.name)
	}
}

// write writes an instance with the figures in r.cur.
func (r *processSource) write(o *object, out *provider.ObjectWriter, name string) {
	out.Instance(provider.Instance{Name: name})
	o.write(out, &r.cur)
	r.next++
}

// writeIdle writes the instance that stands for the idle time of all
// processors.
func (r *processSource) writeIdle(s *session, o *object, out *provider.ObjectWriter) {
	v := &r.cur
	v.reset()
	v.set(procID, 0)
	v.set(procStarted, uint64(s.boot))

	if o.wanted&(procUser|procSystem|procThreads) != 0 {
		stat, err := s.stat()
		switch {
		case err != nil:
			v.failed = procUser | procSystem | procThreads
		case s.kernel.idleStarted:
			v.set(procUser, 0) // all of it is in the kernel
			v.set(procSystem, s.kernel.idle)
			v.set(procThreads, stat.sum(sysOnline))
		}
	}
	r.totals.add(&r.idle, v)
	r.write(o, out, "Idle")
}

// writeTotal writes the values of _Total.
func (r *processSource) writeTotal(s *session, o *object, out *provider.ObjectWriter, clock int64) {
	v := &r.cur
	v.reset()
	if s.hidden.are {
		r.totals.lackAll(errHidden)
	}
	r.totals.end(v)
	v.set(procID, 0)
	v.set(procStarted, uint64(clock))
	o.write(out, v)
}

// sample reads the wanted figures of the process with an id into r.cur. known
// is what had the id in the last sample, or nil. There is no process if it has
// ended. With an error there is one that cannot be read now.
func (r *processSource) sample(s *session, known *process, pid int, wanted fields) (*process, error) {
	if known != nil {
		err := r.read(s, known, wanted)
		if !isGone(err) {
			return known, err
		}
		// What was open belonged to a process that has ended. Another one may have its id now.
		r.forget(s, known)
	}

	p := r.remember(pid)
	err := r.read(s, p, wanted)
	if isGone(err) {
		r.forget(s, p)
		return nil, err
	}
	return p, err
}

// read reads a process, once more with all else closed where there were too few
// descriptors.
func (r *processSource) read(s *session, p *process, wanted fields) error {
	return s.twice(func() error { return p.read(s, &r.cur, wanted) }, func() error { return p.close(s) })
}

// readable is sample for a caller that has no use for a process that cannot be read.
func (r *processSource) readable(s *session, pid int, wanted fields) *process {
	p, err := r.sample(s, nil, pid, wanted)
	if p != nil && err != nil {
		r.forget(s, p)
		return nil
	}
	return p
}

// remember returns a process of which nothing is known but its id.
func (r *processSource) remember(pid int) *process {
	p := new(process)
	if n := len(r.free); n > 0 {
		p, r.free = r.free[n-1], r.free[:n-1]
	}
	p.begin(pid, r.kinds)
	return p
}

func (r *processSource) forget(s *session, p *process) {
	_ = p.close(s) // an error to close a file that was read has no meaning
	r.free = append(r.free, p)
}

func (r *processSource) close(s *session) error {
	var errs []error
	for _, list := range [...][]*process{r.live, r.now} {
		for _, p := range list {
			errs = append(errs, p.close(s))
		}
	}
	return errors.Join(errs...)
}
