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

var errEnded = errors.New("nothing was recorded: the end was before the first sample")

// noSamples returns the error for a log without samples in the range.
func (r *recorder) noSamples(ctx context.Context, src winperf.Source) error {
	within := input.RangeFlags{Begin: r.begin, End: r.end}
	err := within.Empty(ctx, "there are no samples to record", r.zone, src)
	return fmt.Errorf("nothing was recorded: %w", err)
}

func (r *recorder) cutRecord(ctx context.Context, src winperf.Source) error {
	if r.during > 0 {
		return errors.New("--for is for live sources; --begin and --end select samples of a log")
	}
	within := input.RangeFlags{Begin: r.begin, End: r.end}
	return within.Choose(ctx, &r.cut, r.zone, src)
}

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
		return fmt.Errorf("--end: %s is in the past", r.zone.Text(r.until))
	case !r.until.IsZero() && !begin.Before(r.until):
		return fmt.Errorf("--end: %s is not after --begin", r.zone.Text(r.until))
	}
	return r.awaitBegin(ctx, begin)
}

// liveTime parses a time that is not relative to a first sample.
func (r *recorder) liveTime(flag, text string) (time.Time, error) {
	if strings.HasPrefix(text, "+") {
		const form = "--%s: %s is relative to the first sample of a log; a live source needs" +
			" a time of day"
		return time.Time{}, fmt.Errorf(form, flag, text)
	}
	t, err := input.ParseMoment(text, r.zone.Location, flag == "end")
	if err != nil {
		err = fmt.Errorf("--%s %s: %w", flag, text, err)
	}
	return t, err
}

// ends reports whether the recording has an end, possibly before its first sample.
func (r *recorder) ends() bool { return r.during > 0 || !r.until.IsZero() }

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

// late is the time after which a sample that is due and still missing means that the recording hangs.
const late = time.Minute

// responds returns an error if the recording hangs, for the watchdog of systemd.
func (r *recorder) responds(context.Context) error {
	last := r.sampled.Load()
	if last == nil {
		return nil
	}
	if past := time.Since(*last); past > time.Duration(r.every)+late {
		return fmt.Errorf("the last sample was %s ago", past.Round(time.Second))
	}
	return nil
}

// recheck is the interval of checking the clock during a wait: the clock may be set, and timers stop while
// the machine is suspended.
const recheck = 2 * time.Second

// await waits until left returns 0 or less, or the context ends.
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
