package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Round makes calls and waits for them: with Take and Call on one shared line, or with
// Begin, Ask and Wait on several lines in parallel, which it uses alone. One goroutine may
// use a Round. The zero Round is ready for use; a reused Round allocates nothing unless a
// call is cancelled.
type Round struct {
	ctx      context.Context
	deadline time.Time // zero: none
	timer    *time.Timer
	late     <-chan time.Time // fires at the limit; nil: no limit
	out      []*Line          // whose calls have not returned
}

// Begin begins a round that ends with ctx, and after the limit if it is not 0. It fails if
// ctx has ended or its deadline has passed, because no answer could be in time.
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

func (r *Round) alarm(after time.Duration) <-chan time.Time {
	if r.timer == nil {
		r.timer = time.NewTimer(after)
	} else {
		r.timer.Reset(after)
	}
	return r.timer.C
}

// Share returns the limit of a round whose answers are returned together: at most a share
// of the time until ctx's deadline.
func Share(ctx context.Context, limit time.Duration, share float64) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(limit, time.Duration(float64(time.Until(deadline))*share))
	}
	return limit
}

// Start makes a call on a line that is not Busy.
func (r *Round) Start(l *Line, run func(context.Context)) {
	<-l.back
	l.start(r.ctx, r.deadline, run)
	r.out = append(r.out, l)
}

// Wait waits until all calls have returned, the round's context ends, the limit is reached
// or stop is closed. Then it cancels the running calls, and abandons calls that do not
// return within the grace period. See each line's Outcome.
func (r *Round) Wait(stop <-chan struct{}, grace time.Duration) { _ = r.wait(stop, grace) }

// wait returns why a call was abandoned, or nil.
func (r *Round) wait(stop <-chan struct{}, grace time.Duration) error {
	reason := r.gather(r.ctx, stop, r.late)
	if reason != nil {
		r.end(reason)
		if grace > 0 && r.gather(context.Background(), nil, r.alarm(grace)) == nil {
			reason = nil
		}
	}
	r.abandon()
	return reason
}

// Await waits until all calls have returned, and reports whether they have, or until ctx
// ends or late fires. It cancels no call; it can be called again.
func (r *Round) Await(ctx context.Context, late <-chan time.Time) bool {
	return r.gather(ctx, nil, late) == nil
}

// AwaitAbandoned waits until abandoned calls have returned, ctx ends, the limit is reached or
// stop is closed. The round must have no calls.
func (r *Round) AwaitAbandoned(
	ctx context.Context, lines []*Line, limit time.Duration, stop <-chan struct{},
) {
	r.out = append(r.out[:0], lines...)
	_ = r.gather(ctx, stop, r.alarm(limit)) // the lines report which have not returned
	r.out = r.out[:0]
	r.timer.Stop()
}

// gather waits for the running calls, one after the other. It returns why it stopped, nil
// if all have returned.
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

// sweep removes the calls that have returned. Some may have while gather waited for another
// one or this program was suspended.
func (r *Round) sweep() { r.out = slices.DeleteFunc(r.out, (*Line).idle) }

// Abandon cancels and abandons the running calls.
func (r *Round) Abandon() {
	r.sweep()
	r.end(errClosed)
	r.abandon()
}

func (r *Round) end(reason error) {
	if errors.Is(reason, errClosed) {
		reason = context.Canceled
	}
	for _, l := range r.out {
		l.outcome = Overdue
		l.ctx.end(reason)
	}
}

// abandon abandons the running calls and ends the round.
func (r *Round) abandon() {
	for _, l := range r.out {
		l.abandon()
	}
	r.ctx, r.deadline, r.out = nil, time.Time{}, r.out[:0]
	if r.timer != nil {
		r.timer.Stop()
	}
}

// Take begins a round on one line and waits until the line is free and abandoned calls have
// returned. If ctx ends or the limit is reached before, the error wraps ErrBusy. Call must
// follow.
func (r *Round) Take(ctx context.Context, l *Line, limit time.Duration) error {
	if err := r.Begin(ctx, limit); err != nil {
		if len(l.turn) == 0 || len(l.back) == 0 {
			return busy(err)
		}
		return err
	}

	if err := r.receive(l, l.turn); err != nil {
		r.abandon()
		return err
	}

	if err := r.receive(l, l.back); err != nil {
		l.turn <- struct{}{}
		r.abandon()
		return err
	}
	return nil
}

// receive waits for one of the two channels that make the line available.
func (r *Round) receive(l *Line, from <-chan struct{}) error {
	select {
	case <-l.closing:
		return errClosed
	default:
	}

	select {
	case <-from: // the usual case; the full select takes longer than the rest of a call
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

// Call makes the call on the line that was taken, waits for it within the round, and
// releases the line. An error means that the call was abandoned.
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
