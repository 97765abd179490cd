package provider

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

type answer struct {
	err     error
	buf     []byte
	objects int
	reports []error // also of a failed call, since a provider reports each problem once
}

type panicked struct {
	cause any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.cause) }

func (e *entry) openSession(ctx context.Context) {
	e.answer = answer{err: attempt(func() error {
		s, err := e.provider.Open(ctx)
		if err == nil && s == nil {
			err = errors.New("neither a session nor an error from Open")
		}
		if err == nil {
			e.session = s
		}
		return err
	})}
}

func (e *entry) collect(ctx context.Context) {
	w := &e.writer
	w.clocks = e.clocks
	w.begin(e.block)
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
	w.begin(nil) // a provider that kept the writer cannot write any more
}

func (e *entry) closeSession() error {
	if e.session == nil {
		return nil
	}
	return attempt(e.session.Close)
}

// stop is the panic value with which a [Writer] ends a call that writes too much.
type stop struct{ err error }

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
