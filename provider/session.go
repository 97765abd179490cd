package provider

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// answer is what became of a call into a provider.
type answer struct {
	failure failure
	buf     []byte  // what the call was given with the provider's objects; nothing after a failure
	objects int     // how many objects were added
	reports []error // also of a call that failed: a provider tells each thing once
}

// failure is what went wrong in a call.
type failure struct {
	err   error
	stack []byte // where it was, if the provider panicked
}

// openSession attaches the provider to its data.
func (e *entry) openSession(ctx context.Context) {
	e.answer = answer{failure: attempt(func() error {
		s, err := e.provider.Open(ctx)
		if err == nil && s == nil {
			err = errors.New("neither a session nor an error")
		}
		if err == nil {
			e.session = s
		}
		return err
	})}
}

// collect lets the provider write its objects.
func (e *entry) collect(ctx context.Context) {
	w := &e.writer
	w.begin(e.given)
	f := attempt(func() error {
		if err := e.session.Collect(ctx, e.query, w); err != nil {
			return err
		}
		return w.finish()
	})

	e.answer = answer{failure: f, reports: w.reports}
	if f.err == nil {
		e.answer.buf = w.buf
		e.answer.objects = w.objects
	}
	w.begin(nil) // a provider that kept the writer has nothing to write to
}

// closeSession releases what the provider holds.
func (e *entry) closeSession() failure {
	if e.session == nil {
		return failure{}
	}
	return attempt(e.session.Close)
}

// stop is what a [Writer] panics with to end a call that would go on writing.
type stop struct{ err error }

// attempt makes a call into a provider and tells what went wrong, a panic
// included.
func attempt(f func() error) (failed failure) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			failed = failure{err: r.err}
		default:
			failed = failure{err: fmt.Errorf("panic: %v", r), stack: debug.Stack()}
		}
	}()
	return failure{err: f()}
}
