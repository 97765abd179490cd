package schedule

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock measures time, see measure.Clock. The time of day may be set; elapsed time may not.
type Clock interface {
	// Now returns the time of day.
	Now() time.Time
	// Elapsed returns the time since some fixed moment. It never goes back; whether it
	// includes the time of a suspended machine depends on the system.
	Elapsed() time.Duration
	// Timer returns a channel that fires after a time, and a function that stops it.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// systemClock is the default Clock. Timers may fire late by Elapsed, because they stop
// while the machine is suspended.
type systemClock struct {
	start   time.Time
	asleep  func() time.Duration // how long the machine was suspended
	longest atomic.Int64         // the largest result of asleep
	checked atomic.Int64         // time of the last call of asleep, without suspensions
}

// unbroken is shorter than any suspension: stopping and starting programs and devices takes
// milliseconds of both clocks.
const unbroken = 100 * time.Microsecond

func (c *systemClock) Now() time.Time { return time.Now() }

func (c *systemClock) Elapsed() time.Duration {
	awake := time.Since(c.start)

	// asleep makes two system calls, which take several times as long as a cheap sample.
	if checked := time.Duration(c.checked.Load()); checked == 0 || awake-checked >= unbroken {
		c.updateSuspended()
		c.checked.Store(int64(awake))
	}
	return awake + time.Duration(c.longest.Load())
}

// updateSuspended updates how long the machine was suspended. The two clocks are not read at once, so
// the result may seem to decrease.
func (c *systemClock) updateSuspended() {
	asleep := int64(c.asleep())
	longest := c.longest.Load()
	for asleep > longest && !c.longest.CompareAndSwap(longest, asleep) {
		longest = c.longest.Load()
	}
}

func (c *systemClock) Timer(d time.Duration) (fired <-chan time.Time, stop func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// SystemClock returns the clock of this system. On Linux, elapsed time includes
// suspensions.
func SystemClock() Clock { return &systemClock{start: time.Now(), asleep: suspended} }

// OrSystem returns the clock, or the system's for nil.
func OrSystem(c Clock) Clock {
	if c == nil {
		return SystemClock()
	}
	return c
}

// Sleep waits for a time or until the context ends.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	fired, stop := c.Timer(d)
	defer stop()
	select {
	case <-fired:
	case <-ctx.Done():
	}
	return ctx.Err()
}
