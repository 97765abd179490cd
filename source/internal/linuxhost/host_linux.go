package linuxhost

import (
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/hostfiles"
)

// New returns a provider of a machine's objects. It fails if one of opt.Files is no directory.
func New(opt Options) (*Host, error) {
	files, err := hostfiles.Open(opt.Files)
	if err != nil {
		return nil, err
	}

	open, highest := maxOpen()
	sys := System{
		Root: func() Root { return newRoot(files) }, Now: now, PageSize: os.Getpagesize(),
		MaxOpen: open, MaxHandle: highest,
		FoldKernelThreads: opt.FoldKernelThreads, Groups: opt.Groups,
	}
	sys.Mounts, sys.MountsBelow = files.Mounts("mountinfo")
	const clockTick = 17   // AT_CLKTCK, getauxval(3)
	auxv, _ := unix.Auxv() // on failure the default applies
	for _, entry := range auxv {
		if entry[0] == clockTick {
			sys.TicksPerSecond = int(entry[1])
		}
	}
	return NewHost(sys), nil
}

// Clocks reads this machine's clocks.
func Clocks() counter.Clocks { return now().Clocks() }

func now() Times { return readTogether(readClock) }

// readTogether reads the clocks again if the program was interrupted, because the gap would look
// like suspended time or a clock change.
func readTogether(read func(id int32) int64) (t Times) {
	const (
		tries   = 10
		longest = time.Millisecond
	)
	for range tries {
		t = Times{
			Boot:      read(unix.CLOCK_BOOTTIME),
			Monotonic: read(unix.CLOCK_MONOTONIC),
			Real:      read(unix.CLOCK_REALTIME),
		}
		if read(unix.CLOCK_BOOTTIME)-t.Boot <= int64(longest) {
			break
		}
	}
	return t
}

// readClock returns ns. All kernels that Go supports have the three clocks.
func readClock(id int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0
	}
	return t.Nano()
}

// maxOpen returns the limits of open files and of descriptors: half of the process's limit. The
// kernel keeps a page for each open file of /proc, so files is at most 8,192.
func maxOpen() (files, highest int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, 0
	}
	highest = int(min(limit.Cur/2, math.MaxInt32))
	return min(highest, 8192), highest
}
