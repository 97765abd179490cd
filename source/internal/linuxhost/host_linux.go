package linuxhost

import (
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf/counter"
)

// New returns the provider of this machine's objects.
func New(opt Options) (*Host, error) {
	root := opt.Root
	if root == "" {
		root = "/"
	}

	if _, err := os.Stat(root + "/proc"); err != nil {
		return nil, fmt.Errorf("objects of the Linux host: %w", err)
	}
	files, highest := maxOpen()
	sys := System{
		Root: func() Root { return newRoot(root) }, Now: now, PageSize: os.Getpagesize(),
		MaxOpen: files, MaxHandle: highest,
		FoldKernelThreads: opt.FoldKernelThreads, Groups: opt.Groups,
	}

	if root != "/" {
		sys.Mounts = "proc/1/mountinfo" // our own mounts are not those of the system that is mounted there
	}
	const clockTick = 17   // AT_CLKTCK of the auxiliary vector, getauxval(3)
	auxv, _ := unix.Auxv() // without one the usual 100 holds
	for _, entry := range auxv {
		if entry[0] == clockTick {
			sys.TicksPerSecond = int(entry[1])
		}
	}
	return NewHost(sys), nil
}

// Clocks reads this machine's clocks.
func Clocks() counter.Clocks { return now().Clocks() }

// now reads the clocks one right after the other.
func now() Times { return readTogether(readClock) }

// readTogether reads the clocks, and again if the program stood still between
// them: what they are apart would look like a time for which the machine was
// suspended, or by which its system time was set.
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

// readClock returns a clock's nanoseconds. Every kernel that Go runs on has
// the three clocks.
func readClock(id int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0
	}
	return t.Nano()
}

// maxOpen returns how many files a session may keep open, and the highest
// descriptor that it may keep: half of what the process may open. The kernel
// keeps a page of memory for each file of /proc that has been read, so that there
// are no more than 8,192.
func maxOpen() (files, highest int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, 0
	}
	highest = int(min(limit.Cur/2, math.MaxInt32))
	return min(highest, 8192), highest
}
