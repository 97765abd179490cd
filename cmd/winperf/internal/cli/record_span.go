package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winperf/winperf/measure"
)

// errEnded tells that a recording ended by itself and has nothing.
var errEnded = errors.New("nothing was recorded: the end came before the first sample")

// schedule waits for the beginning, and sets the end.
func (r *recorder) schedule(ctx context.Context) error {
	begin, err := parseMoment(r.begin, r.zone.Location, false)
	if err != nil {
		return fmt.Errorf("--begin: %w", err)
	}

	r.until, err = parseMoment(r.end, r.zone.Location, true)
	if err != nil {
		return fmt.Errorf("--end: %w", err)
	}

	switch {
	case !r.live && (r.begin != "" || r.end != "" || r.during > 0):
		return errors.New("--begin, --end and --for are for live sources; winperf convert cuts logs")
	case !r.live:
		return nil
	case !r.until.IsZero() && !r.clock.Now().Before(r.until):
		return fmt.Errorf("--end: %s is over", r.zone.text(r.until))
	case !r.until.IsZero() && !begin.Before(r.until):
		return fmt.Errorf("--end: %s is not after --begin", r.zone.text(r.until))
	}
	return r.awaitBegin(ctx, begin)
}

// ends tells whether the recording has an end that may come before its first sample.
func (r *recorder) ends() bool { return r.during > 0 || !r.until.IsZero() }

// awaitBegin waits for the time of day at which the recording is to begin.
func (r *recorder) awaitBegin(ctx context.Context, begin time.Time) error {
	left := func() time.Duration { return begin.Sub(r.clock.Now()) }
	if begin.IsZero() || left() <= 0 {
		return nil
	}
	if !r.quiet {
		r.app.complain(fmt.Errorf("waiting until %s", r.zone.text(begin)))
	}
	return await(ctx, r.clock, left)
}

// recheck is how often is looked at the clock again while a time is waited for.
// Somebody may set it, and timers stand still while the machine is suspended.
const recheck = 2 * time.Second

// await waits until no time is left or the context ends.
func await(ctx context.Context, clock measure.Clock, left func() time.Duration) error {
	for {
		d := left()
		if d <= 0 {
			return nil
		}
		fired, stop := clock.Timer(min(d, recheck))
		select {
		case <-fired:
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}
