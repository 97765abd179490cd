package provider

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Provider delivers objects. Its calls are those of a Windows performance
// extension DLL: Open, then Collect any number of times, then Close (Microsoft
// Learn, "Creating a Performance Extension DLL").
type Provider interface {
	// Name tells the provider from others in messages.
	Name() string
	// Objects returns the declarations of all objects that it may deliver.
	// It is called once.
	Objects() []*Object
	// Open attaches to the data. It is called before the first query that
	// wants one of the objects and, when it failed, before the next one.
	Open(ctx context.Context) (Session, error)
}

// Session is an opened provider. Its calls never overlap.
type Session interface {
	// Collect writes the wanted objects that can be had now. What it wrote
	// before it returns an error is dropped. When ctx ends, what it writes is
	// wanted no more, and it should return soon.
	Collect(ctx context.Context, q *Query, w *Writer) error
	// Close releases everything.
	Close() error
}

// Problem is what went wrong with a provider.
type Problem struct {
	Provider string
	Stage    string // "open", "collect" or "close"
	Time     time.Time
	Err      error
	Stack    []byte // where it was, if the provider panicked
}

// ErrBusy is wrapped by errors about a provider that has not returned from an
// earlier call.
var ErrBusy = errors.New("provider has not returned")

// call asks a provider for its part of one block.
type call struct {
	ctx context.Context
	q   *Query
	buf []byte // the block so far
}

// answer is what became of a call.
type answer struct {
	buf     []byte // the block with the provider's objects, or as it was
	objects int    // how many objects were added
	problem *Problem
}

// worker makes the calls of one provider, one after the other, on a goroutine
// of its own: a call that does not return holds up nothing but this provider.
type worker struct {
	provider Provider
	declared []*Object
	session  Session // nil: not opened
	writer   Writer
}

// run answers every call until calls is closed, and then once more for closing
// the session.
func (w *worker) run(calls <-chan call, answers chan<- answer) {
	for c := range calls {
		answers <- w.collect(c)
	}
	answers <- w.close()
}

// collect opens the provider if need be and lets it write its objects. Whatever
// goes wrong, the block is left as it was before.
func (w *worker) collect(c call) answer {
	if w.session == nil {
		if p := attempt("open", func() error { return w.open(c.ctx) }); p != nil {
			return answer{buf: c.buf, problem: p}
		}
	}
	w.writer.begin(c.buf, w.declared)
	p := attempt("collect", func() error {
		if err := w.session.Collect(c.ctx, c.q, &w.writer); err != nil {
			return err
		}
		return w.writer.finish()
	})
	if p != nil {
		return answer{buf: c.buf, problem: p}
	}
	return answer{buf: w.writer.buf, objects: w.writer.objects}
}

func (w *worker) open(ctx context.Context) error {
	s, err := w.provider.Open(ctx)
	if err == nil {
		w.session = s
	}
	return err
}

func (w *worker) close() answer {
	if w.session == nil {
		return answer{}
	}
	return answer{problem: attempt("close", w.session.Close)}
}

// attempt makes a call into a provider and tells what went wrong, a panic
// included; nil for nothing.
func attempt(stage string, f func() error) (p *Problem) {
	defer func() {
		if r := recover(); r != nil {
			p = &Problem{Stage: stage, Err: fmt.Errorf("panic: %v", r), Stack: debug.Stack()}
		}
	}()
	if err := f(); err != nil {
		return &Problem{Stage: stage, Err: err}
	}
	return nil
}
