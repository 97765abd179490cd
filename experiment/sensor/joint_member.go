package sensor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/measure"
)

// member is one source of a Joint. Calls of the source run on a line, so that a call that does not return
// can be abandoned, together with the Measurement.
type member struct {
	*measure.Measurement
	origin string
	line   *call.Line
	// Functions called on the line.
	prepare, sample func(context.Context)

	// Results of the call on the line.
	failed     error
	begin, end time.Duration

	part  bool
	err   error
	cycle *measure.Cycle
}

func newMember(o Origin, sel winperf.Selection, opt measure.Options) *member {
	opt.Source = o.Name
	m := &member{Measurement: measure.New(o.Source, sel, opt), origin: o.Name, line: call.NewLine()}
	m.prepare = func(ctx context.Context) { m.failed = m.Prepare(ctx) }
	m.sample = func(ctx context.Context) {
		m.begin = opt.Clock.Elapsed()
		m.failed = m.Sample(ctx)
		m.end = opt.Clock.Elapsed()
	}
	return m
}

func (m *member) sampling() func(context.Context) {
	if m.err != nil {
		return nil
	}
	return m.sample
}

func (m *member) check() {
	if m.line.Outcome() == call.Abandoned {
		m.err = fmt.Errorf("no answer in time: %w", call.ErrBusy)
		return
	}
	m.err = m.failed
}

func (m *member) decode() {
	m.cycle = nil
	if m.err == nil {
		m.cycle, m.err = m.Decode()
	}
}

// memberCycle returns the result of the round that began at begin.
func (m *member) memberCycle(begin time.Time) MemberCycle {
	c := MemberCycle{Origin: m.origin, Cycle: m.cycle, Err: m.err}
	if m.err != nil && !errors.Is(m.err, io.EOF) {
		c.Anomalies = []winperf.Anomaly{{
			Kind: winperf.SourceFailed, Time: begin.UTC(), Source: m.origin, Err: m.err,
			Action: "tried again in the next round",
		}}
	}
	return c
}

// Times that sources have to return after their context has ended.
const (
	stepGrace  = time.Second
	closeGrace = 3 * time.Second // sources may need this to release resources
)

func (m *member) close() error {
	if err := m.line.Close(closeGrace, m.Measurement.Close); err != nil {
		return fmt.Errorf("source %s: %w", m.origin, err)
	}
	return nil
}
