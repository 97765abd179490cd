package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// processSource reads the Process object, or another one of processes.
type processSource struct {
	keeper[process, *process]
	kinds   []*fileTable // the file stat first, which identifies the process
	figures fields       // of all counters
	// withMemory says that only processes with memory of their own are shown, and no Idle.
	withMemory bool

	live   []*process // of the last sample, by rising id
	totals totals
	idle   values // what the total has seen of Idle
	folded folded
	next   uint32 // position of the next instance in the sample
	total  uint32 // that of _Total
}

func newProcessSource(sp *spec) source {
	r := &processSource{
		kinds: sp.files, withMemory: sp.Costly,
		totals: totals{sums: sp.sums}, folded: folded{totals: totals{sums: sp.sums}},
	}
	r.begin = func(p *process, pid int) { p.begin(pid, r.kinds) }
	for i := range sp.rows {
		r.figures |= sp.rows[i].from
	}
	return r
}

// probe looks at the process that reads, whose every file is open to it.
// Where /proc does not show it, it looks at all processes that are shown.
func (r *processSource) probe(s *session) (given fields) {
	all := r.figures
	if !delaysCounted(s) {
		all &^= procBlockDelay
	}

	for _, pid := range exemplars(s) {
		given |= r.probeOne(s, pid) & all
		if all&^given&procHandles != 0 {
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
	for _, t := range r.kinds {
		if p := r.readable(s, pid, t.gives); p != nil {
			r.forget(s, p)
			given |= r.cur.have
		}
	}
	return given
}

// probeHandles finds out how the kernel tells the number of descriptors, and leaves it in
// s.countHandles. A process that has none tells nothing.
func (r *processSource) probeHandles(s *session, pid int) fields {
	for _, count := range []bool{false, true} {
		s.countHandles = count
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
	text, _ := s.readOnce("proc/self/stat") // what cannot be read has no number
	word, _ := cutWord(text)
	n, ok := decimal(word)
	return int(n), ok && n <= maxID
}

// delaysCounted reports whether the kernel counts what delays threads. Where it
// does not, its figures are 0, which looks like no delay. Before Linux 5.14
// there is no way to know.
func delaysCounted(s *session) bool {
	text, err := s.readOnce("proc/sys/kernel/task_delayacct")
	return err == nil && bytes.HasPrefix(text, []byte{'1'})
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

	// Instances that are not processes come first, so that no process of that name can
	// take their place: of several of one name the first is the one without a number.
	// Their values follow when those of all others are known.
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
	return r.follow(ctx, s, &r.live, pids, func(pid int) int { return pid }, o.wanted,
		func(p *process, err error) bool {
			r.show(s, o, out, p, err)
			return true
		})
}

// show writes a process, of which r.cur has the figures unless there was an error. It notes how
// the process is shown, for samples in which it cannot be read.
func (r *processSource) show(s *session, o *object, out *provider.ObjectWriter, p *process, err error) {
	p.unread = err
	if err != nil {
		s.miss(err)
		r.showUnread(s, o, out, p, err)
		return
	}

	p.folded = r.folded.known && r.cur.isKernel()
	p.shown = !r.withMemory || r.cur.hasMemory()
	switch {
	case !p.shown: // not in the totals either
	case p.folded: // as part of the instance System
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
			v.set(procThreads, stat.sum(systemOnline))
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
