package sensor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/measure"
)

// Origin is one source of a Joint or of an experiment.
type Origin struct {
	Name   string // used in sensor names, anomalies and readings of the measurement itself
	Source winperf.Source
	// Paths are measured in this source only, in addition to the selection.
	Paths []winperf.Path
}

// Joint measures counters of several sources at the same moment. It has the steps of a
// [measure.Measurement] and serves one goroutine. A step in the wrong order fails with an error that
// wraps winperf.ErrState.
//
// A source that fails does not affect the others: its cycle has the error, and the next round tries it
// again. A step fails when no source is left. A source that does not return when the context of a step
// ends is abandoned a second later, and is tried again after it has returned.
type Joint struct {
	clock   measure.Clock
	members []*member
	calls   call.Round
	cycles  []MemberCycle
	begin   time.Time

	mu    sync.Mutex
	state string
}

// The states of a Joint.
const (
	initialized = "initialized" // Prepare may follow
	prepared    = "prepared"    // Sample may follow
	sampled     = "sampled"     // Decode may follow
	closed      = "closed"      // only Close may follow
)

// MemberCycle is the result of one round for one source.
type MemberCycle struct {
	Origin string
	// Cycle is nil if the source failed in this round.
	Cycle *measure.Cycle
	// Err is the reason why Cycle is nil. It is io.EOF at the end of a log.
	Err error
	// Anomalies report that the source failed; all others are in Cycle.
	Anomalies []winperf.Anomaly
}

// step calls do if the Joint is in one of the states from. The next state is after, or initialized if do
// failed.
func (j *Joint) step(name, after string, do func() error, from ...string) error {
	if !j.mu.TryLock() {
		return fmt.Errorf("%s of a joint measurement during another step: %w", name, winperf.ErrState)
	}
	defer j.mu.Unlock()
	if !slices.Contains(from, j.state) {
		return fmt.Errorf("%s of a joint measurement that is %s: %w", name, j.state, winperf.ErrState)
	}

	j.state = initialized
	if err := do(); err != nil {
		return err
	}
	j.state = after
	return nil
}

// Prepare makes the next sample possible in all sources, at the same time. If no source is left, it
// returns the joined errors of the sources.
func (j *Joint) Prepare(ctx context.Context) error {
	do := func() error {
		return j.run(ctx, func(m *member) func(context.Context) { return m.prepare })
	}
	return j.step("prepare", prepared, do, initialized, prepared, sampled)
}

// Sample takes a sample of all sources as simultaneously as the machine can. It returns io.EOF when all
// logs have ended.
func (j *Joint) Sample(ctx context.Context) error {
	do := func() error {
		j.begin = j.clock.Now()
		return j.run(ctx, (*member).sampling)
	}
	return j.step("sample", sampled, do, prepared)
}

// run calls of for each member, and the returned functions in parallel. Members without a function, and
// members that have not returned from an earlier call, are skipped.
func (j *Joint) run(ctx context.Context, of func(*member) func(context.Context)) error {
	if err := j.calls.Begin(ctx, 0); err != nil {
		return err
	}
	for _, m := range j.members {
		do := of(m)
		m.part = do != nil && !m.line.Busy()
		switch {
		case m.part:
			j.calls.Start(m.line, do)
		case do != nil:
			m.err = call.ErrBusy
		}
	}

	j.calls.Wait(nil, stepGrace)
	for _, m := range j.members {
		if m.part {
			m.check()
		}
	}
	return j.failed()
}

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

// Decode computes the readings of the samples. It returns a cycle for each source, in the order in
// which they were joined, valid until the next Decode or Close.
func (j *Joint) Decode() ([]MemberCycle, error) {
	do := func() error {
		j.cycles = j.cycles[:0]
		for _, m := range j.members {
			m.decode()
			j.cycles = append(j.cycles, m.memberCycle(j.begin))
		}
		return j.failed()
	}
	if err := j.step("decode", initialized, do, sampled); err != nil {
		return nil, err
	}
	return j.cycles, nil
}

// Spread returns the time from the start of the first sample of the last round to the end of the last
// one. Costly objects with their own schedule do not count.
func (j *Joint) Spread() time.Duration {
	begin, end := time.Duration(math.MaxInt64), time.Duration(0)
	for _, m := range j.members {
		if m.err == nil {
			begin, end = min(begin, m.begin), max(end, m.end)
		}
	}
	return max(0, end-begin)
}

// Cycle calls Prepare, Sample and Decode and returns the first error.
func (j *Joint) Cycle(ctx context.Context) ([]MemberCycle, error) {
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
	var failed error
	do := func() error {
		errs := make([]error, len(j.members))
		var wait sync.WaitGroup
		for i, m := range j.members {
			wait.Go(func() { errs[i] = m.close() })
		}
		wait.Wait()

		j.members, failed = nil, errors.Join(errs...)
		return nil
	}
	err := j.step("close", closed, do, initialized, prepared, sampled, closed)
	return errors.Join(err, failed)
}
