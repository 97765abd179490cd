// Package call makes calls that may never return: into providers, system libraries,
// file systems and whatever else does not obey a deadline. A caller waits as long as it
// wants to; a call that has not returned by then goes on with the memory that it was
// given, and no further call is made until it has returned.
//
// A [Line] leads to one such thing. A [Round] makes a call on one line, or at the
// same time on several, and waits. [Pauses] are the gaps before what failed is
// asked again.
package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
)

// ErrBusy says that an earlier call has not returned.
var ErrBusy = errors.New("provider has not returned")

// Line leads to something that may never return. There is never more than one call
// on it, made on a goroutine of the line's that waits for the next one: so a call
// allocates nothing. Make a Line with NewLine; end it with Close or, where nothing
// has to be closed behind it, with Rest.
//
// What a call reads and writes belongs to it from its start until it returns. That
// memory belongs to the holder of the line: a caller that took it ([Round.Take]), or
// the only user of a line that is not Busy.
type Line struct {
	turn    chan struct{} // holds one while nobody has taken the line
	back    chan struct{} // holds one while no call is out
	closing chan struct{} // closed by Close
	ended   chan struct{} // closed when nothing runs here any more
	once    sync.Once     // of Close
	err     error         // of what ran last

	calls chan struct{} // has the goroutine make a call; nil: there is no goroutine

	// Of the call that is out, or was the last one.
	run     func(context.Context)
	ctx     *callContext
	outcome Outcome
}

// Outcome is what became of a call, as far as it was waited for.
type Outcome uint8

// The outcomes of a call.
const (
	Returned Outcome = iota // in time
	Overdue                 // within the grace, having been told to return
	Left                    // not while it was waited for
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

// start makes a call. The line is the caller's, with no call out.
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

// work makes calls until there are no more.
func (l *Line) work(calls <-chan struct{}) {
	for range calls {
		l.run(l.ctx)
		l.run = nil
		l.ctx.forget()
		l.back <- struct{}{}
	}
}

// leave leaves the call that is out behind. Its goroutine ends when it returns.
func (l *Line) leave() {
	l.outcome = Left
	l.Rest()
}

// Rest ends the goroutine, which the next call starts again. Like Busy and Outcome it
// is for lines that have one user.
func (l *Line) Rest() {
	if l.calls != nil {
		close(l.calls)
		l.calls = nil
	}
}

// idle reports whether no call is out.
func (l *Line) idle() bool {
	select {
	case <-l.back:
		l.back <- struct{}{}
		return true
	default:
		return false
	}
}

// Busy reports whether a call is out or the line is closed.
func (l *Line) Busy() bool { return !l.idle() }

// Outcome returns what became of the last call of a round. It is for lines that have
// one user.
func (l *Line) Outcome() Outcome { return l.outcome }

// Do makes a call and waits for it, for the limit at most, where that is not 0. An
// error says that the call was not made or has not returned: what it writes must
// not be looked at then. See [Round.Take] and [Round.Call], which allocate nothing.
func (l *Line) Do(ctx context.Context, limit time.Duration, run func(context.Context)) error {
	var r Round
	if err := r.Take(ctx, l, limit); err != nil {
		return err
	}
	return r.Call(l, run)
}

// Once makes a call that is made only once. When ctx ends before it has returned it is
// left behind.
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

// Close ends the line. Callers that wait for it, or for its call, get an error that
// wraps [winperf.ErrState]. last runs at the end, when the call that is out has
// returned; its error is that of Close, which waits for it as long as the grace, and
// then fails with an error that wraps ErrBusy. Closing again only waits.
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

// errClosed ends whatever is under way when a line, or what it belongs to, is closed.
var errClosed = fmt.Errorf("closed: %w", winperf.ErrState)

// busy says why a line could not be had.
func busy(reason error) error {
	return fmt.Errorf("%w from an earlier call: %w", ErrBusy, reason)
}
