package provider

import (
	"context"
	"time"
)

// How long is waited for a provider that was told to return.
const (
	queryGrace = 100 * time.Millisecond // at most, and no more than a tenth of its time
	closeGrace = time.Second            // to release everything
)

// round is one call of each of several providers, all at once.
type round struct {
	stage string
	limit time.Duration // for each provider's answer
	query *Query
	block []byte // what the first provider's objects are appended to
}

// makeRound makes the calls and waits until all have been answered or their
// time is up. What became of each call is in its entry then, and failures have
// been reported. It fails when the query has ended.
//
// The first provider writes straight into the block, the others at the same
// time into buffers of their own.
func (d *Dispatcher) makeRound(ctx context.Context, list []*entry, r round) error {
	now := time.Now()
	if deadline, ok := ctx.Deadline(); ok { // leave time for handing over the others' objects
		r.limit = min(r.limit, deadline.Sub(now)*3/4)
	}
	if r.limit <= 0 { // the context just does not say so yet: no provider is to blame
		return context.DeadlineExceeded
	}
	buf := r.block
	for _, e := range list {
		e.ask(ctx, now.Add(r.limit), call{stage: r.stage, q: r.query, buf: buf})
		buf = nil
	}
	d.pending = len(list)
	switch d.gather(ctx, d.closing, r.limit) {
	case overdue:
		d.endCalls(list, context.DeadlineExceeded, r.limit/10)
	case ended:
		d.endCalls(list, context.Canceled, r.limit/10)
	}
	if err := d.ended(ctx); err != nil {
		return err
	}
	for _, e := range list {
		d.judge(e, r)
	}
	return nil
}

// outcome says why gather stopped waiting.
type outcome int

const (
	answered outcome = iota // all have answered
	overdue                 // the limit was reached
	ended                   // the query has ended
)

// gather takes the answers that are still to come, but does not wait longer
// than the limit, nor when ctx has ended or closing is closed.
func (d *Dispatcher) gather(ctx context.Context, closing <-chan struct{}, limit time.Duration) outcome {
	d.timer.Reset(limit)
	defer d.timer.Stop()
	for d.pending > 0 {
		select {
		case a := <-d.answers:
			d.take(a)
		case <-ctx.Done():
			return ended
		case <-closing:
			return ended
		case <-d.timer.C:
			d.takeAll() // they may be there only because this program did not run
			if d.pending > 0 {
				return overdue
			}
		}
	}
	return answered
}

// takeAll takes the answers that are there.
func (d *Dispatcher) takeAll() {
	for {
		select {
		case a := <-d.answers:
			d.take(a)
		default:
			return
		}
	}
}

// take takes an answer. One that is late only tells that the provider has
// returned.
func (d *Dispatcher) take(a answer) {
	e := d.entries[a.id]
	if e.state == asked {
		d.pending--
		if !e.overdue {
			e.answer = a
		}
	}
	e.state, e.opened = idle, a.opened
	for _, err := range a.reports {
		d.report(e, err)
	}
}

// endCalls tells the providers that have not answered to return, and leaves
// behind those that do not within the grace.
func (d *Dispatcher) endCalls(list []*entry, err error, grace time.Duration) {
	for _, e := range list {
		if e.state == asked {
			e.end(err)
		}
	}
	d.gather(context.Background(), nil, min(grace, queryGrace))
	for _, e := range list {
		if e.state == asked {
			e.leave()
			d.pending--
		}
	}
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
	switch {
	case e.state == late:
		e.told = true
		d.failOverdue(e, r, ErrBusy)
	case e.overdue:
		d.failOverdue(e, r, context.DeadlineExceeded)
	case e.answer.failure.err != nil:
		d.fail(e, r.stage, e.answer.failure)
	case r.stage == stageCollect:
		d.succeed(e)
	}
}
