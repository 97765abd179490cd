package schedule

import (
	"time"

	"golang.org/x/sys/unix"
)

// suspended returns the time for which the machine was suspended since its start. It is lower if
// the program is stopped between reading the two clocks.
func suspended() time.Duration {
	var whole, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &whole) != nil ||
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	return time.Duration(whole.Nano() - awake.Nano())
}
