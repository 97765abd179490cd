package measure

import (
	"context"
	"errors"
	"time"

	"github.com/winperf/winperf/internal/schedule"
)

// rounds is a measurement of one source or of several, as the loop sees it.
type rounds[C any] interface {
	// round takes a sample of everything and decodes it. It tells the schedule when
	// sampling began and ended.
	round(ctx context.Context, s *schedule.Schedule) (C, error)
	// begin is given the first cycle, and reports whether it only serves as the older
	// one of the next. Then it keeps the anomalies of that cycle for the next one.
	begin(c C) (held bool)
	// tell adds to a cycle what begin kept.
	tell(c C)
	// recorded reports whether nothing that is measured is live.
	recorded() bool
	// due says how many samples were missed before the next one, and how late that is.
	due(missed int, late time.Duration)
	// pace waits until a recorded cycle is due.
	pace(ctx context.Context, c C) error
	// end returns nil for the end of recorded data, and the damage that no cycle told.
	end(err error) error
}

// watchRounds is the loop of everything that is measured at an interval. It returns nil when
// no more may be yielded.
func watchRounds[C any](ctx context.Context, r rounds[C], opt *Options, yield func(C, error) bool) error {
	due := schedule.New(opt.Interval, opt.Clock)
	due.Limit(opt.For, opt.End)
	yielded := 0
	hand := func(c C) bool {
		yielded++
		return yield(c, nil) && (opt.Count <= 0 || yielded < opt.Count)
	}

	first, err := r.round(ctx, due)
	if err != nil {
		return r.end(err)
	}
	held := r.begin(first) && !opt.KeepFirst
	if !held && !hand(first) {
		return nil
	}

	for {
		if err := waitForNext(ctx, r, due); errors.Is(err, schedule.ErrOver) {
			return nil
		} else if err != nil {
			return err
		}

		c, err := r.round(ctx, due)
		if err != nil {
			// The held cycle is still valid, as none was decoded after it.
			if held && r.recorded() && ctx.Err() == nil && !hand(first) {
				return nil
			}
			return r.end(err)
		}

		if err := r.pace(ctx, c); err != nil {
			return err
		}

		if held {
			r.tell(c)
		}
		held = false
		if !hand(c) {
			return nil
		}
	}
}

// waitForNext waits until the next sample of live sources is due.
func waitForNext[C any](ctx context.Context, r rounds[C], s *schedule.Schedule) error {
	if r.recorded() {
		return ctx.Err()
	}
	missed, late, err := s.Wait(ctx)
	r.due(missed, late)
	return err
}
