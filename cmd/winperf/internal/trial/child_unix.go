//go:build unix

package trial

import (
	"os"
	"runtime"
	"syscall"
)

func requestEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

func systemUsage(x *Exit, state *os.ProcessState) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}

	x.Known = true
	x.PeakMemory = peakMemory(usage)
	x.Voluntary, x.Involuntary = uint64(usage.Nvcsw), uint64(usage.Nivcsw)
	x.MajorFaults = uint64(usage.Majflt)
}

// peakMemory returns the largest memory of one of the processes, in bytes. A process starts with the
// memory of its parent as peak; a value not above that is unknown, and 0.
func peakMemory(usage *syscall.Rusage) uint64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil || usage.Maxrss <= own.Maxrss {
		return 0
	}
	if runtime.GOOS == "darwin" { // which reports bytes
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) * 1024
}
