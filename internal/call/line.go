// Package call makes calls that may never return: into providers, system libraries and file systems
// without deadlines. A caller waits as long as it chooses. A call that has not returned by then
// continues and keeps the memory that it received; no further call is made until it has returned.
//
// A [Line] serializes the calls to one such target. A [Round] makes calls on one line, or on
// several in parallel, and waits for them. [Pauses] are the gaps before a failed target is called
// again.
package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// ErrBusy: an earlier call has not returned.
var ErrBusy = errors.New("provider has not returned")

// Line serializes calls to a target that may never return. At most one call runs at a time, on a
// reused goroutine, so that calls do not allocate. Make a Line with NewLine; end it with Close or,
// if the target needs no closing, with Rest.
//
// A call owns the memory that it reads and writes until it returns. Otherwise this memory belongs
// to the holder of the line: a caller that acquired it ([Round.Take]), or the only user of a line
// that is not Busy.
type Line struct {
	turn    chan struct{} // contains an element while the line is free
	back    chan struct{} // contains an element while no call runs
	closing chan struct{} // closed by Close
	ended   chan struct{} // closed after the last call
	once    sync.Once     // of Close
	err     error         // of the last function of Close

	calls chan struct{} // starts a call; nil: no goroutine

	// The current or latest call.
	run     func(context.Context)
	ctx     *callContext
	outcome Outcome
}

// Outcome is the result of waiting for a call.
type Outcome uint8

// The outcomes of a call.
const (
	Returned Outcome = iota // in time
	Overdue                 // within the grace period, after it was cancelled
	Left                    // not before the caller stopped waiting
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

// start starts a call. The caller must hold the line, with no call running.
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

// leave abandons the running call. Its goroutine ends when it returns.
func (l *Line) leave() {
	l.outcome = Left
	l.Rest()
}

// Rest ends the goroutine; the next call starts it again. Like Busy and Outcome it is for lines
// with one user.
func (l *Line) Rest() {
	if l.calls != nil {
		close(l.calls)
		l.calls = nil
	}
}

// idle reports whether no call runs.
func (l *Line) idle() bool {
	select {
	case <-l.back:
		l.back <- struct{}{}
		return true
	default:
		return false
	}
}

// Busy reports whether a call runs or the line is closed.
func (l *Line) Busy() bool { return !l.idle() }

// Outcome returns the outcome of the latest call of a round. It is for lines with one user.
func (l *Line) Outcome() Outcome { return l.outcome }

// Do makes a call and waits for it, at most for limit unless that is 0. After an error the call was
// not made or has not returned: the caller must not use the memory that it writes. [Round.Take] and
// [Round.Call] do not allocate.
func (l *Line) Do(ctx context.Context, limit time.Duration, run func(context.Context)) error {
	var r Round
	if err := r.Take(ctx, l, limit); err != nil {
		return err
	}
	return r.Call(l, run)
}

// Once makes a single call. If ctx ends before it has returned, the call is abandoned.
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
// [winperf.ErrState]. last runs after the running call has returned, and Close returns its error.
// Close waits at most for the grace period, and then returns an error that wraps ErrBusy. Further
// calls only wait.
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

// errClosed cancels calls and waits when a line is closed.
var errClosed = fmt.Errorf("closed: %w", winperf.ErrState)

// busy returns the error of a line that is not available.
func busy(reason error) error {
	return fmt.Errorf("%w from an earlier call: %w", ErrBusy, reason)
}
