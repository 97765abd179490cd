package schedule

import (
	"time"

	"golang.org/x/sys/unix"
)

// suspended returns for how long the machine was suspended since it was started,
// or less if the program is stopped meanwhile: one clock goes on, the other not.
func suspended() time.Duration {
	var whole, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &whole) != nil ||
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil {
		return 0
	}
	return time.Duration(whole.Nano() - awake.Nano())
}
