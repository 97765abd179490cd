// Package call makes calls that may never return: into providers, system libraries and file
// systems, which may not obey a deadline. The caller determines how long it waits. A call
// that has not returned by then keeps its memory, and no further call is made until it
// returns.
//
// A [Line] makes the calls of one such resource. A [Round] makes a call on one line, or in
// parallel on several, and waits. [Pauses] are the intervals between retries.
package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// ErrBusy means that an earlier call has not returned.
var ErrBusy = errors.New("provider has not returned")

// Line makes calls that may never return, one at a time, on its own goroutine, which waits
// for the next call so that a call allocates nothing. Make a Line with NewLine; end it with
// Close or, if nothing must be closed, with Rest.
//
// A call owns the memory it reads and writes until it returns. Otherwise that memory
// belongs to the caller that took the line ([Round.Take]), or to the only user of a line
// that is not Busy.
type Line struct {
	turn    chan struct{} // holds one while no caller has the line
	back    chan struct{} // holds one while no call is running
	closing chan struct{} // closed by Close
	ended   chan struct{} // closed at the end of everything
	once    sync.Once     // of Close
	err     error         // of last

	calls chan struct{} // starts calls; nil: no goroutine

	// Of the current or last call.
	run     func(context.Context)
	ctx     *callContext
	outcome Outcome
}

// Outcome is the result of waiting for a call.
type Outcome uint8

// The outcomes.
const (
	Returned  Outcome = iota // in time
	Overdue                  // within the grace period after cancellation
	Abandoned                // not during the wait
)

// NewLine returns a line.
func NewLine() *Line {
	l := &Line{
		turn: make(chan struct{}, 1), back: make(chan struct{}, 1),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	l.turn <- struct{}{}
	l.back <- struct{}{}
	return l
}

// start makes a call. The caller has the line, without a running call.
func (l *Line) start(ctx context.Context, deadline time.Time, run func(context.Context)) {
	if l.ctx == nil || l.ctx.Err() != nil {
		l.ctx = newCallContext()
	}
	l.ctx.begin(ctx, deadline)
	l.run, l.outcome = run, Returned
	if l.calls == nil {
		l.calls = make(chan struct{}, 1)
		go l.work(l.calls)
	}
	l.calls <- struct{}{}
}

// work makes calls until the channel is closed.
func (l *Line) work(calls <-chan struct{}) {
	for range calls {
		l.run(l.ctx)
		l.run = nil
		l.ctx.forget()
		l.back <- struct{}{}
	}
}

// abandon abandons the running call. Its goroutine ends when it returns.
func (l *Line) abandon() {
	l.outcome = Abandoned
	l.Rest()
}

// Rest ends the goroutine, which the next call starts again. Like Busy and Outcome it is
// for lines with one user.
func (l *Line) Rest() {
	if l.calls != nil {
		close(l.calls)
		l.calls = nil
	}
}

// idle reports whether no call is running.
func (l *Line) idle() bool {
	select {
	case <-l.back:
		l.back <- struct{}{}
		return true
	default:
		return false
	}
}

// Busy reports whether a call is running or the line is closed.
func (l *Line) Busy() bool { return !l.idle() }

// Outcome returns the outcome of the last call of a round. It is for lines with one user.
func (l *Line) Outcome() Outcome { return l.outcome }

// Do makes a call and waits for it, at most for the limit if it is not 0. An error means
// that the call was not made or has not returned: its results must not be read. See
// [Round.Take] and [Round.Call], which allocate nothing.
func (l *Line) Do(ctx context.Context, limit time.Duration, run func(context.Context)) error {
	var r Round
	if err := r.Take(ctx, l, limit); err != nil {
		return err
	}
	return r.Call(l, run)
}

// Once makes a single call. If ctx ends before the call returns, Once returns an error and leaves the
// call running.
func Once[T any](ctx context.Context, run func() (T, error)) (T, error) {
	var value, none T
	var err error
	l := NewLine()
	if left := l.Do(ctx, 0, func(context.Context) { value, err = run() }); left != nil {
		return none, left
	}
	l.Rest()
	return value, err
}

// Close ends the line. Callers that wait for it, or for its call, get an error that wraps
// [winperf.ErrState]. last runs after the running call has returned; Close waits for its
// error for the grace period, and then fails with an error that wraps ErrBusy. Closing
// again only waits.
func (l *Line) Close(grace time.Duration, last func() error) error {
	l.once.Do(func() {
		close(l.closing)
		go func() {
			<-l.turn
			<-l.back
			l.Rest()
			l.err = last()
			close(l.ended)
		}()
	})

	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-l.ended:
		return l.err
	case <-timer.C:
		return fmt.Errorf("close: %w", ErrBusy)
	}
}

// errClosed is the reason when a line or its owner is closed.
var errClosed = fmt.Errorf("closed: %w", winperf.ErrState)

// busy returns the error of a line that is not available.
func busy(reason error) error {
	return fmt.Errorf("%w from an earlier call: %w", ErrBusy, reason)
}
