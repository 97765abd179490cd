//go:build unix

package trial

import (
	"os"
	"runtime"
	"syscall"
)

func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// systemUsage adds what getrusage(2) says of the program and of its children that were waited
// for.
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

// peakMemory is the most memory that one of the processes held, in bytes. A process begins with the
// memory of the one that starts it, which then is its peak: no more than that tells nothing, and is 0.
func peakMemory(usage *syscall.Rusage) uint64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil || usage.Maxrss <= own.Maxrss {
		return 0
	}
	if runtime.GOOS == "darwin" { // which counts bytes
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) * 1024
}
