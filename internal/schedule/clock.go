package schedule

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock measures time, see measure.Clock. Now may jump when the system time is set; Elapsed does
// not.
type Clock interface {
	// Now returns the time of day.
	Now() time.Time
	// Elapsed returns the time since a fixed moment. It never goes back. The system decides whether
	// it advances while the machine is suspended.
	Elapsed() time.Duration
	// Timer returns a channel that receives a value after d, and a function that stops the timer.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// systemClock is the default Clock. By Elapsed its timers may fire late, because they pause while
// the machine is suspended.
type systemClock struct {
	start   time.Time
	asleep  func() time.Duration // total time of suspensions
	longest atomic.Int64         // largest result of asleep
	asked   atomic.Int64         // time of the latest call of asleep, without suspensions
}

// unbroken is shorter than any suspension. Stopping and starting programs and devices takes
// milliseconds even by a clock that pauses in between.
const unbroken = 100 * time.Microsecond

func (c *systemClock) Now() time.Time { return time.Now() }

func (c *systemClock) Elapsed() time.Duration {
	awake := time.Since(c.start)

	// The two system calls take several times as long as the rest of a cheap sample.
	if asked := time.Duration(c.asked.Load()); asked == 0 || awake-asked >= unbroken {
		c.ask()
		c.asked.Store(int64(awake))
	}
	return awake + time.Duration(c.longest.Load())
}

// ask updates the time of suspensions. It reads two clocks one after the other, so a result can be
// lower than the previous one.
func (c *systemClock) ask() {
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

// SystemClock returns the clock of this system. On Linux, Elapsed includes the time of suspensions.
func SystemClock() Clock { return &systemClock{start: time.Now(), asleep: suspended} }

// OrSystem returns c, or the system's clock if c is nil.
func OrSystem(c Clock) Clock {
	if c == nil {
		return SystemClock()
	}
	return c
}

// Sleep waits for d or until the context ends.
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
