package experiment

import (
	"context"
	"errors"
	"time"

	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
)

// Interval emits an event at every interval. Events that are late are not made up for: the next
// one's EventInfo.Missed counts them.
type Interval struct {
	Name string
	// Every is the interval, 10 ms at least; 0 means one second.
	Every time.Duration
	// Aligned has the events at whole multiples of the interval by the time of day in UTC, such as
	// at every full second, and by the new time where that was set. Otherwise the first one comes an
	// interval after the begin, so that its values are about an interval as those of all others.
	Aligned bool
}

// Describe implements [EventSource].
func (i Interval) Describe() EventSourceInfo {
	every := schedule.Interval(i.Every)
	info := EventSourceInfo{Name: i.Name, Kind: "interval", Events: []string{i.Name}, Interval: every}
	info.Detail = "every " + every.String()
	if i.Aligned {
		info.Detail += " by the clock"
	}
	return info
}

// WithInterval returns the source with another interval.
func (i Interval) WithInterval(d time.Duration) EventSource {
	i.Every = d
	return i
}

func (i Interval) check() error {
	if i.Every < 0 {
		return errors.New("expected an interval of more than 0")
	}
	return nil
}

// Run implements [EventSource].
func (i Interval) Run(ctx context.Context, out *Emitter) error {
	clock, missed := out.Clock(), 0
	for ctx.Err() == nil {
		if i.Aligned {
			if err := schedule.Sleep(ctx, clock, untilMultiple(clock.Now(), schedule.Interval(i.Every))); err != nil {
				return nil
			}
		}
		missed = i.ticks(ctx, out, newDrift(clock), missed)
	}
	return nil
}

// ticks emits events until ctx ends, or until those that are to be aligned are no longer. The first one
// tells so many missed ones; ticks returns how many nobody has told yet.
func (i Interval) ticks(ctx context.Context, out *Emitter, d drift, missed int) int {
	due, every := schedule.New(i.Every, out.Clock()), schedule.Interval(i.Every)
	for first := true; ; first = false {
		due.Begin()
		if i.Aligned || !first {
			out.event(ctx, EventInfo{Name: i.Name, Missed: missed})
		}
		due.End()

		var err error
		if missed, _, err = due.Wait(ctx); err != nil {
			return 0
		}
		if i.Aligned && d.tooFar(every) {
			if untilMultiple(d.clock.Now(), every) > every/2 {
				missed++ // the one that is due now: the next one comes nearly an interval later
			}
			return missed
		}
	}
}

// untilMultiple is how long it is until the time of day is a multiple of an interval.
func untilMultiple(now time.Time, every time.Duration) time.Duration {
	return now.Truncate(every).Add(every).Sub(now)
}

// drift tells how far the time of day went from the time that passed: it can be set.
type drift struct {
	clock   measure.Clock
	now     time.Time
	elapsed time.Duration
}

func newDrift(c measure.Clock) drift { return drift{c, c.Now().Round(0), c.Elapsed()} }

// tooFar reports whether events have left the multiples of their interval: by a twentieth of it,
// or by 50 ms.
func (d *drift) tooFar(every time.Duration) bool {
	by := d.clock.Now().Round(0).Sub(d.now) - (d.clock.Elapsed() - d.elapsed)
	return by.Abs() > max(time.Millisecond, min(every/20, 50*time.Millisecond))
}
