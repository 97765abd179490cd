package experiment

import (
	"context"
	"errors"
	"time"

	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
)

// Interval emits an event at every interval. If an event delays the next ones by whole intervals, these are
// not emitted; EventInfo.Missed of the next event counts them.
type Interval struct {
	Name string
	// Every is the interval, at least 10 ms; 0 means one second.
	Every time.Duration
	// Aligned emits events at multiples of the interval in UTC, for example at every full second, even
	// after the system time was set. Otherwise the first event is emitted one interval after the begin.
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

// WithInterval returns a copy with another interval.
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

// ticks emits events until ctx ends, or until aligned events have to be aligned again. The first event
// reports the given number of missed events; ticks returns the number not reported yet.
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
				missed++ // the event that is due now; the next one is nearly an interval later
			}
			return missed
		}
	}
}

func untilMultiple(now time.Time, every time.Duration) time.Duration {
	return now.Truncate(every).Add(every).Sub(now)
}

// drift measures by how much the time of day was set.
type drift struct {
	clock   measure.Clock
	now     time.Time
	elapsed time.Duration
}

func newDrift(c measure.Clock) drift { return drift{c, c.Now().Round(0), c.Elapsed()} }

// tooFar reports whether events are off their multiples by a twentieth of the interval or by 50 ms.
func (d *drift) tooFar(every time.Duration) bool {
	by := d.clock.Now().Round(0).Sub(d.now) - (d.clock.Elapsed() - d.elapsed)
	return by.Abs() > max(time.Millisecond, min(every/20, 50*time.Millisecond))
}
