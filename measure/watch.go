package measure

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/schedule"
)

// Watch measures a selection at an interval and yields one Cycle for each sample. It ends when ctx
// or the log ends, when Count, For or End of opt is reached, or when the caller leaves the loop. A
// Cycle is valid until the next iteration; [Cycle.Keep] makes it permanent. An error ends Watch and
// is yielded last; the end of ctx or of the log is not an error. To continue after errors, call
// [Measurement.Cycle] in a loop.
//
// Samples are due at whole multiples of the interval after the first sample. A late sample is taken
// at once, and the next sample is due at least half an interval later. Cycle.Missed counts the
// skipped samples. If a counter needs two samples, Watch does not yield the first cycle, unless
// KeepFirst is set or a log has no other readable sample. The rates of the first sample of a range of
// a log count from the sample before Begin, which is not yielded.
//
// A log is read without waiting, unless Speed is set. With Speed, a late sample delays the
// following samples, too. An unreadable sample is skipped: its error is in the Damage of the next
// cycle or, without a next cycle, yielded last.
func Watch(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options,
) iter.Seq2[*Cycle, error] {
	return func(yield func(*Cycle, error) bool) {
		// Frames and raw samples have no rates.
		sel.Before = src.Describe().Recorded && !sel.Begin.IsZero() && !opt.FramesOnly && !opt.RawOnly
		w := watch{c: New(src, sel, opt)}
		defer w.c.Close()
		if err := w.run(ctx, yield); err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

type watch struct {
	c       *Measurement
	damaged []error // errors of unreadable samples of a log, for the next cycle
	// Of the first cycle, if it was not yielded.
	damage    []error
	anomalies []winperf.Anomaly
	// Of a log: time of the last sample, and when it was due.
	recordLast time.Time
	lastDue    time.Duration
}

func (w *watch) round(ctx context.Context, s *schedule.Schedule) (*Cycle, error) {
	for {
		if err := w.c.Prepare(ctx); err != nil {
			return nil, err
		}
		live := !w.recorded() // a log has no schedule, and reading the clock costs as much as a row
		if live {
			s.Begin()
		}
		if err := w.c.Sample(ctx); err != nil {
			return nil, err
		}
		if live {
			s.End()
		}

		cycle, err := w.c.Decode()
		switch {
		case err != nil && w.recorded():
			w.damaged = append(w.damaged, err)
			continue
		case err != nil:
			return nil, err
		}

		cycle.Base = time.Time{}
		if len(w.damaged) > 0 {
			cycle.Damage = append(w.damaged, cycle.Damage...)
			w.damaged = nil
		}
		return cycle, nil
	}
}

// begin keeps the damage and anomalies of the first cycle, and reports whether Watch does not yield
// it, because it lacks values that need a previous sample.
func (w *watch) begin(c *Cycle) (held bool) {
	w.recordLast, w.lastDue = c.Time, w.c.opt.Clock.Elapsed()
	w.damage, w.anomalies = slices.Clone(c.Damage), slices.Clone(c.Anomalies)
	return w.c.plan.twoSamples || lacksPrevious(c)
}

// first reads the first cycle. A sample before the range is only the base of its rates; its damage is in the
// next cycle.
func (w *watch) first(ctx context.Context, s *schedule.Schedule) (c *Cycle, based bool, err error) {
	var base time.Time
	begin := w.c.sel.Begin
	for {
		c, err = w.round(ctx, s)
		if err != nil {
			return nil, based, err
		}
		if !w.c.sel.Before || c.Time.IsZero() || !c.Time.Before(begin) {
			c.Base = base
			return c, based, nil
		}
		based, base = true, c.Time
		w.damaged = append(w.damaged, c.Damage...)
	}
}

func (w *watch) report(c *Cycle) {
	if len(w.damage) > 0 {
		c.Damage = append(w.damage, c.Damage...)
	}
	if len(w.anomalies) > 0 {
		c.Anomalies = append(w.anomalies, c.Anomalies...)
	}
}

func (w *watch) recorded() bool { return w.c.plan.recorded }

func (w *watch) end(err error) error {
	if errors.Is(err, io.EOF) {
		err = nil
		w.damaged = append(w.damaged, w.c.unreported...)
	}
	return errors.Join(append(w.damaged, err)...)
}

// waitForNext waits until a cycle of a log is due. It does not wait if the log's time goes back.
func (w *watch) waitForNext(ctx context.Context, c *Cycle) error {
	speed := w.c.opt.Speed
	if !w.recorded() || speed <= 0 {
		return nil
	}

	gap := max(0, float64(c.Time.Sub(w.recordLast))/speed)
	pause := time.Duration(min(gap, float64(maxPause)))
	w.recordLast = c.Time

	clock := w.c.opt.Clock
	w.lastDue += pause
	if err := schedule.Sleep(ctx, clock, w.lastDue-clock.Elapsed()); err != nil {
		return err
	}

	// The next samples make up for a small delay. After a long delay the next samples are delayed,
	// too, instead of a burst.
	if late := clock.Elapsed() - w.lastDue; late > pause/2 {
		w.lastDue += late
	}
	return nil
}

// maxPause limits the pause between two samples of a log whose times may be damaged: a year.
const maxPause = 366 * 24 * time.Hour

// lacksPrevious reports whether values lack a previous sample. Counters do not show this for the
// first row of a text log.
func lacksPrevious(c *Cycle) bool {
	return slices.ContainsFunc(c.columns, func(col winperf.Column) bool {
		return slices.Contains(col.Status, counter.NoPrevious)
	})
}
