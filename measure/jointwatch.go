package measure

import (
	"context"
	"errors"
	"io"
	"iter"
)

// Watch measures at the interval of the options and yields one JointCycle each
// time, as the function Watch does for one source: until the context ends, all
// recorded sources are at their end, Count is reached or the loop is left. An
// error is yielded last. Where counters need two samples the first round is not
// yielded unless KeepFirst is set. When all sources are recorded nothing waits.
func (j *Joint) Watch(ctx context.Context) iter.Seq2[*JointCycle, error] {
	return func(yield func(*JointCycle, error) bool) {
		if err := j.watch(ctx, yield); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

func (j *Joint) watch(ctx context.Context, yield func(*JointCycle, error) bool) error {
	s := schedule{interval: j.opt.interval()}
	for first, yielded := true, 0; ; first = false {
		s.begin()
		c, err := j.Cycle(ctx)
		if err != nil {
			return err
		}
		if !first || j.opt.KeepFirst || !j.needsTwo() {
			yielded++
			if !yield(c, nil) || yielded == j.opt.Count {
				return nil
			}
		}
		if err := j.wait(ctx, &s); err != nil {
			return err
		}
	}
}

// wait waits until the next round is due.
func (j *Joint) wait(ctx context.Context, s *schedule) error {
	if j.recorded() {
		return ctx.Err()
	}
	missed, late, err := s.wait(ctx)
	for _, m := range j.members {
		if !m.apart {
			m.missed, m.late = m.missed+missed, late
		}
	}
	return err
}

// needsTwo tells whether a wanted counter needs two samples.
func (j *Joint) needsTwo() bool {
	for _, m := range j.members {
		if !m.apart && m.plan.twoSamples {
			return true
		}
	}
	return false
}

// recorded tells whether no source is live.
func (j *Joint) recorded() bool {
	for _, m := range j.members {
		if !m.plan.recorded {
			return false
		}
	}
	return true
}
