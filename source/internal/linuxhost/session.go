package linuxhost

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/winperf/winperf/provider"
)

// session reads files that several objects share once per query.
type session struct {
	reader
	units
	now     func() Times
	objects []*object

	boot      int64 // start of the machine, a FILETIME; constant, so that start times do not change
	ahead     int64 // Times.Boot - Times.Monotonic at opening, ns
	suspended int64 // since opening, ns

	queries uint64 // including the opening

	// For the current query:
	times    Times
	statRead bool
	statErr  error
	pidsRead bool
	pidsErr  error

	kernel kernelStat
	cpus   cpuFiles
	proc   Handle // /proc
	pidBuf []int

	foldKernel bool
	groups     func(path string) bool // nil shows all
	// the kernel does not report the number of descriptors
	countHandles bool
	listing      Listing

	files map[string]*sharedFile
	disks diskTable

	mountinfo file

	mountsBelow string // see System.MountsBelow
	hidden      hidden
	missed      error // last error that left values missing in the current query
	reports     reports
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

		mountsBelow: sys.MountsBelow,
		mountinfo:   file{name: cmp.Or(sys.Mounts, "proc/self/mountinfo"), records: true},
	}

	s.queries++
	s.times = sys.Now()
	s.ahead = s.times.Boot - s.times.Monotonic
	btime := uint64(0)
	if v, err := s.stat(); err == nil {
		btime = v.sum(systemBootTime)
	}
	s.boot = machineStart(sys.Now, btime)
	return s
}

// machineStart returns the start of the machine, a FILETIME, from the clocks. They are read one after the
// other, so the smallest difference is the most exact; all sessions get the same time because it is
// rounded down to 0.1 ms. btime, of /proc/stat, is in seconds rounded down, and 0 in some sandboxes.
// If it differs, the files are of a system with other clocks, and btime is returned.
func machineStart(now func() Times, btime uint64) int64 {
	const (
		readings = 5
		rounding = perSecond / 10_000
	)
	boot := int64(math.MaxInt64)
	for range readings {
		t := now()
		boot = min(boot, t.Clocks().Time100ns-t.Boot/100)
	}
	boot -= boot % rounding

	known := unixEpoch + int64(btime)*perSecond
	if btime != 0 && (boot < known-perSecond || boot >= known+2*perSecond) {
		return known
	}
	return boot
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

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
	s.choose(q)
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

func (s *session) define(w *provider.Writer) {
	for _, o := range s.objects {
		if o.included {
			w.Definitions(o.layout)
		}
	}
}

// choose includes parents with their instances.
func (s *session) choose(q *provider.Query) {
	for _, o := range s.objects {
		o.choose(q)
	}
	for _, o := range s.objects {
		if p := s.object(o.parent); o.included && p != nil && !p.included {
			p.includeIdentity()
		}
	}
}

// object returns an object, or nil if this system does not have it.
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
			r.stop()
		}
	}
	return s.closeAll()
}

// objectTime is the clock of objects with start times, a FILETIME counted from boot.
func (s *session) objectTime() int64 { return s.boot + s.times.Boot/100 }

// timeAfter is this clock after reading, so that no start time is later.
func (s *session) timeAfter() int64 { return s.boot + s.now().Boot/100 }

// shortestSuspend is in ns. The two clocks are not read at the same moment.
const shortestSuspend = 100_000_000

// stat reads /proc/stat once per query.
func (s *session) stat() (*values, error) {
	if !s.statRead {
		s.statErr = s.kernel.read(s)
		s.statRead = true
	}
	return &s.kernel.values, s.statErr
}

// pids lists the visible processes once per query, ascending.
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
		return s.noteShort(err)
	}
	slices.Sort(s.pidBuf) // fast if sorted, as usual
	s.pidBuf = slices.Compact(s.pidBuf)
	s.hidden.update(s, s.pidBuf)
	return nil
}

func (s *session) openProc() error {
	if s.proc != 0 {
		return nil
	}
	h, err := s.root.Open(0, "proc")
	return s.opened(&s.proc, h, err)
}

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
