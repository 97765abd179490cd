package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
)

// member is one source of a Joint. A goroutine of its own takes the samples.
type member struct {
	*Context
	origin string

	jobs chan job   // closed by close
	done chan error // the answer to a job

	part       bool // takes part in the stage that is under way
	err        error
	begin, end time.Duration // of the last sample, by the clock's Elapsed
	cycle      *Cycle        // nil if there is none in this round
}

// job is what a member's goroutine is to do.
type job struct {
	ctx    context.Context
	sample bool // or prepare
}

func newMember(o Origin, sel winperf.Selection, opt Options) *member {
	opt.Source = o.Name
	m := &member{
		Context: New(o.Source, sel, opt), origin: o.Name,
		jobs: make(chan job, 1), done: make(chan error, 1),
	}
	go m.work()
	return m
}

// work does one job after the other.
func (m *member) work() {
	for j := range m.jobs {
		m.done <- m.do(j)
	}
}

func (m *member) do(j job) error {
	if !j.sample {
		return m.Prepare(j.ctx)
	}
	m.begin = m.opt.Clock.Elapsed()
	err := m.Sample(j.ctx)
	m.end = m.opt.Clock.Elapsed()
	return err
}

func (m *member) startPrepare(ctx context.Context) { m.jobs <- job{ctx, false} }
func (m *member) startSample(ctx context.Context)  { m.jobs <- job{ctx, true} }

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
			Kind: winperf.SourceFailed, Time: begin.UTC(), Source: m.origin, Err: m.err, Action: "tried again in the next round",
		}}
	}
	return c
}

// close ends the goroutine and what it measured.
func (m *member) close() error {
	close(m.jobs)
	if err := m.Context.Close(); err != nil {
		return fmt.Errorf("source %s: %w", m.origin, err)
	}
	return nil
}
