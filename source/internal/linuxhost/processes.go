package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// processSource reads an object of processes.
type processSource struct {
	keeper[process, *process]
	kinds     []*fileTable // stat first
	allFields fields
	// withMemory omits Idle and processes without memory.
	withMemory bool

	live   []*process // of the last sample, by ascending id
	totals totals
	idle   values
	folded folded
	next   uint32 // next position
	total  uint32 // position of _Total
}

func newProcessSource(sp *spec) source {
	r := &processSource{
		kinds: sp.files, withMemory: sp.Costly,
		totals: totals{sums: sp.sums}, folded: folded{totals: totals{sums: sp.sums}},
	}
	r.begin = func(p *process, pid int) { p.begin(pid, r.kinds) }
	for i := range sp.rows {
		r.allFields |= sp.rows[i].from
	}
	return r
}

// probe reads this process, or all if /proc does not show it.
func (r *processSource) probe(s *session) (available fields) {
	all := r.allFields
	if !delaysCounted(s) {
		all &^= procBlockDelay
	}

	for _, pid := range probedProcesses(s) {
		available |= r.probeOne(s, pid) & all
		if all&^available&procHandles != 0 {
			available |= r.probeHandles(s, pid)
		}
		if available == all {
			break
		}
	}

	if s.foldKernel && !r.withMemory {
		r.findKernelThreads(s)
	}
	return available
}

func probedProcesses(s *session) []int {
	if pid, ok := ownID(s); ok {
		return []int{pid}
	}
	pids, _ := s.pids() // on error, empty
	return pids
}

// probeOne reads files one at a time, because a missing file would mean an ended process.
func (r *processSource) probeOne(s *session, pid int) (available fields) {
	for _, t := range r.kinds {
		if p := r.readable(s, pid, t.provides); p != nil {
			r.forget(s, p)
			available |= r.cur.have
		}
	}
	return available
}

// probeHandles sets s.countHandles. A process without descriptors proves nothing.
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

// ownID returns this process's id in the PID namespace of /proc.
func ownID(s *session) (pid int, ok bool) {
	text, _ := s.readOnce("proc/self/stat") // on error, no number
	word, _ := cutWord(text)
	n, ok := decimal(word)
	return int(n), ok && n <= maxID
}

// delaysCounted reports whether the kernel counts delays; otherwise it shows 0. Before Linux 5.14
// this is unknown.
func delaysCounted(s *session) bool {
	text, err := s.readOnce("proc/sys/kernel/task_delayacct")
	return err == nil && bytes.HasPrefix(text, []byte{'1'})
}

func (r *processSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	pids, err := s.pids()
	if err != nil {
		s.noteMissed(err)
		return nil // omit the object
	}

	out := w.Object(o.layout)
	r.totals.begin()
	r.folded.begin()
	r.next = 0

	// The first instance of several with the same name has no number, and no process may take it.
	// These values follow when all processes are known.
	if !r.withMemory {
		r.writeIdle(s, o, &out)
	}

	r.total = r.next
	total := r.reserve(&out, "_Total")
	if r.folded.known {
		r.folded.position = r.next
		r.folded.place = r.reserve(&out, "System")
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

// reserve begins an instance whose values follow later.
func (r *processSource) reserve(out *provider.ObjectWriter, name string) provider.Place {
	out.Instance(provider.Instance{Name: name})
	r.next++
	return out.Place()
}

func (r *processSource) walk(ctx context.Context, s *session, o *object, out *provider.ObjectWriter,
	pids []int) error {
	return r.follow(ctx, s, &r.live, pids, func(pid int) int { return pid }, o.needed,
		func(p *process, err error) bool {
			r.show(s, o, out, p, err)
			return true
		})
}

// show writes a process with the values in r.cur, or a read error. It notes its form for samples in
// which it cannot be read.
func (r *processSource) show(s *session, o *object, out *provider.ObjectWriter, p *process, err error) {
	p.unread = err
	if err != nil {
		s.noteMissed(err)
		r.showUnread(s, o, out, p, err)
		return
	}

	p.folded = r.folded.known && r.cur.isKernel()
	p.shown = !r.withMemory || r.cur.hasMemory()
	switch {
	case !p.shown: // not in totals
	case p.folded:
		p.position = r.folded.position
		r.folded.add(p, &r.cur)
	default:
		r.totals.add(&p.inTotal, &r.cur)
		p.position = r.next
		r.write(o, out, p.name)
	}
}

// showUnread repeats the instance of the last sample without values. The total is missing.
func (r *processSource) showUnread(s *session, o *object, out *provider.ObjectWriter, p *process, err error) {
	r.totals.markAllMissing(err)
	switch {
	case p.folded:
		p.position = r.folded.position
		r.folded.totals.markAllMissing(err)
	case p.shown:
		r.cur.reset()
		r.cur.markMissing(^fields(0), err)
		p.identify(s, &r.cur)
		p.position = r.next
		r.write(o, out, p.name)
	}
}

func (r *processSource) write(o *object, out *provider.ObjectWriter, name string) {
	out.Instance(provider.Instance{Name: name})
	o.write(out, &r.cur)
	r.next++
}

func (r *processSource) writeIdle(s *session, o *object, out *provider.ObjectWriter) {
	v := &r.cur
	v.reset()
	v.set(procID, 0)
	v.set(procStarted, uint64(s.boot))

	if o.needed&(procUser|procSystem|procThreads) != 0 {
		stat, err := s.stat()
		switch {
		case err != nil:
			v.failed = procUser | procSystem | procThreads
		case s.kernel.idleStarted:
			v.set(procUser, 0) // all is kernel time
			v.set(procSystem, s.kernel.idle)
			v.set(procThreads, stat.sum(systemOnline))
		}
	}
	r.totals.add(&r.idle, v)
	r.write(o, out, "Idle")
}

func (r *processSource) writeTotal(s *session, o *object, out *provider.ObjectWriter, clock int64) {
	v := &r.cur
	v.reset()
	if s.hidden.are {
		r.totals.markAllMissing(errHidden)
	}
	r.totals.end(v)
	v.set(procID, 0)
	v.set(procStarted, uint64(clock))
	o.write(out, v)
}
