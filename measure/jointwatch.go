package measure

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/winperf/winperf"
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
	s := NewSchedule(j.opt.Interval, j.opt.Clock)
	var held [][]winperf.Anomaly // of the members in a round that was not yielded
	for first, yielded := true, 0; ; first = false {
		c, err := j.round(ctx, s)
		if err != nil {
			return err
		}
		if first && !j.opt.KeepFirst && j.needsTwo() {
			held = c.anomalies()
		} else {
			for i := range held {
				c.Members[i].Anomalies = append(held[i], c.Members[i].Anomalies...)
			}
			held = nil
			yielded++
			if !yield(c, nil) || yielded == j.opt.Count {
				return nil
			}
		}
		if err := j.wait(ctx, s); err != nil {
			return err
		}
	}
}

// round runs the three steps and notes when the samples were taken.
func (j *Joint) round(ctx context.Context, s *Schedule) (*JointCycle, error) {
	if err := j.Prepare(ctx); err != nil {
		return nil, err
	}
	s.Begin()
	err := j.Sample(ctx)
	s.End()
	if err != nil {
		return nil, err
	}
	return j.Decode()
}

// anomalies are those of each member.
func (c *JointCycle) anomalies() (all [][]winperf.Anomaly) {
	for i := range c.Members {
		m := &c.Members[i]
		list := slices.Clone(m.Anomalies)
		if m.Cycle != nil {
			list = append(list, m.Cycle.Anomalies...)
		}
		all = append(all, list)
	}
	return all
}

// wait waits until the next round is due.
func (j *Joint) wait(ctx context.Context, s *Schedule) error {
	if j.recorded() {
		return ctx.Err()
	}
	missed, late, err := s.Wait(ctx)
	for _, m := range j.members {
		m.missed, m.late = m.missed+missed, late
	}
	return err
}

// needsTwo tells whether a wanted counter needs two samples.
func (j *Joint) needsTwo() bool {
	for _, m := range j.members {
		if !m.line.Busy() && m.plan.twoSamples {
			return true
		}
	}
	return false
}

// recorded tells whether no source is live.
func (j *Joint) recorded() bool {
	for _, m := range j.members {
		if m.line.Busy() || !m.plan.recorded {
			return false
		}
	}
	return true
}
