// Package schedule computes the due times of samples, and provides clocks.
package schedule

import (
	"context"
	"errors"
	"time"
)

// DefaultInterval is the default time between two samples.
const DefaultInterval = time.Second

// Least is the shortest time between two samples for a rate, see measure.LeastInterval.
const Least = 10 * time.Millisecond

// Schedule computes the due times of samples of live sources: whole multiples of the interval since
// the first sample, so that the times do not drift.
//
// A late sample is taken at once. The next one is due at the first multiple at least half an
// interval later: rates over a shorter time would be mostly noise. Skipped samples are counted as
// missed.
//
// Two samples are never closer than [Least], from the end of the first to the start of the second;
// if necessary a sample is later than its multiple.
type Schedule struct {
	clock    Clock
	interval time.Duration
	lasts    time.Duration // 0: no limit
	end      time.Time     // zero: no end

	running      bool
	start        time.Duration // start of the first sample, by the clock's Elapsed
	began, ended time.Duration // of the latest sample, since start
	tick         int64         // multiple of the latest sample
	slow         bool          // the latest sample took more than half an interval
}

// Interval returns the interval for a requested one: at least Least, and DefaultInterval if it is
// not positive.
func Interval(requested time.Duration) time.Duration {
	if requested <= 0 {
		return DefaultInterval
	}
	return max(requested, Least)
}

// New returns a Schedule with an interval, see [Interval]. A nil clock is the system's.
func New(interval time.Duration, clock Clock) *Schedule {
	return &Schedule{clock: OrSystem(clock), interval: Interval(interval)}
}

// ErrOver reports that no further sample is due before the end of a schedule.
var ErrOver = errors.New("no further sample is due before the end")

// Limit sets the schedule's end: no sample is due more than lasts after the first one, or after
// end. A value of 0 or less, or the zero time, means no limit.
func (s *Schedule) Limit(lasts time.Duration, end time.Time) { s.lasts, s.end = lasts, end }

// Begin must be called directly before a sample, and End directly after it.
func (s *Schedule) Begin() {
	if !s.running {
		s.running, s.start = true, s.clock.Elapsed()
	}
	s.began = s.now()
}

// End records the end of a sample.
func (s *Schedule) End() { s.ended = s.now() }

// now returns the time since the start of the first sample.
func (s *Schedule) now() time.Duration { return s.clock.Elapsed() - s.start }

// due returns the time of a multiple of the interval.
func (s *Schedule) due(tick int64) time.Duration { return time.Duration(tick) * s.interval }

// Wait waits until the next sample is due or the context ends. It returns the number of samples
// missed since the latest one, and the delay of the next one. If no sample is due before the
// schedule's end, it returns ErrOver without waiting.
func (s *Schedule) Wait(ctx context.Context) (missed int, late time.Duration, err error) {
	next := s.next()
	if s.lasts > 0 && s.due(next) > s.lasts {
		return 0, 0, ErrOver
	}

	err = s.sleep(ctx, next, max(s.due(next), s.ended+Least))

	// Compute the delay after the wait, because a sleeper may wake up at any time.
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

// recheck is the time between two readings of the clock by a schedule that ends at a time of day.
// The clock may be set, and timers pause while the machine is suspended.
const recheck = 2 * time.Second

// sleep waits until begin, the time of the sample for tick, or until tick is after the end.
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

// over reports whether a multiple of the interval is after the end by the time of day.
func (s *Schedule) over(tick int64) bool {
	return !s.end.IsZero() && s.clock.Now().Add(s.due(tick)-s.now()).After(s.end)
}

// next returns the first multiple at least half an interval after the latest sample.
func (s *Schedule) next() int64 {
	half := s.interval - s.interval/2
	was := s.slow
	s.slow = s.ended-s.began > half

	// The time at which a long sample read its values is unknown, so it counts from its end. For
	// consecutive long samples the time between their starts counts, so that a slow source keeps its
	// interval.
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
