package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
)

// member is one source of a Joint. What uses the source is called on a line, where
// one that does not return is left behind with the Measurement.
type member struct {
	*Measurement
	origin string
	line   *call.Line
	stages map[*operation]func(context.Context) // what is called on the line

	// Of the call on the line:
	failed     error
	begin, end time.Duration // of the last sample, by the clock's Elapsed

	part  bool // takes part in the stage that is under way
	err   error
	cycle *Cycle // nil if there is none in this round
}

func newMember(o Origin, sel winperf.Selection, opt Options) *member {
	opt.Source = o.Name
	m := &member{Measurement: New(o.Source, sel, opt), origin: o.Name, line: call.NewLine()}
	m.stages = map[*operation]func(context.Context){
		opPrepare: func(ctx context.Context) { m.failed = m.Prepare(ctx) },
		opSample: func(ctx context.Context) {
			m.begin = m.opt.Clock.Elapsed()
			m.failed = m.Sample(ctx)
			m.end = m.opt.Clock.Elapsed()
		},
	}
	return m
}

// judge notes how the stage ended.
func (m *member) judge() {
	if m.line.Outcome() == call.Left {
		m.err = fmt.Errorf("no answer in time: %w", call.ErrBusy)
		return
	}
	m.err = m.failed
}

// decode decodes the sample of a round.
func (m *member) decode() {
	m.cycle = nil
	if m.err == nil {
		m.cycle, m.err = m.Decode()
	}
}

// memberCycle tells what became of the member in a round that began at the
// given time.
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

// Times for sources that are told to return.
const (
	stageGrace = time.Second
	closeGrace = 3 * time.Second // which sources may need to close what they hold
)

// close ends what the member measured.
func (m *member) close() error {
	if err := m.line.Close(closeGrace, m.Measurement.Close); err != nil {
		return fmt.Errorf("source %s: %w", m.origin, err)
	}
	return nil
}
