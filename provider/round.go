package provider

import (
	"context"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
)

// Times that a provider has to return after it was stopped.
const (
	queryGrace = 100 * time.Millisecond // at most, and no more than a tenth of its timeout
	closeGrace = time.Second
)

type round struct {
	stage  string
	limit  time.Duration
	query  *Query
	clocks counter.Clocks
	block  []byte
}

// makeRound calls the providers and waits until all have answered or their time is over. It stores the
// results in the entries and reports failures. It returns an error when the query has ended.
//
// The first provider writes directly to the block, the others in parallel to separate buffers.
func (d *Dispatcher) makeRound(ctx context.Context, list []*entry, r round) error {
	r.limit = call.Share(ctx, r.limit, 3./4) // leaves time for passing on the other objects
	if err := d.round.Begin(ctx, r.limit); err != nil {
		return err
	}

	for i, e := range list {
		e.stage = r.stage
		e.reportsPassed = false
		e.busyReported = false
		e.query = r.query
		e.clocks = r.clocks
		e.block = r.block
		if i > 0 {
			e.block = e.buf[:0]
		}
		d.round.Start(e.line, e.run[r.stage])
	}
	d.round.Wait(d.closing, min(r.limit/10, queryGrace))

	if err := d.ended(ctx); err != nil {
		return err
	}
	for _, e := range list {
		d.check(e, r)
	}
	return nil
}

func (d *Dispatcher) ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-d.closing:
		return errClosed()
	default:
		return nil
	}
}

func (d *Dispatcher) check(e *entry, r round) {
	if e.line.Outcome() == call.Abandoned {
		e.busyReported = true
		d.failOverdue(e, r, ErrBusy)
		return
	}

	d.passReports(e)
	switch {
	case e.line.Outcome() == call.Overdue:
		d.failOverdue(e, r, context.DeadlineExceeded)
	case e.answer.err != nil:
		d.fail(e, r.stage, e.answer.err)
	case r.stage == stageCollect:
		e.failure = nil
		e.pauses.Reset()
	}
}

func (d *Dispatcher) passReports(e *entry) {
	if e.reportsPassed {
		return
	}
	e.reportsPassed = true
	for _, err := range e.answer.reports {
		d.report(e, Problem{Stage: stageCollect, Err: err})
	}
}
