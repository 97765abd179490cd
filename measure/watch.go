package measure

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/winperf/winperf"
)

// DefaultInterval is the time between two samples where none is given.
const DefaultInterval = time.Second

// Watch measures a selection at an interval and yields one Cycle each time,
// until the context ends, the data of a recorded source end, Count is reached
// or the loop is left. An error is yielded last; the end of the context or of
// the data is none. To go on after an error, loop over [Context.Cycle].
//
// Samples are taken at whole multiples of the interval since the first one, so
// the times do not drift; one that is late is taken at once, and the ones that
// became impossible by that are counted in Cycle.Missed. Of a live source the
// first sample only serves as the older one of the first cycle, unless no
// counter needs two or KeepFirst is set.
//
// A recorded source does not wait. It yields its first sample also when it is
// the only one that can be read. A sample that nothing can be read of costs
// only itself: the error is in the Damage of the next cycle, or, when no cycle
// follows, yielded last.
func Watch(ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options) iter.Seq2[*Cycle, error] {
	return func(yield func(*Cycle, error) bool) {
		w := watch{c: New(src, sel, opt), opt: opt, yield: yield}
		defer w.c.Close()
		if w.opt.Interval <= 0 {
			w.opt.Interval = DefaultInterval
		}
		if err := w.run(ctx); err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// watch is one loop of Watch.
type watch struct {
	c       *Context
	opt     Options
	yield   func(*Cycle, error) bool
	start   time.Time // of the first sample
	ticks   int64     // intervals since then
	yielded int
	damaged []error // recorded samples that could not be read, to be told with the next cycle
}

// run returns nil when no more may be yielded.
func (w *watch) run(ctx context.Context) error {
	cycle, err := w.cycle(ctx)
	if err != nil {
		return w.end(err)
	}
	held := w.c.plan.twoSamples && !w.opt.KeepFirst
	if !held && !w.hand(cycle) {
		return nil
	}
	for {
		missed, err := w.wait(ctx)
		if err != nil {
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
		next.Missed, held = missed, false
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
		if w.start.IsZero() {
			w.start = time.Now()
		}
		if err := w.c.Sample(ctx); err != nil {
			return nil, err
		}
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
	}
	return errors.Join(append(w.damaged, err)...)
}

// hand yields a cycle and tells whether to go on.
func (w *watch) hand(c *Cycle) bool {
	w.yielded++
	return w.yield(c, nil) && (w.opt.Count <= 0 || w.yielded < w.opt.Count)
}

// wait waits until the next sample is due and returns how many were missed.
func (w *watch) wait(ctx context.Context) (missed int, err error) {
	if w.c.plan.recorded {
		return 0, ctx.Err()
	}
	w.ticks++
	late := time.Since(w.start) - time.Duration(w.ticks)*w.opt.Interval
	if late >= w.opt.Interval {
		missed = int(late / w.opt.Interval)
		w.ticks += int64(missed)
	}
	if late >= 0 {
		return missed, ctx.Err()
	}
	t := time.NewTimer(-late)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return missed, ctx.Err()
}
