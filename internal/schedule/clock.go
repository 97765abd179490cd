package schedule

import (
	"context"
	"sync/atomic"
	"time"
)

// Clock is what tells the time, see measure.Clock. The time of day and the time
// that passes are apart, since the one can be set and the other cannot.
type Clock interface {
	// Now is the time of day.
	Now() time.Time
	// Elapsed is how long ago some fixed moment was. It never goes back; whether
	// it stands still while the machine is suspended is up to the system.
	Elapsed() time.Duration
	// Timer returns a channel that gets a value when the time has passed, and
	// what gives the timer up.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// systemClock is the Clock where the options have none. What it waits for may come
// later by Elapsed: timers stand still while the machine is suspended.
type systemClock struct {
	start   time.Time
	asleep  func() time.Duration // for how long the machine was suspended so far
	longest atomic.Int64         // that asleep returned
	asked   atomic.Int64         // when asleep was asked last, by the time that passed awake
}

// unbroken is a time in which no suspension fits. All that a suspension is made of (programs and
// devices are stopped one by one and started again) takes milliseconds by the clock that stands
// still only in between.
const unbroken = 100 * time.Microsecond

func (c *systemClock) Now() time.Time { return time.Now() }

func (c *systemClock) Elapsed() time.Duration {
	awake := time.Since(c.start)

	// Asking takes two system calls, several times as long as the rest of a cheap sample's work.
	if asked := time.Duration(c.asked.Load()); asked == 0 || awake-asked >= unbroken {
		c.ask()
		c.asked.Store(int64(awake))
	}
	return awake + time.Duration(c.longest.Load())
}

// ask finds out for how long the machine was suspended. Two clocks are not read at once, so that
// it can seem to be less than before.
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

// SystemClock returns the clock of this system. On Linux the time that passes
// counts also while the machine is suspended.
func SystemClock() Clock { return &systemClock{start: time.Now(), asleep: suspended} }

// OrSystem returns the clock, or the system's where there is none.
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
