package provider

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// call asks a provider to open or for its part of one block.
type call struct {
	stage string
	ctx   context.Context
	q     *Query
	buf   []byte // what the provider's objects are appended to
}

// answer is what became of a call.
type answer struct {
	id      int     // of the provider: its place in Dispatcher.entries
	opened  bool    // there is a session
	buf     []byte  // the call's buf with the provider's objects
	objects int     // how many objects were added
	failure failure // if it has an error, there is nothing in buf
	reports []error // also of a call that failed: a provider tells each thing once
}

// failure is what went wrong in a call.
type failure struct {
	err   error
	stack []byte // where it was, if the provider panicked
}

// worker makes the calls of one provider, one after the other, on a goroutine
// of its own: a call that does not return holds up nothing but this provider.
type worker struct {
	id       int
	provider Provider
	session  Session // nil: not opened
	writer   Writer
}

// run answers every call until calls is closed, and then once more for closing
// the session.
func (w *worker) run(calls <-chan call, answers chan<- answer) {
	for c := range calls {
		var a answer
		if c.stage == stageOpen {
			a.failure = attempt(func() error { return w.open(c.ctx) })
		} else {
			a = w.collect(c)
		}
		a.id, a.opened = w.id, w.session != nil
		answers <- a
	}
	a := answer{id: w.id}
	if w.session != nil {
		a.failure = attempt(w.session.Close)
	}
	answers <- a
}

func (w *worker) open(ctx context.Context) error {
	s, err := w.provider.Open(ctx)
	if err != nil {
		return err
	}
	if s == nil {
		return errors.New("neither a session nor an error")
	}
	w.session = s
	return nil
}

// collect lets the provider write its objects.
func (w *worker) collect(c call) answer {
	w.writer.begin(c.buf)
	f := attempt(func() error {
		if err := w.session.Collect(c.ctx, c.q, &w.writer); err != nil {
			return err
		}
		return w.writer.finish()
	})
	a := answer{failure: f, reports: w.writer.reports}
	if f.err == nil {
		a.buf, a.objects = w.writer.buf, w.writer.objects
	}
	w.writer.begin(nil) // a provider that kept the writer has nothing to write to
	return a
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
