package provider

import (
	"context"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
)

// How long is waited for a provider that was told to return.
const (
	queryGrace = 100 * time.Millisecond // at most, and no more than a tenth of its time
	closeGrace = time.Second            // to release everything
)

// round is one call of each of several providers, all at once.
type round struct {
	stage  string
	limit  time.Duration // for each provider's answer
	query  *Query
	clocks counter.Clocks // of the sample
	block  []byte         // the buffer that the first provider's objects are appended to
}

// makeRound makes the calls and waits until all have been answered or their
// time is up. What became of each call is in its entry then, and failures have
// been reported. It fails when the query has ended.
//
// The first provider writes straight into the block, the others at the same
// time into buffers of their own.
func (d *Dispatcher) makeRound(ctx context.Context, list []*entry, r round) error {
	r.limit = call.Share(ctx, r.limit, 3./4) // leaves time for handing over the others' objects
	if err := d.round.Begin(ctx, r.limit); err != nil {
		return err
	}

	for i, e := range list {
		e.stage = r.stage
		e.heard = false
		e.told = false
		e.query = r.query
		e.clocks = r.clocks
		e.given = r.block
		if i > 0 {
			e.given = e.buf[:0]
		}
		d.round.Ask(e.line, e.run[r.stage])
	}
	d.round.Wait(d.closing, min(r.limit/10, queryGrace))

	if err := d.ended(ctx); err != nil {
		return err
	}
	for _, e := range list {
		d.judge(e, r)
	}
	return nil
}

// ended tells why the query has ended, nil if it has not.
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

// judge notes what became of a provider's call.
func (d *Dispatcher) judge(e *entry, r round) {
	if e.line.Outcome() == call.Left {
		e.told = true
		d.failOverdue(e, r, ErrBusy)
		return
	}

	d.hear(e)
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

// hear tells what a provider that has returned has reported.
func (d *Dispatcher) hear(e *entry) {
	if e.heard {
		return
	}
	e.heard = true
	for _, err := range e.answer.reports {
		d.tell(e, Problem{Stage: stageCollect, Err: err})
	}
}
