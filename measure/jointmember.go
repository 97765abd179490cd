package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
)

// member is one source of a Joint, or its costly objects, which are sampled
// apart. A goroutine of its own takes the samples.
type member struct {
	*Context
	origin string
	apart  bool

	jobs chan job   // closed by close
	done chan error // the answer to a job

	part       bool // takes part in the stage that is under way
	err        error
	begin, end time.Time // of the last sample
	cycle      *Cycle    // nil if there is none in this round

	// Of one that is sampled apart.
	busy  bool
	taken time.Time // when the sample of cycle was begun
}

// job is what a member's goroutine is to do.
type job struct {
	ctx             context.Context
	prepare, sample bool
}

func newMember(o Origin, sel winperf.Selection, opt Options, apart bool) *member {
	opt.Source = o.Name
	m := &member{
		Context: New(o.Source, sel, opt), origin: o.Name, apart: apart,
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
	if j.prepare {
		if err := m.Prepare(j.ctx); err != nil {
			return err
		}
	}
	if !j.sample {
		return nil
	}
	m.begin = time.Now()
	err := m.Sample(j.ctx)
	m.end = time.Now()
	return err
}

func (m *member) startPrepare(ctx context.Context) { m.jobs <- job{ctx: ctx, prepare: true} }
func (m *member) startSample(ctx context.Context)  { m.jobs <- job{ctx: ctx, sample: true} }

// decode decodes the sample of a round.
func (m *member) decode() {
	m.cycle = nil
	if m.err == nil {
		m.cycle, m.err = m.Decode()
	}
}

// startApart begins a sample apart, if the last one is done and the next is due.
func (m *member) startApart(ctx context.Context, every time.Duration) {
	if m.busy || errors.Is(m.err, io.EOF) || !m.begin.IsZero() && time.Since(m.begin) < every {
		return
	}
	m.busy = true
	m.jobs <- job{ctx: ctx, prepare: true, sample: true}
}

// collect decodes a sample taken apart if it is there by now.
func (m *member) collect() {
	if !m.busy {
		return
	}
	select {
	case m.err = <-m.done:
		m.busy = false
	default:
		return
	}
	if m.err != nil {
		return
	}
	if c, err := m.Decode(); err != nil {
		m.err = err
	} else {
		m.cycle, m.taken = c, m.begin
	}
}

// memberCycle tells what became of the member in a round that began at the
// given time.
func (m *member) memberCycle(begin time.Time) MemberCycle {
	c := MemberCycle{Origin: m.origin, Apart: m.apart, Cycle: m.cycle, Err: m.err}
	if m.apart && m.cycle != nil {
		c.Age = begin.Sub(m.taken)
	}
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
	if m.busy {
		m.err = <-m.done
	}
	if err := m.Context.Close(); err != nil {
		return fmt.Errorf("source %s: %w", m.origin, err)
	}
	return nil
}
