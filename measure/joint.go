package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
)

// Origin is one of the sources that a Joint measures.
type Origin struct {
	Name   string // in sensor names, anomalies and readings of the measurement itself
	Source winperf.Source
	// Paths are measured in this source only, together with the selection.
	Paths []winperf.Path
}

// Joint measures counters of several sources at once. It has the steps and the
// states of a Measurement and serves one goroutine.
//
// A source that fails costs only itself: the others go on, its cycle has the
// error, and it is tried again in the next round. A stage fails when no source
// is left. A source that does not return when a stage's context ends is left behind
// a second later, and tried again when it has returned.
type Joint struct {
	gate    gate
	opt     Options
	members []*member
	calls   call.Round
	cycle   JointCycle
	begin   time.Time
}

// JointCycle is what one round over all sources gave. It is valid until the
// next Decode or Close.
type JointCycle struct {
	// Time is when sampling began, by the clock of this machine, UTC.
	Time time.Time
	// Spread is the time from the beginning of the first sample to the end of
	// the last, those of costly objects taken apart left out: all of them lie
	// within it.
	Spread time.Duration
	// Members are the sources, in the order in which they were joined.
	Members []MemberCycle
}

// MemberCycle is what one source gave.
type MemberCycle struct {
	Origin string
	// Cycle is nil where the source failed in this round.
	Cycle *Cycle
	// Err is why there is no Cycle. At the end of recorded data it is io.EOF.
	Err error
	// Anomalies say that the source failed. Watch adds those of a first round that
	// it did not yield; all others are in Cycle.
	Anomalies []winperf.Anomaly
}

// Readings returns the readings of all members, one after the other.
func (c *JointCycle) Readings() iter.Seq[winperf.Reading] {
	return func(yield func(winperf.Reading) bool) {
		for i := range c.Members {
			m := c.Members[i].Cycle
			if m == nil {
				continue
			}
			for _, r := range m.Readings() {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Prepare makes the next sample possible in all sources, at the same time. It fails when
// no source is left; the error then joins those of the sources.
func (j *Joint) Prepare(ctx context.Context) error {
	return j.run(ctx, opPrepare)
}

// Sample takes a sample of every source, all at the same moment as far as the
// machine can do that. It returns io.EOF when all recorded sources are at their
// end.
func (j *Joint) Sample(ctx context.Context) error {
	j.begin = j.opt.Clock.Now()
	return j.run(ctx, opSample)
}

// run runs a stage.
func (j *Joint) run(ctx context.Context, op *operation) error {
	return j.gate.run(op, func() error { return j.ask(ctx, op) })
}

// ask has the members take part in a stage, all at once: all of them prepare, and those
// that are prepared sample. A member that was left behind takes no part.
func (j *Joint) ask(ctx context.Context, op *operation) error {
	if err := j.calls.Begin(ctx, 0); err != nil {
		return err
	}
	for _, m := range j.members {
		m.part = op == opPrepare || m.err == nil
		switch {
		case !m.part:
		case m.line.Busy():
			m.part, m.err = false, call.ErrBusy
		default:
			j.calls.Ask(m.line, m.stages[op])
		}
	}

	j.calls.Wait(nil, stageGrace)
	for _, m := range j.members {
		if m.part {
			m.judge()
		}
	}
	return j.failed()
}

// failed is an error when no source is left.
func (j *Joint) failed() error {
	var errs []error
	ended := true
	for _, m := range j.members {
		if m.err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("source %s: %w", m.origin, m.err))
		ended = ended && errors.Is(m.err, io.EOF)
	}

	if ended && len(errs) > 0 {
		return io.EOF
	}
	return errors.Join(errs...)
}

// Decode turns the samples into readings.
func (j *Joint) Decode() (*JointCycle, error) {
	if err := j.gate.run(opDecode, j.decode); err != nil {
		return nil, err
	}
	return &j.cycle, nil
}

func (j *Joint) decode() error {
	c := &j.cycle
	c.Time, c.Members, c.Spread = j.begin.UTC(), c.Members[:0], j.spread()
	for _, m := range j.members {
		m.decode()
		c.Members = append(c.Members, m.memberCycle(j.begin))
	}
	return j.failed()
}

// spread is the time within which all samples of the round were taken.
func (j *Joint) spread() time.Duration {
	begin, end := time.Duration(math.MaxInt64), time.Duration(0)
	for _, m := range j.members {
		if m.err == nil {
			begin, end = min(begin, m.begin), max(end, m.end)
		}
	}
	return max(0, end-begin)
}

// Cycle runs the three steps Prepare, Sample and Decode, and returns the error of the first
// one that fails.
func (j *Joint) Cycle(ctx context.Context) (*JointCycle, error) {
	if err := j.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := j.Sample(ctx); err != nil {
		return nil, err
	}
	return j.Decode()
}

// Close ends the measurement; the sources stay open. Closing again does nothing.
func (j *Joint) Close() error {
	was, err := j.gate.enter(opClose)
	if err != nil || was == closed {
		return err
	}
	errs := make([]error, len(j.members))
	var wait sync.WaitGroup
	for i, m := range j.members {
		wait.Go(func() { errs[i] = m.close() })
	}
	wait.Wait()
	return errors.Join(errs...)
}
