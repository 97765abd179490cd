package linuxhost

import (
	"cmp"
	"context"
	"errors"
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

	shared sharedFiles
	disks  diskTable

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
		units: units{ticks: uint64(orDefault(sys.TicksPerSecond, 100)),
			page: uint64(orDefault(sys.PageSize, 4096))},
		now:        sys.Now,
		foldKernel: sys.FoldKernelThreads,
		groups:     sys.Groups,
		kernel:     kernelStat{file: file{name: "proc/stat"}, known: map[uint64]*processor{}},
		cpus:       newCPUFiles(),
		shared:     newSharedFiles(),
		disks:      diskTable{known: map[deviceID]*disk{}},

		mountinfo: file{name: cmp.Or(sys.Mounts, "proc/self/mountinfo"), records: true},
	}

	s.release = s.closeFiles
	s.hold()
	s.queries++
	s.times = sys.Now()
	s.ahead = s.times.Boot - s.times.Monotonic
	s.boot = s.times.Clocks().Time100ns - s.times.Boot/100
	// The kernel's own start time is cut to seconds; some sandboxes give 0.
	if v, err := s.stat(); err == nil && v.sum(sysBootTime) != 0 {
		s.boot = unixEpoch + int64(v.sum(sysBootTime))*perSecond
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
	s.missed = nil
	s.survey()
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
		if o.index == index && o.layout != nil {
			return o
		}
	}
	return nil
}

// Close implements [provider.Session].
func (s *session) Close() error { return s.closeOpen() }

// closeFiles closes all that is open. It is opened anew when it is needed.
func (s *session) closeFiles() { _ = s.closeOpen() } // what was only read has no error to tell

func (s *session) closeOpen() error {
	s.yield()
	errs := []error{s.close(&s.proc), s.close(&s.kernel.file.h), s.cpus.close(s), s.shared.close(s),
		s.disks.close(s), s.close(&s.mountinfo.h)}
	for _, o := range s.objects {
		errs = append(errs, o.source.close(s))
	}
	return errors.Join(errs...)
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
		return errors.Join(s.judge(err), s.close(&s.proc))
	}
	slices.Sort(s.pidBuf) // cheap for what is sorted already, as the kernel's list is
	s.pidBuf = slices.Compact(s.pidBuf)
	s.hidden.look(s, s.pidBuf)
	return nil
}

func (s *session) openProc() (err error) {
	if s.proc != 0 {
		return nil
	}
	h, err := s.root.Open(0, "proc")
	if s.makeRoom(err) {
		h, err = s.root.Open(0, "proc")
	}
	s.proc, err = s.openDirectory(h, err)
	return err
}

// openProcess opens the directory of a process.
func (s *session) openProcess(pid int) (Handle, error) {
	if err := s.openProc(); err != nil {
		return 0, err
	}
	return s.openDirectory(s.root.Process(s.proc, pid))
}

// openDirectory counts what was opened.
func (s *session) openDirectory(h Handle, err error) (Handle, error) {
	if err == nil {
		s.open++
	}
	return h, s.judge(err)
}
