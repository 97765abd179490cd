package schedule

import (
	"time"

	"golang.org/x/sys/unix"
)

// suspended returns how long the machine was suspended since its start. It may be less if
// the program is stopped between the two calls.
func suspended() time.Duration {
	var whole, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &whole) != nil ||
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	return time.Duration(whole.Nano() - awake.Nano())
}
