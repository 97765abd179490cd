package record

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/measure"
)

// errEnded tells that a recording ended by itself and has nothing.
var errEnded = errors.New("nothing was recorded: the end came before the first sample")

// noSamples returns the error of a record that is empty, or of which --begin and --end leave nothing.
func (r *recorder) noSamples(ctx context.Context, src winperf.Source) error {
	within := input.RangeFlags{Begin: r.begin, End: r.end}
	err := within.Empty(ctx, "there are no samples to record", r.zone, src)
	return fmt.Errorf("nothing was recorded: %w", err)
}

// cutRecord chooses the samples of a record.
func (r *recorder) cutRecord(ctx context.Context, src winperf.Source) error {
	if r.during > 0 {
		return errors.New("--for is for live sources; --begin and --end cut a record")
	}
	within := input.RangeFlags{Begin: r.begin, End: r.end}
	return within.Choose(ctx, &r.cut, r.zone, src)
}

// schedule waits for the beginning, and sets the end.
func (r *recorder) schedule(ctx context.Context) error {
	begin, err := r.liveTime("begin", r.begin)
	if err != nil {
		return err
	}
	r.until, err = r.liveTime("end", r.end)
	switch {
	case err != nil:
		return err
	case !r.until.IsZero() && !r.clock.Now().Before(r.until):
		return fmt.Errorf("--end: %s is over", r.zone.Text(r.until))
	case !r.until.IsZero() && !begin.Before(r.until):
		return fmt.Errorf("--end: %s is not after --begin", r.zone.Text(r.until))
	}
	return r.awaitBegin(ctx, begin)
}

// liveTime reads the time of a flag, where there is no first sample that it could be counted from.
func (r *recorder) liveTime(flag, text string) (time.Time, error) {
	if strings.HasPrefix(text, "+") {
		const form = "--%s: %s is a time after the first sample of a record; a live source needs" +
			" a time of day"
		return time.Time{}, fmt.Errorf(form, flag, text)
	}
	t, err := input.ParseMoment(text, r.zone.Location, flag == "end")
	if err != nil {
		err = fmt.Errorf("--%s: %w", flag, err)
	}
	return t, err
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
		r.app.Complain(fmt.Errorf("waiting until %s", r.zone.Text(begin)))
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
