package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winperf/winperf/measure"
)

// errEnded is why the context of a recording ends by itself.
var errEnded = errors.New("nothing was recorded: the end came before the first sample")

// endedEarly is what a recording without samples failed with.
func endedEarly(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errEnded) {
		return errEnded
	}
	return err
}

// schedule waits for the beginning, and gives the context the end.
func (r *recorder) schedule(ctx context.Context) (context.Context, context.CancelFunc, error) {
	begin, err := parseMoment(r.begin, time.Local, false)
	if err != nil {
		return ctx, nil, fmt.Errorf("--begin: %w", err)
	}
	end, err := parseMoment(r.end, time.Local, true)
	if err != nil {
		return ctx, nil, fmt.Errorf("--end: %w", err)
	}

	if !r.live {
		if r.begin != "" || r.end != "" || r.during > 0 {
			return ctx, nil, errors.New("--begin, --end and --for are for live sources; winperf convert cuts logs")
		}
		return ctx, func() {}, nil
	}
	if !end.IsZero() && !r.clock.Now().Before(end) {
		return ctx, nil, fmt.Errorf("--end: %s is over", end.Format(time.DateTime))
	}
	if !end.IsZero() && !begin.Before(end) {
		return ctx, nil, fmt.Errorf("--end: %s is not after --begin", end.Format(time.DateTime))
	}
	if err := r.awaitBegin(ctx, begin); err != nil {
		return ctx, nil, err
	}

	if end.IsZero() && r.during == 0 {
		return ctx, func() {}, nil
	}
	// No deadline: it would leave the last samples less time than the others, and is
	// not met when somebody sets the clock.
	ctx, cancel := context.WithCancelCause(ctx)
	left := r.timeLeft(end)
	go func() {
		if await(ctx, r.clock, left) == nil {
			cancel(errEnded)
		}
	}()
	return ctx, func() { cancel(nil) }, nil
}

// awaitBegin waits for the time of day at which the recording is to begin.
func (r *recorder) awaitBegin(ctx context.Context, begin time.Time) error {
	left := func() time.Duration { return begin.Sub(r.clock.Now()) }
	if begin.IsZero() || left() <= 0 {
		return nil
	}
	if !r.quiet {
		r.app.complain(fmt.Errorf("waiting until %s", begin.Format(time.DateTime)))
	}
	return await(ctx, r.clock, left)
}

// timeLeft returns what tells how long there is still to record: until a time of
// day, if there is one, and for as long as it is to last, counted from now.
func (r *recorder) timeLeft(end time.Time) func() time.Duration {
	start := r.clock.Elapsed()
	return func() time.Duration {
		lasts := time.Duration(r.during) - (r.clock.Elapsed() - start)
		until := end.Sub(r.clock.Now())
		switch {
		case end.IsZero():
			return lasts
		case r.during == 0:
			return until
		}
		return min(lasts, until)
	}
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
