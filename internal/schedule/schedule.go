// Package schedule says when samples are due, and has the clocks that tell.
package schedule

import (
	"context"
	"errors"
	"time"
)

// DefaultInterval is the time between two samples where none is given.
const DefaultInterval = time.Second

// Least is the least time between two samples of which a rate is computed, see
// measure.LeastInterval.
const Least = 10 * time.Millisecond

// Schedule says when samples of live sources are due: at whole multiples of the
// interval since the first, so that the times do not drift.
//
// A sample that is late is taken at once. The next one comes at the first
// multiple that leaves at least half an interval: rates of a shorter time would
// be mostly noise. Those that became impossible are counted as missed.
//
// Two samples are never closer than [Least], from the end of the one to the
// beginning of the other: rather a sample comes later than its multiple.
type Schedule struct {
	clock    Clock
	interval time.Duration
	lasts    time.Duration // 0: without end
	end      time.Time     // zero: without end

	running      bool
	start        time.Duration // when the first sample was begun, by the clock's Elapsed
	began, ended time.Duration // of the last sample, since start
	tick         int64         // the multiple that the last sample was for
	slow         bool          // the last sample took more than half an interval
}

// Interval returns the time between two samples that is kept when one is asked for: at least
// Least, and DefaultInterval where that is not positive.
func Interval(asked time.Duration) time.Duration {
	if asked <= 0 {
		return DefaultInterval
	}
	return max(asked, Least)
}

// New returns a Schedule of an interval, see [Interval]. A nil clock is the system's.
func New(interval time.Duration, clock Clock) *Schedule {
	return &Schedule{clock: OrSystem(clock), interval: Interval(interval)}
}

// ErrOver tells that no further sample is due before the end of a schedule.
var ErrOver = errors.New("no further sample is due before the end")

// Limit gives the schedule an end: no sample is due later than that long after the first
// one, or after that time of day. What is not positive or zero is no end.
func (s *Schedule) Limit(lasts time.Duration, end time.Time) { s.lasts, s.end = lasts, end }

// Begin and End are called right before and after a sample is taken.
func (s *Schedule) Begin() {
	if !s.running {
		s.running, s.start = true, s.clock.Elapsed()
	}
	s.began = s.now()
}

// End notes that the sample has been taken.
func (s *Schedule) End() { s.ended = s.now() }

// now is the time since the first sample was begun.
func (s *Schedule) now() time.Duration { return s.clock.Elapsed() - s.start }

// due is when a multiple of the interval is.
func (s *Schedule) due(tick int64) time.Duration { return time.Duration(tick) * s.interval }

// Wait waits until the next sample is due or the context ends. It tells how many
// samples were missed since the last one, and how late the next one is. Where none is
// due before the schedule's end the error is ErrOver, and nothing is waited for.
func (s *Schedule) Wait(ctx context.Context) (missed int, late time.Duration, err error) {
	next := s.next()
	if s.lasts > 0 && s.due(next) > s.lasts {
		return 0, 0, ErrOver
	}

	err = s.sleep(ctx, next, max(s.due(next), s.ended+Least))

	// How late it is shows only now: a sleeper may wake up at any time.
	late = max(0, s.now()-s.due(next))
	next += int64(late / s.interval)
	late %= s.interval

	missed = int(next - s.tick - 1)
	s.tick = next
	if err == nil && s.over(next) {
		err = ErrOver
	}
	return missed, late, err
}

// recheck is how often a schedule that ends at a time of day looks at the clock again.
// The clock may be set, and timers stand still while the machine is suspended.
const recheck = 2 * time.Second

// sleep waits until the sample of a multiple of the interval is to begin, or until that
// turns out to be behind the end.
func (s *Schedule) sleep(ctx context.Context, tick int64, begin time.Duration) error {
	if s.end.IsZero() {
		return Sleep(ctx, s.clock, begin-s.now())
	}
	for !s.over(tick) {
		left := begin - s.now()
		if err := Sleep(ctx, s.clock, min(left, recheck)); err != nil || left <= recheck {
			return err
		}
	}
	return ErrOver
}

// over reports whether a multiple of the interval is behind the end by the time of day.
func (s *Schedule) over(tick int64) bool {
	return !s.end.IsZero() && s.clock.Now().Add(s.due(tick)-s.now()).After(s.end)
}

// next returns the first multiple that leaves half an interval since the last
// sample.
func (s *Schedule) next() int64 {
	half := s.interval - s.interval/2
	was := s.slow
	s.slow = s.ended-s.began > half

	// It is unknown when within a long sample its values were read: it counts from its
	// end. Of one long sample after another the time between their beginnings tells, so
	// that a slow source keeps its pace.
	last := s.began
	if s.slow && !was || s.ended >= s.due(s.tick+1) {
		last = s.ended
	}

	tick := int64((last + half) / s.interval)
	if s.due(tick) < last+half {
		tick++
	}
	return max(tick, s.tick+1)
}
