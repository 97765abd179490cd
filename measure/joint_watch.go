package measure

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
)

// Watch measures at the interval of the options and yields one JointCycle each
// time, as the function Watch does for one source: until the context ends, all
// recorded sources are at their end, Count is reached or the loop is left. An
// error is yielded last. Where counters need two samples the first round is not
// yielded unless KeepFirst is set. When all sources are recorded nothing waits.
func (j *Joint) Watch(ctx context.Context) iter.Seq2[*JointCycle, error] {
	return func(yield func(*JointCycle, error) bool) {
		w := jointWatch{Joint: j}
		if err := watchRounds(ctx, &w, &j.opt, yield); err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// jointWatch is the rounds of several sources.
type jointWatch struct {
	*Joint
	held [][]winperf.Anomaly // of the members in the first round, where that was not yielded
}

// round implements rounds.
func (w *jointWatch) round(ctx context.Context, s *schedule.Schedule) (*JointCycle, error) {
	if err := w.Prepare(ctx); err != nil {
		return nil, err
	}
	s.Begin()
	err := w.Sample(ctx)
	s.End()
	if err != nil {
		return nil, err
	}
	return w.Decode()
}

// begin implements rounds.
func (w *jointWatch) begin(c *JointCycle) (held bool) {
	w.held = c.anomalies()
	for _, m := range w.members {
		held = held || !m.line.Busy() && m.plan.twoSamples
	}
	return held
}

// tell implements rounds.
func (w *jointWatch) tell(c *JointCycle) {
	for i := range w.held {
		c.Members[i].Anomalies = append(w.held[i], c.Members[i].Anomalies...)
	}
}

// due implements rounds.
func (w *jointWatch) due(missed int, late time.Duration) {
	for _, m := range w.members {
		m.missed, m.late = m.missed+missed, late
	}
}

// recorded implements rounds.
func (w *jointWatch) recorded() bool {
	for _, m := range w.members {
		if m.line.Busy() || !m.plan.recorded {
			return false
		}
	}
	return true
}

// pace implements rounds: records are read as fast as they can be.
func (w *jointWatch) pace(context.Context, *JointCycle) error { return nil }

// end implements rounds.
func (w *jointWatch) end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
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
