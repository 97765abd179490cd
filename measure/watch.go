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

// Watch measures a selection at an interval and yields one Cycle each time,
// until the context ends, the data of a recorded source end, Count is reached
// or the loop is left. An error is yielded last; the end of the context or of
// the data is not an error. To go on after an error, loop over [Measurement.Cycle].
//
// Samples are taken as follows: at whole multiples of the interval
// since the first one. One that is late is taken at once, the next one leaves at
// least half an interval, and the ones that became impossible by that are
// counted in Cycle.Missed. Of a live source the first sample only serves as the
// older one of the first cycle, unless no counter needs two or KeepFirst is set.
//
// A recorded source does not wait, unless Speed says so; a sample that comes late
// then moves all that follow, which do not hurry after it. It yields its first sample also when it is
// the only one that can be read. A sample that nothing can be read of costs
// only itself: the error is in the Damage of the next cycle, or, when no cycle
// follows, yielded last.
func Watch(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options,
) iter.Seq2[*Cycle, error] {
	return func(yield func(*Cycle, error) bool) {
		w := watch{c: New(src, sel, opt)}
		defer w.c.Close()
		if err := w.run(ctx, yield); err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// watch is a loop over the cycles of a measurement.
type watch struct {
	c       *Measurement
	damaged []error // recorded samples that could not be read, to be told with the next cycle
	// Of the first cycle, where that was not yielded.
	damage    []error
	anomalies []winperf.Anomaly
	// Of a record: the time of the last sample, and when it was due by the clock's
	// Elapsed.
	recordLast time.Time
	lastDue    time.Duration
}

// round takes a sample and decodes it. Recorded samples that cannot be decoded are skipped.
func (w *watch) round(ctx context.Context, s *schedule.Schedule) (*Cycle, error) {
	for {
		if err := w.c.Prepare(ctx); err != nil {
			return nil, err
		}
		live := !w.recorded() // others are never due, and a clock costs as much as a row of a log
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

		if len(w.damaged) > 0 {
			cycle.Damage = append(w.damaged, cycle.Damage...)
			w.damaged = nil
		}
		return cycle, nil
	}
}

// begin takes the first cycle, and reports whether it only serves as the older one of the next. It keeps
// the damage and the anomalies of that cycle for the next one.
func (w *watch) begin(c *Cycle) (held bool) {
	w.recordLast, w.lastDue = c.Time, w.c.opt.Clock.Elapsed()
	w.damage, w.anomalies = slices.Clone(c.Damage), slices.Clone(c.Anomalies)
	return w.c.plan.twoSamples || lacksPrevious(c)
}

// report adds to a cycle the damage and the anomalies that begin kept.
func (w *watch) report(c *Cycle) {
	if len(w.damage) > 0 {
		c.Damage = append(w.damage, c.Damage...)
	}
	if len(w.anomalies) > 0 {
		c.Anomalies = append(w.anomalies, c.Anomalies...)
	}
}

func (w *watch) recorded() bool { return w.c.plan.recorded }

// end returns nil for the end of recorded data, and the damage that no cycle reported.
func (w *watch) end(err error) error {
	if errors.Is(err, io.EOF) {
		err = nil
		w.damaged = append(w.damaged, w.c.passed...)
	}
	return errors.Join(append(w.damaged, err)...)
}

// pace waits until a recorded cycle is due at the speed of the options. Where the clock of the record
// goes back it does not wait.
func (w *watch) pace(ctx context.Context, c *Cycle) error {
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

	// A small delay is made up for. After a long one the next samples would come in a
	// burst, so they are delayed as well.
	if late := clock.Elapsed() - w.lastDue; late > pause/2 {
		w.lastDue += late
	}
	return nil
}

// maxPause bounds what two times of a record, which may be damaged, make Watch
// wait: a year.
const maxPause = 366 * 24 * time.Hour

// lacksPrevious reports whether values lack the sample before, also where no counter says that it needs
// one, as in the first row of a text log.
func lacksPrevious(c *Cycle) bool {
	return slices.ContainsFunc(c.columns, func(col winperf.Column) bool {
		return slices.Contains(col.Status, counter.NoPrevious)
	})
}
