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
)

// DefaultInterval is the time between two samples where none is given.
const DefaultInterval = time.Second

// Watch measures a selection at an interval and yields one Cycle each time,
// until the context ends, the data of a recorded source end, Count is reached
// or the loop is left. An error is yielded last; the end of the context or of
// the data is none. To go on after an error, loop over [Context.Cycle].
//
// Samples are taken as a [Schedule] says: at whole multiples of the interval
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
func Watch(ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options) iter.Seq2[*Cycle, error] {
	return func(yield func(*Cycle, error) bool) {
		w := watch{c: New(src, sel, opt), opt: opt, yield: yield}
		w.schedule = NewSchedule(opt.Interval, w.c.opt.Clock)
		defer w.c.Close()
		if err := w.run(ctx); err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// watch is one loop of Watch.
type watch struct {
	c        *Context
	opt      Options
	yield    func(*Cycle, error) bool
	schedule *Schedule
	yielded  int
	damaged  []error // recorded samples that could not be read, to be told with the next cycle
	// Of a record: the time of the last sample, and when it was due by the clock's
	// Elapsed.
	recordLast time.Time
	due        time.Duration
}

// run returns nil when no more may be yielded.
func (w *watch) run(ctx context.Context) error {
	cycle, err := w.cycle(ctx)
	if err != nil {
		return w.end(err)
	}
	w.recordLast, w.due = cycle.Time, w.c.opt.Clock.Elapsed()
	held := (w.c.plan.twoSamples || lacksPrevious(cycle)) && !w.opt.KeepFirst
	if !held && !w.hand(cycle) {
		return nil
	}
	var damage []error // of the held cycle, to be told with the next
	var anomalies []winperf.Anomaly
	if held {
		damage, anomalies = slices.Clone(cycle.Damage), slices.Clone(cycle.Anomalies)
	}
	for {
		if err := w.wait(ctx); err != nil {
			return err
		}
		next, err := w.cycle(ctx)
		if err != nil {
			// The held cycle is still valid, as none was decoded after it.
			if held && w.c.plan.recorded && ctx.Err() == nil && !w.hand(cycle) {
				return nil
			}
			return w.end(err)
		}
		if err := w.pace(ctx, next.Time); err != nil {
			return err
		}
		if held && len(damage) > 0 {
			next.Damage = append(damage, next.Damage...)
		}
		if held && len(anomalies) > 0 {
			next.Anomalies = append(anomalies, next.Anomalies...)
		}
		held = false
		if !w.hand(next) {
			return nil
		}
	}
}

// cycle takes and decodes a sample. Of recorded ones it passes over those that
// cannot be decoded.
func (w *watch) cycle(ctx context.Context) (*Cycle, error) {
	for {
		if err := w.c.Prepare(ctx); err != nil {
			return nil, err
		}
		w.schedule.Begin()
		if err := w.c.Sample(ctx); err != nil {
			return nil, err
		}
		w.schedule.End()
		cycle, err := w.c.Decode()
		switch {
		case err != nil && w.c.plan.recorded:
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

// end turns the end of recorded data into nothing, and tells of damage that no
// cycle told of.
func (w *watch) end(err error) error {
	if errors.Is(err, io.EOF) {
		err = nil
		w.damaged = append(w.damaged, w.c.passed...)
	}
	return errors.Join(append(w.damaged, err)...)
}

// hand yields a cycle and tells whether to go on.
func (w *watch) hand(c *Cycle) bool {
	w.yielded++
	return w.yield(c, nil) && (w.opt.Count <= 0 || w.yielded < w.opt.Count)
}

// wait waits until the next sample is due and tells the Context how late it
// is, and how many were missed.
func (w *watch) wait(ctx context.Context) error {
	if w.c.plan.recorded {
		return ctx.Err()
	}
	missed, late, err := w.schedule.Wait(ctx)
	w.c.missed += missed
	w.c.late = late
	return err
}

// pace waits until a recorded sample is due, at the speed that was asked for.
// Where the record's clock goes back there is nothing to wait for.
func (w *watch) pace(ctx context.Context, sample time.Time) error {
	if !w.c.plan.recorded || w.opt.Speed <= 0 {
		return nil
	}
	gap := max(0, float64(sample.Sub(w.recordLast))/w.opt.Speed)
	pause := time.Duration(min(gap, float64(maxPause)))
	w.recordLast = sample

	clock := w.c.opt.Clock
	w.due += pause
	if err := sleep(ctx, clock, w.due-clock.Elapsed()); err != nil {
		return err
	}

	// A small delay is made up for. After a long one the next samples would come
	// in a burst: they move with this one.
	if late := clock.Elapsed() - w.due; late > pause/2 {
		w.due += late
	}
	return nil
}

// maxPause bounds what two times of a record, which may be damaged, make Watch
// wait: a year.
const maxPause = 366 * 24 * time.Hour

// lacksPrevious tells whether readings that a source cooked itself lack the
// sample before: those of a log's first row.
func lacksPrevious(c *Cycle) bool {
	return c.Frame.IsZero() && slices.ContainsFunc(c.Readings(), func(r winperf.Reading) bool { return r.Status == counter.NoPrevious })
}
