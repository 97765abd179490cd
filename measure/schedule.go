package measure

import (
	"context"
	"time"
)

// Schedule says when samples of live sources are due: at whole multiples of the
// interval since the first, so that the times do not drift.
//
// A sample that is late is taken at once. The next one comes at the first
// multiple that leaves at least half an interval: rates of a shorter time would
// be mostly noise. Those that became impossible are counted as missed.
type Schedule struct {
	clock    Clock
	interval time.Duration

	running      bool
	start        time.Duration // when the first sample was begun, by the clock's Elapsed
	began, ended time.Duration // of the last sample, since start
	tick         int64         // the multiple that the last sample was for
	slow         bool          // the last sample took more than half an interval
}

// NewSchedule returns a Schedule. An interval that is not positive means
// DefaultInterval, a nil clock the system's.
func NewSchedule(interval time.Duration, clock Clock) *Schedule {
	if interval <= 0 {
		interval = DefaultInterval
	}
	return &Schedule{clock: orSystem(clock), interval: interval}
}

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
// samples were missed since the last one, and how late the next one is.
func (s *Schedule) Wait(ctx context.Context) (missed int, late time.Duration, err error) {
	next := s.next()
	err = sleep(ctx, s.clock, s.due(next)-s.now())

	// How late it is shows only now: whoever sleeps may wake up at any time.
	late = max(0, s.now()-s.due(next))
	next += int64(late / s.interval)
	late %= s.interval

	missed = int(next - s.tick - 1)
	s.tick = next
	return missed, late, err
}

// next returns the first multiple that leaves half an interval since the last
// sample.
func (s *Schedule) next() int64 {
	half := s.interval - s.interval/2
	was := s.slow
	s.slow = s.ended-s.began > half

	// Nobody knows when within a long sample its values were read: it counts from
	// its end. Of one long sample after another the time between their beginnings
	// tells, so that a slow source keeps its pace.
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
