// Package schedule determines when samples are due, and provides clocks.
package schedule

import (
	"context"
	"errors"
	"time"
)

// DefaultInterval is the default time between two samples.
const DefaultInterval = time.Second

// Least is the least time between two samples for a rate, see measure.LeastInterval.
const Least = 10 * time.Millisecond

// Schedule determines when samples of live sources are due: at whole multiples of the
// interval since the first, so that the times do not drift.
//
// A late sample is taken at once. The next one is due at the first multiple at least half
// an interval later, because rates of a shorter time would be noisy. Skipped multiples are
// counted as missed.
//
// Two samples are at least [Least] apart, from the end of one to the beginning of the next,
// even if that delays the next one.
type Schedule struct {
	clock    Clock
	interval time.Duration
	lasts    time.Duration // 0: unlimited
	end      time.Time     // zero: unlimited

	running      bool
	start        time.Duration // begin of the first sample, by the clock's Elapsed
	began, ended time.Duration // of the last sample, since start
	tick         int64         // the multiple of the last sample
	slow         bool          // the last sample took more than half an interval
}

// Interval returns the effective interval: at least Least, and DefaultInterval if not
// positive.
func Interval(requested time.Duration) time.Duration {
	if requested <= 0 {
		return DefaultInterval
	}
	return max(requested, Least)
}

// New returns a Schedule of an interval, see [Interval]. A nil clock is the system's.
func New(interval time.Duration, clock Clock) *Schedule {
	return &Schedule{clock: OrSystem(clock), interval: Interval(interval)}
}

// ErrOver means that no further sample is due before the end of a schedule.
var ErrOver = errors.New("no further sample is due before the end")

// Limit sets an end: no sample is due later than lasts after the first one, or after the
// time of day end. Values that are not positive or zero are no limit.
func (s *Schedule) Limit(lasts time.Duration, end time.Time) { s.lasts, s.end = lasts, end }

// Begin and End must be called before and after each sample.
func (s *Schedule) Begin() {
	if !s.running {
		s.running, s.start = true, s.clock.Elapsed()
	}
	s.began = s.now()
}

// End registers the end of a sample.
func (s *Schedule) End() { s.ended = s.now() }

func (s *Schedule) now() time.Duration { return s.clock.Elapsed() - s.start }

func (s *Schedule) due(tick int64) time.Duration { return time.Duration(tick) * s.interval }

// Wait waits until the next sample is due or the context ends. It returns how many samples
// were missed since the last one, and how late the next one is. If none is due before the
// schedule's end it returns ErrOver at once.
func (s *Schedule) Wait(ctx context.Context) (missed int, late time.Duration, err error) {
	next := s.next()
	if s.lasts > 0 && s.due(next) > s.lasts {
		return 0, 0, ErrOver
	}

	err = s.sleep(ctx, next, max(s.due(next), s.ended+Least))

	// The lateness is known only now: the system may wake up sleepers late.
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

// recheck is how often a schedule with an end by time of day checks the clock, which may be
// set. Timers stop while the machine is suspended.
const recheck = 2 * time.Second

// sleep waits until the sample of a multiple of the interval is due, or that is behind the
// end.
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

// next returns the first multiple at least half an interval after the last sample.
func (s *Schedule) next() int64 {
	half := s.interval - s.interval/2
	was := s.slow
	s.slow = s.ended-s.began > half

	// A long sample counts from its end, because the time of its values is unknown.
	// Consecutive long samples count from their beginning, so that a slow source keeps its
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
