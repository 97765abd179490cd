package linuxhost

import (
	"context"
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// Times are readings of the kernel's clocks at the same moment, in ns.
type Times struct {
	Boot      int64 // CLOCK_BOOTTIME: since boot, including suspended time
	Monotonic int64 // CLOCK_MONOTONIC: since boot, without suspended time
	Real      int64 // CLOCK_REALTIME: since 1970-01-01 UTC
}

const unixEpoch = 116_444_736_000_000_000

// Clocks returns the clocks of a sample. PerfTime counts 100 ns since boot.
func (t Times) Clocks() counter.Clocks {
	return counter.Clocks{PerfTime: t.Boot / 100, PerfFreq: perSecond, Time100ns: unixEpoch + t.Real/100}
}

// System configures a [Host].
type System struct {
	// Root returns a new root for a session. Calls may be concurrent. Required.
	Root func() Root
	Now  func() Times // reads the clocks; calls may be concurrent; required
	// TicksPerSecond is the unit of times in /proc (AT_CLKTCK); 0 means 100.
	TicksPerSecond int
	// PageSize is in bytes (AT_PAGESZ); 0 means 4096.
	PageSize int
	// MaxOpen limits the files and directories that stay open; 0 means 512. Others are opened for
	// each reading.
	MaxOpen int
	// MaxHandle is the highest handle that stays open; 0 means no limit. Higher descriptors remain
	// for the program.
	MaxHandle int
	// FoldKernelThreads combines all kernel threads into one instance of Process, System.
	FoldKernelThreads bool
	// Groups reports whether to show a control group such as "/user.slice" and the groups below it;
	// nil shows all. It is called once for each group except the root.
	Groups func(path string) bool
	// Mounts is the file that lists mounts, relative to the root; "" means proc/self/mountinfo.
	Mounts string
	// MountsBelow is a directory that is removed from mount points; others are omitted.
	MountsBelow string
}

// Options configure [New].
type Options struct {
	// Files are the directories to read; the zero value means /, /proc and /sys.
	Files winperf.HostFiles
	// FoldKernelThreads combines all kernel threads into one instance of Process, System.
	FoldKernelThreads bool
	// Groups reports whether to show a control group such as "/user.slice" and the groups below it;
	// nil shows all. It is called once for each group except the root.
	Groups func(path string) bool
}

// Host provides the objects of a Linux host. It is immutable and may be shared by dispatchers.
type Host struct{ sys System }

// NewHost returns a provider for sys.
func NewHost(sys System) *Host { return &Host{sys: sys} }

// Name implements [provider.Provider].
func (h *Host) Name() string { return "linuxhost" }

// Objects implements [provider.Provider]. It includes counters that this kernel lacks.
func (h *Host) Objects() (all []*provider.Object) {
	for _, sp := range specs() {
		all = append(all, &sp.Object)
	}
	return all
}

// Open implements [provider.Provider]. The error wraps [winperf.ErrNotSupported] if this system has
// no counters.
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

	if s.short != nil { // detection was incomplete
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
