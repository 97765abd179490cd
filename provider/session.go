package provider

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// answer is what became of a call into a provider.
type answer struct {
	err     error
	buf     []byte  // what the call was given with the provider's objects; nothing after a failure
	objects int     // how many objects were added
	reports []error // also of a call that failed: a provider tells each thing once
}

// panicked is what a provider panicked with, and where.
type panicked struct {
	cause any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.cause) }

// openSession attaches the provider to its data.
func (e *entry) openSession(ctx context.Context) {
	e.answer = answer{err: attempt(func() error {
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
	w.clocks = e.clocks
	w.begin(e.given)
	err := attempt(func() error {
		if err := e.session.Collect(ctx, e.query, w); err != nil {
			return err
		}
		return w.finish()
	})

	e.answer = answer{err: err, reports: w.reports}
	if err == nil {
		e.answer.buf = w.buf
		e.answer.objects = w.objects
	}
	w.begin(nil) // a provider that kept the writer has nothing to write to
}

// closeSession releases what the provider holds.
func (e *entry) closeSession() error {
	if e.session == nil {
		return nil
	}
	return attempt(e.session.Close)
}

// stop is what a [Writer] panics with to end a call that would go on writing.
type stop struct{ err error }

// attempt makes a call into a provider and tells what went wrong, a panic
// included.
func attempt(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			err = r.err
		default:
			err = &panicked{r, debug.Stack()}
		}
	}()
	return f()
}
