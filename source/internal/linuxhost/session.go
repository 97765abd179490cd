package linuxhost

import (
	"cmp"
	"context"
	"slices"

	"github.com/winperf/winperf/provider"
)

// session is the opened provider. What several objects need is read once per
// query.
type session struct {
	reader
	units
	now     func() Times
	objects []*object

	boot      int64 // when the machine started, a FILETIME; read once, so that start times never move
	ahead     int64 // Times.Boot - Times.Monotonic when the session was opened, in ns
	suspended int64 // time suspended since, in ns

	queries uint64 // so far, with the opening

	// Of the current query.
	times    Times
	statRead bool
	statErr  error
	pidsRead bool
	pidsErr  error

	kernel kernelStat
	cpus   cpuFiles
	proc   Handle // the directory /proc
	pidBuf []int

	foldKernel bool
	groups     func(path string) bool // nil: all are wanted
	// the kernel does not tell the number of descriptors: they are counted
	countHandles bool
	listing      Listing

	files map[string]*sharedFile
	disks diskTable

	mountinfo file
	hidden    hidden
	missed    error // of the current query: what is there and could not be read
	reports   reports
}

func newSession(sys System) *session {
	s := &session{
		reader: reader{
			root: sys.Root(), limit: orDefault(sys.MaxOpen, 512), highest: Handle(sys.MaxHandle),
		},
		units: newUnits(
			uint64(orDefault(sys.TicksPerSecond, 100)), uint64(orDefault(sys.PageSize, 4096)),
		),
		now:        sys.Now,
		foldKernel: sys.FoldKernelThreads,
		groups:     sys.Groups,
		kernel:     newKernelStat(),
		cpus:       newCPUFiles(),
		files:      map[string]*sharedFile{},
		disks:      newDiskTable(),

		mountinfo: file{name: cmp.Or(sys.Mounts, "proc/self/mountinfo"), records: true},
	}

	s.queries++
	s.times = sys.Now()
	s.ahead = s.times.Boot - s.times.Monotonic
	s.boot = s.times.Clocks().Time100ns - s.times.Boot/100
	// The kernel's own start time is cut to seconds; some sandboxes give 0.
	if v, err := s.stat(); err == nil && v.sum(systemBootTime) != 0 {
		s.boot = unixEpoch + int64(v.sum(systemBootTime))*perSecond
	}
	return s
}

// orDefault returns n, or def where there is no n.
func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

// begin starts a query.
func (s *session) begin() {
	s.times = s.now()
	s.queries++
	s.statRead, s.pidsRead = false, false
	s.missed, s.short = nil, nil
	if d := s.times.Boot - s.times.Monotonic - s.ahead; d-s.suspended >= shortestSuspend {
		s.suspended = d
	}
}

// Collect implements [provider.Session].
func (s *session) Collect(ctx context.Context, q *provider.Query, w *provider.Writer) error {
	s.begin()
	s.plan(q)
	if q.Metadata {
		s.define(w)
		return nil
	}

	for _, o := range s.objects {
		if !o.included {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := o.collect(ctx, s, o, w); err != nil {
			return err
		}
	}
	s.report(w)
	return nil
}

// define writes the definitions of what is wanted.
func (s *session) define(w *provider.Writer) {
	for _, o := range s.objects {
		if o.included {
			w.Definitions(o.layout)
		}
	}
}

// plan takes up a query. Parents come along with their instances.
func (s *session) plan(q *provider.Query) {
	for _, o := range s.objects {
		o.plan(q)
	}
	for _, o := range s.objects {
		if p := s.object(o.parent); o.included && p != nil && !p.included {
			p.bring()
		}
	}
}

// object returns the object of a title index, nil if this system does not have
// it.
func (s *session) object(index uint32) *object {
	for _, o := range s.objects {
		if o.Index == index && o.layout != nil {
			return o
		}
	}
	return nil
}

// Close implements [provider.Session].
func (s *session) Close() error {
	for _, o := range s.objects {
		if r, ok := o.source.(*mountSource); ok {
			r.rest()
		}
	}
	return s.closeAll()
}

// objectTime is the clock of objects that know start times: the time since
// boot, counted from when the machine started as a FILETIME.
func (s *session) objectTime() int64 { return s.boot + s.times.Boot/100 }

// timeAfter is that clock when an object has been read: what began meanwhile
// began before it.
func (s *session) timeAfter() int64 { return s.boot + s.now().Boot/100 }

// shortestSuspend is the least difference, in ns, that shows a suspended
// machine: the two clocks are not read in the same moment.
const shortestSuspend = 100_000_000

// stat returns what /proc/stat tells, read at most once per query.
func (s *session) stat() (*values, error) {
	if !s.statRead {
		s.statErr = s.kernel.read(s)
		s.statRead = true
	}
	return &s.kernel.values, s.statErr
}

// pids returns the ids of all visible processes in rising order, listed at
// most once per query.
func (s *session) pids() ([]int, error) {
	if !s.pidsRead {
		s.pidsErr = s.list()
		s.pidsRead = true
	}
	return s.pidBuf, s.pidsErr
}

func (s *session) list() (err error) {
	s.pidBuf = s.pidBuf[:0]
	if err = s.openProc(); err != nil {
		return err
	}
	if s.pidBuf, err = s.root.Processes(s.proc, s.pidBuf); err != nil {
		s.close(&s.proc)
		return s.judge(err)
	}
	slices.Sort(s.pidBuf) // cheap for what is sorted already, as the kernel's list is
	s.pidBuf = slices.Compact(s.pidBuf)
	s.hidden.look(s, s.pidBuf)
	return nil
}

func (s *session) openProc() error {
	if s.proc != 0 {
		return nil
	}
	h, err := s.root.Open(0, "proc")
	return s.opened(&s.proc, h, err)
}

// openProcess opens the directory of a process, if it is not open.
func (s *session) openProcess(p *process) error {
	if p.dir != 0 {
		return nil
	}
	if err := s.openProc(); err != nil {
		return err
	}
	h, err := s.root.Process(s.proc, p.number)
	return s.opened(&p.dir, h, err)
}
