package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Round makes calls and waits for them: with Take and Call on one shared line, or with Begin, Ask
// and Wait on several lines in parallel, of which it is the only user. A Round serves one
// goroutine. The zero Round is ready for use; reused, it does not allocate unless a call must be
// cancelled.
type Round struct {
	ctx      context.Context
	deadline time.Time // zero: none
	timer    *time.Timer
	late     <-chan time.Time // fires at the limit; nil for none
	out      []*Line          // lines whose calls have not returned
}

// Begin begins a round that ends with ctx, and after limit unless that is 0. It fails if ctx has
// ended, or if its deadline has passed: then no call should be made, because no answer could be in
// time.
func (r *Round) Begin(ctx context.Context, limit time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := time.Now()
	deadline, ok := ctx.Deadline()
	if ok && !now.Before(deadline) {
		return context.DeadlineExceeded
	}

	r.ctx, r.deadline, r.late, r.out = ctx, deadline, nil, r.out[:0]
	if limit == 0 {
		return nil
	}

	if end := now.Add(limit); !ok || end.Before(deadline) {
		r.deadline = end
	}
	r.late = r.alarm(limit)
	return nil
}

// alarm returns a channel that fires after a time.
func (r *Round) alarm(after time.Duration) <-chan time.Time {
	if r.timer == nil {
		r.timer = time.NewTimer(after)
	} else {
		r.timer.Reset(after)
	}
	return r.timer.C
}

// Share returns the limit of a round whose results are returned together: limit, but at most a
// share of the time that ctx leaves.
func Share(ctx context.Context, limit time.Duration, share float64) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(limit, time.Duration(float64(time.Until(deadline))*share))
	}
	return limit
}

// Ask makes a call on a line that is not Busy.
func (r *Round) Ask(l *Line, run func(context.Context)) {
	<-l.back
	l.start(r.ctx, r.deadline, run)
	r.out = append(r.out, l)
}

// Wait waits until all calls have returned, the round's context ends, the limit is reached or stop
// is closed. Then it cancels running calls by their context, and abandons calls that do not return
// within the grace period. Line.Outcome is the outcome of each call.
func (r *Round) Wait(stop <-chan struct{}, grace time.Duration) { _ = r.wait(stop, grace) }

// wait returns the reason if it abandoned a call, else nil.
func (r *Round) wait(stop <-chan struct{}, grace time.Duration) error {
	reason := r.gather(r.ctx, stop, r.late)
	if reason != nil {
		r.end(reason)
		if grace > 0 && r.gather(context.Background(), nil, r.alarm(grace)) == nil {
			reason = nil
		}
	}
	r.leave()
	return reason
}

// Await waits until all calls have returned, and reports that, or until ctx ends or late fires. It
// cancels no call, so it can be repeated.
func (r *Round) Await(ctx context.Context, late <-chan time.Time) bool {
	return r.gather(ctx, nil, late) == nil
}

// AwaitLeft waits until abandoned calls have returned, ctx ends, the limit is reached or stop is
// closed. The round must have no running calls.
func (r *Round) AwaitLeft(ctx context.Context, lines []*Line, limit time.Duration, stop <-chan struct{}) {
	r.out = append(r.out[:0], lines...)
	_ = r.gather(ctx, stop, r.alarm(limit)) // their lines report the calls that have not returned
	r.out = r.out[:0]
	r.timer.Stop()
}

// gather waits for all running calls, one after the other. It returns the reason if it stopped
// before, else nil.
func (r *Round) gather(ctx context.Context, stop <-chan struct{}, late <-chan time.Time) (reason error) {
	for len(r.out) > 0 && reason == nil {
		last := len(r.out) - 1
		select {
		case <-r.out[last].back:
			r.out[last].back <- struct{}{}
			r.out = r.out[:last]
		case <-ctx.Done():
			reason = ctx.Err()
		case <-stop:
			reason = errClosed
		case <-late:
			reason = context.DeadlineExceeded
		}
	}

	if r.sweep(); len(r.out) == 0 {
		return nil
	}
	return reason
}

// sweep removes calls that have returned, in any order.
func (r *Round) sweep() { r.out = slices.DeleteFunc(r.out, (*Line).idle) }

// Leave cancels the running calls and abandons them.
func (r *Round) Leave() {
	r.sweep()
	r.end(errClosed)
	r.leave()
}

// end cancels the running calls.
func (r *Round) end(reason error) {
	if errors.Is(reason, errClosed) {
		reason = context.Canceled
	}
	for _, l := range r.out {
		l.outcome = Overdue
		l.ctx.end(reason)
	}
}

// leave abandons the running calls. That ends the round.
func (r *Round) leave() {
	for _, l := range r.out {
		l.leave()
	}
	r.ctx, r.deadline, r.out = nil, time.Time{}, r.out[:0]
	if r.timer != nil {
		r.timer.Stop()
	}
}

// Take begins a round on one line and acquires the line, waiting for other rounds and abandoned
// calls to end. If ctx ends or the limit is reached first, it fails with an error that wraps
// ErrBusy. Call must follow.
func (r *Round) Take(ctx context.Context, l *Line, limit time.Duration) error {
	if err := r.Begin(ctx, limit); err != nil {
		if len(l.turn) == 0 || len(l.back) == 0 {
			return busy(err)
		}
		return err
	}

	if err := r.receive(l, l.turn); err != nil {
		r.leave()
		return err
	}

	if err := r.receive(l, l.back); err != nil {
		l.turn <- struct{}{}
		r.leave()
		return err
	}
	return nil
}

// receive receives from one of the two channels that give the round the line.
func (r *Round) receive(l *Line, from <-chan struct{}) error {
	select {
	case <-l.closing:
		return errClosed
	default:
	}

	select {
	case <-from: // the usual case; a select over all channels takes longer than the rest of a call
		return nil
	default:
	}

	select {
	case <-from:
		return nil
	case <-l.closing:
		return errClosed
	case <-r.ctx.Done():
		return busy(r.ctx.Err())
	case <-r.late:
		return busy(context.DeadlineExceeded)
	}
}

// Call makes the call on the acquired line, waits for it until the end of the round, and releases
// the line. After an error the call was abandoned.
func (r *Round) Call(l *Line, run func(context.Context)) error {
	l.start(r.ctx, r.deadline, run)
	r.out = append(r.out, l)
	reason := r.wait(l.closing, 0)
	l.turn <- struct{}{}
	if reason != nil {
		return fmt.Errorf("no answer in time: %w", reason)
	}
	return nil
}
