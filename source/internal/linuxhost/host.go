package linuxhost

import (
	"context"
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// Times are readings of the kernel's clocks in nanoseconds, taken at once.
type Times struct {
	Boot      int64 // CLOCK_BOOTTIME: since the start, with the time suspended
	Monotonic int64 // CLOCK_MONOTONIC: since the start, without it
	Real      int64 // CLOCK_REALTIME: since 1970-01-01 UTC
}

// unixEpoch is 1970-01-01 UTC as FILETIME.
const unixEpoch = 116_444_736_000_000_000

// Clocks returns the clocks of a sample: PerfTime is the time since the start
// of the machine in 100 ns, Time100ns the wall clock.
func (t Times) Clocks() counter.Clocks {
	return counter.Clocks{PerfTime: t.Boot / 100, PerfFreq: perSecond, Time100ns: unixEpoch + t.Real/100}
}

// System is what a [Host] reads.
type System struct {
	// Root makes the root that a session reads through, where /proc and /sys are.
	// No two sessions have the same one, as a root has buffers of its own; the
	// function may be called by several goroutines at a time. Required.
	Root func() Root
	Now  func() Times // reads the clocks, likewise; required
	// TicksPerSecond is the unit of times in /proc (AT_CLKTCK); 0 means 100.
	TicksPerSecond int
	// PageSize is the size of a page of memory in bytes (AT_PAGESZ); 0 means 4096.
	PageSize int
	// MaxOpen is how many files and directories are kept open; 0 means 512.
	// What is beyond is opened and closed for each reading, which is slower.
	MaxOpen int
	// MaxHandle is the highest handle that is kept open: the descriptors above it
	// are for whatever else the program opens, and for what is opened for a single
	// reading. 0 means no bound.
	MaxHandle int
	// FoldKernelThreads has one instance of Process, System, stand for all
	// threads of the kernel's own.
	FoldKernelThreads bool
	// Groups tells whether a control group such as "/user.slice" is shown, with
	// those below it; nil shows all. It is asked once for each group, and never
	// for the root.
	Groups func(path string) bool
	// Mounts is the file of the mounted file systems as the root has them; ""
	// means proc/self/mountinfo.
	Mounts string
}

// Options for [New].
type Options struct {
	// Root is the directory that holds proc and sys; "" means "/".
	Root string
	// FoldKernelThreads has one instance of Process, System, stand for all
	// threads of the kernel's own.
	FoldKernelThreads bool
	// Groups tells whether a control group such as "/user.slice" is shown, with
	// those below it; nil shows all. It is asked once for each group, and never
	// for the root.
	Groups func(path string) bool
}

// Host provides the objects of a Linux host. It implements
// [provider.Provider]. It does not change any more and may serve any number of
// dispatchers at a time: whatever changes belongs to one session.
type Host struct{ sys System }

// NewHost returns the provider of the system's objects.
func NewHost(sys System) *Host { return &Host{sys: sys} }

// Name implements [provider.Provider].
func (h *Host) Name() string { return "linuxhost" }

// Objects implements [provider.Provider]. It declares everything that some
// Linux kernel can give.
func (h *Host) Objects() (all []*provider.Object) {
	for _, sp := range specs() {
		all = append(all, &sp.Object)
	}
	return all
}

// Open implements [provider.Provider]. It finds out what this system gives. An
// error wraps [winperf.ErrNotSupported] when that is nothing.
func (h *Host) Open(ctx context.Context) (provider.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := newSession(h.sys)
	offered := false
	for _, sp := range specs() {
		o := &object{source: sp.source(sp), spec: sp}
		if err := o.open(s); err != nil {
			_ = s.Close()
			return nil, err
		}
		offered = offered || o.layout != nil
		s.objects = append(s.objects, o)
	}

	if s.short != nil { // what there is was not to be found out
		_ = s.Close()
		return nil, s.short
	}

	if !offered {
		_, err := s.stat()
		_ = s.Close()
		return nil, errors.Join(fmt.Errorf("cannot read /proc: %w", winperf.ErrNotSupported),
			err)
	}
	return s, nil
}
