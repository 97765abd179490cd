package measure

import (
	"context"
	"errors"

	"github.com/winperf/winperf/internal/schedule"
)

// run is the loop of Watch. It returns nil when no more may be yielded.
func (w *watch) run(ctx context.Context, yield func(*Cycle, error) bool) error {
	opt := &w.c.opt
	due := schedule.New(opt.Interval, opt.Clock)
	due.Limit(opt.For, opt.End)
	yielded := 0
	hand := func(c *Cycle) bool {
		yielded++
		return yield(c, nil) && (opt.Count <= 0 || yielded < opt.Count)
	}

	first, err := w.round(ctx, due)
	if err != nil {
		return w.end(err)
	}
	held := w.begin(first) && !opt.KeepFirst
	if !held && !hand(first) {
		return nil
	}

	for {
		if err := w.wait(ctx, due); errors.Is(err, schedule.ErrOver) {
			return nil
		} else if err != nil {
			return err
		}

		c, err := w.round(ctx, due)
		if err != nil {
			// The held cycle is still valid, as none was decoded after it.
			if held && w.recorded() && ctx.Err() == nil && !hand(first) {
				return nil
			}
			return w.end(err)
		}

		if err := w.pace(ctx, c); err != nil {
			return err
		}

		if held {
			w.report(c)
		}
		held = false
		if !hand(c) {
			return nil
		}
	}
}

// wait waits until the next sample of a live source is due.
func (w *watch) wait(ctx context.Context, s *schedule.Schedule) error {
	if w.recorded() {
		return ctx.Err()
	}
	missed, late, err := s.Wait(ctx)
	w.c.missed += missed
	w.c.late = late
	return err
}
