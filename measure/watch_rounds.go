package measure

import (
	"context"
	"errors"

	"github.com/winperf/winperf/internal/schedule"
)

// run runs the loop of Watch. It returns nil when nothing more may be yielded.
func (w *watch) run(ctx context.Context, yield func(*Cycle, error) bool) error {
	opt := &w.c.opt
	due := schedule.New(opt.Interval, opt.Clock)
	due.Limit(opt.For, opt.End)
	yielded := 0
	emit := func(c *Cycle) bool {
		yielded++
		return yield(c, nil) && (opt.Count <= 0 || yielded < opt.Count)
	}

	first, based, err := w.first(ctx, due)
	if err != nil {
		return w.end(err)
	}
	held := w.begin(first) && !opt.KeepFirst && !based
	if !held && !emit(first) {
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
			// The held cycle is still valid: no other one was decoded.
			if held && w.recorded() && ctx.Err() == nil && !emit(first) {
				return nil
			}
			return w.end(err)
		}

		if err := w.waitForNext(ctx, c); err != nil {
			return err
		}

		if held {
			w.report(c)
		}
		held = false
		if !emit(c) {
			return nil
		}
	}
}

func (w *watch) wait(ctx context.Context, s *schedule.Schedule) error {
	if w.recorded() {
		return ctx.Err()
	}
	missed, late, err := s.Wait(ctx)
	w.c.missed += missed
	w.c.late = late
	return err
}
