package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/winperf/winperf"
)

// Origin is one of the sources that a Joint measures.
type Origin struct {
	Name   string // in sensor names, anomalies and readings of the measurement itself
	Source winperf.Source
}

// JointOptions for [Join]. The zero JointOptions are good defaults.
type JointOptions struct {
	Options
	// CostlyApart samples costly objects apart from the others, after these and
	// beside whoever uses the readings, so that they never delay the others.
	// Their readings are as old as they are: see MemberCycle.Age.
	CostlyApart bool
	// CostlyInterval is the least time between two samples of costly objects
	// that are sampled apart; 0 takes the next one when the last is done.
	CostlyInterval time.Duration
}

// Joint measures counters of several sources at once. It has the steps and the
// states of a Context and serves one goroutine.
//
// A source that fails costs only itself: the others go on, its cycle has the
// error, and it is tried again in the next round. A stage fails when no source
// is left.
type Joint struct {
	gate    gate
	opt     JointOptions
	members []*member
	cycle   JointCycle
	begin   time.Time
	life    context.Context // of samples taken apart
	end     context.CancelFunc
}

// JointCycle is what one round over all sources gave. It is valid until the
// next Decode or Close.
type JointCycle struct {
	// Time is when sampling began, by the clock of this machine, UTC.
	Time time.Time
	// Spread is the time from the beginning of the first sample to the end of
	// the last, samples taken apart left out: all of them lie within it.
	Spread time.Duration
	// Members are the sources, in the order in which they were joined; costly
	// objects that are sampled apart are members of their own behind them.
	Members []MemberCycle
}

// MemberCycle is what one source gave.
type MemberCycle struct {
	Origin string
	// Apart tells that these are costly objects, sampled apart.
	Apart bool
	// Cycle is nil where the source failed in this round, and as long as no
	// sample taken apart is complete.
	Cycle *Cycle
	// Age is how long before the others' the sample was begun; 0 where it was not
	// taken apart.
	Age time.Duration
	// Err is why there is no Cycle, or why the one taken apart is not newer.
	// At the end of recorded data it is io.EOF.
	Err error
	// Anomalies say that the source failed.
	Anomalies []winperf.Anomaly
}

// Readings returns the readings of all members, one after the other.
func (c *JointCycle) Readings() iter.Seq[winperf.Reading] {
	return func(yield func(winperf.Reading) bool) {
		for i := range c.Members {
			if m := c.Members[i].Cycle; m != nil && !m.each(yield) {
				return
			}
		}
	}
}

// each yields the cycle's readings, in whatever form they are.
func (c *Cycle) each(yield func(winperf.Reading) bool) bool {
	for _, r := range c.Readings {
		if !yield(r) {
			return false
		}
	}
	for i := range c.Columns {
		for n := range c.Columns[i].Len() {
			if !yield(c.Columns[i].Reading(n)) {
				return false
			}
		}
	}
	return true
}

// Prepare makes the next sample possible in all sources, at the same time.
func (j *Joint) Prepare(ctx context.Context) error {
	return j.run(opPrepare, func(m *member) bool { return !m.apart }, func(m *member) { m.startPrepare(ctx) })
}

// Sample takes a sample of every source, all at the same moment as far as the
// machine can do that. It returns io.EOF when all recorded sources are at their
// end.
func (j *Joint) Sample(ctx context.Context) error {
	j.begin = time.Now()
	return j.run(opSample, func(m *member) bool { return !m.apart && m.err == nil }, func(m *member) { m.startSample(ctx) })
}

// run runs a stage of the members that take part, all at once.
func (j *Joint) run(op operation, takesPart func(*member) bool, start func(*member)) error {
	t, _, err := j.gate.enter(op)
	if err != nil {
		return err
	}
	for _, m := range j.members {
		if m.part = takesPart(m); m.part {
			start(m)
		}
	}
	for _, m := range j.members {
		if m.part {
			m.err = <-m.done
		}
	}
	err = j.failed()
	j.gate.leave(t, err)
	return err
}

// failed is an error when no source is left.
func (j *Joint) failed() error {
	var errs []error
	ended := true
	for _, m := range j.members {
		switch {
		case m.apart:
		case m.err == nil:
			return nil
		default:
			errs = append(errs, fmt.Errorf("source %s: %w", m.origin, m.err))
			ended = ended && errors.Is(m.err, io.EOF)
		}
	}
	if ended && len(errs) > 0 {
		return io.EOF
	}
	return errors.Join(errs...)
}

// Decode turns the samples into readings.
func (j *Joint) Decode() (*JointCycle, error) {
	t, _, err := j.gate.enter(opDecode)
	if err != nil {
		return nil, err
	}
	c := &j.cycle
	c.Time, c.Members, c.Spread = j.begin.UTC(), c.Members[:0], j.spread()
	for _, m := range j.members {
		if m.apart {
			continue
		}
		m.decode()
		c.Members = append(c.Members, m.memberCycle(j.begin))
	}
	for _, m := range j.members {
		if m.apart {
			m.collect()
			c.Members = append(c.Members, m.memberCycle(j.begin))
			m.startApart(j.life, j.opt.CostlyInterval)
		}
	}
	err = j.failed()
	j.gate.leave(t, err)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// spread is the time within which all samples of the round were taken.
func (j *Joint) spread() time.Duration {
	var begin, end time.Time
	for _, m := range j.members {
		if m.apart || m.err != nil {
			continue
		}
		if begin.IsZero() || m.begin.Before(begin) {
			begin = m.begin
		}
		if m.end.After(end) {
			end = m.end
		}
	}
	return end.Sub(begin)
}

// Cycle runs the three steps.
func (j *Joint) Cycle(ctx context.Context) (*JointCycle, error) {
	if err := j.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := j.Sample(ctx); err != nil {
		return nil, err
	}
	return j.Decode()
}

// Close ends the measurement; the sources stay open. It waits for samples that
// are taken apart to end, which their sources are told to. Closing again does
// nothing.
func (j *Joint) Close() error {
	_, was, err := j.gate.enter(opClose)
	if err != nil || was == closed {
		return err
	}
	j.end()
	var errs []error
	for _, m := range j.members {
		errs = append(errs, m.close())
	}
	return errors.Join(errs...)
}
