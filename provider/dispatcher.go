package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Options for a [Dispatcher]. The zero Options are ready for use.
type Options struct {
	// Machine is the name in the block's header.
	Machine string
	// Clocks reads the clocks of a sample, right before the first provider is
	// asked. The default is the clocks of the Go runtime in units of 100 ns,
	// PerfTime counting from when the dispatcher was made.
	Clocks func() counter.Clocks
	// OnProblem, if not nil, is told of every failure of a provider. The
	// other providers' objects are served all the same. It must not call the
	// dispatcher.
	OnProblem func(Problem)
}

// Dispatcher asks providers and assembles their answers into one performance
// data block. It may be used from several goroutines; queries take turns.
//
// A provider that fails, or that panics, costs nothing but its own objects,
// and is asked again by the next query. One that goes on for a tenth of a
// second after a query's context has ended is left behind: the query ends
// without it, and the provider is not asked again until it has returned.
type Dispatcher struct {
	opt     Options
	entries []*entry
	objects []*Object
	names   winperf.NameTable
	turn    chan struct{} // holds one element while a query is under way, and from Close on
	closing chan struct{} // closed by Close
	once    sync.Once     // of Close
}

// How long is waited for a provider that a query or Close ends without.
const (
	queryGrace = 100 * time.Millisecond // to notice that the context has ended
	closeGrace = time.Second            // to release everything
)

// NewDispatcher returns a dispatcher over the providers. Their declarations
// are checked: no object may be declared twice, and no title index may stand
// for two texts. The error wraps [ErrSchema].
func NewDispatcher(opt Options, providers ...Provider) (*Dispatcher, error) {
	if opt.Clocks == nil {
		opt.Clocks = runtimeClocks()
	}
	d := &Dispatcher{opt: opt, turn: make(chan struct{}, 1), closing: make(chan struct{})}
	var errs []error
	owner := map[uint32]string{}
	texts := titles{}
	for _, p := range providers {
		e := &entry{provider: p, objects: p.Objects()}
		for _, o := range e.objects {
			errs = append(errs, o.Check(), texts.addObject(o))
			if other, dup := owner[o.Index]; dup {
				errs = append(errs, fmt.Errorf("object %d %q of %s is already one of %s: %w", o.Index, o.Name, p.Name(), other, ErrSchema))
			}
			owner[o.Index] = p.Name()
		}
		d.entries = append(d.entries, e)
		d.objects = append(d.objects, e.objects...)
	}
	var err error
	d.names, err = texts.nameTable()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	return d, nil
}

// runtimeClocks returns a reader of clocks that count in 100 ns.
func runtimeClocks() func() counter.Clocks {
	start := time.Now()
	return func() counter.Clocks {
		now := time.Now()
		return counter.Clocks{PerfTime: int64(now.Sub(start) / 100), PerfFreq: 1e7, Time100ns: winperf.ToFiletime(now)}
	}
}

// Objects returns the declarations of all objects. They must not be changed.
func (d *Dispatcher) Objects() []*Object { return d.objects }

// Names returns the English names and help texts of all objects and counters.
func (d *Dispatcher) Names() winperf.NameTable { return d.names }

// Collect appends one performance data block with the wanted objects to dst.
// A provider that fails is left out and reported; Collect itself fails only
// when ctx has ended or, wrapping [winperf.ErrState], the dispatcher is closed.
// It then returns dst without spare capacity: that memory must not be used
// again, as a provider that was left behind may still write there.
func (d *Dispatcher) Collect(ctx context.Context, q *Query, dst []byte) ([]byte, error) {
	if err := d.takeTurn(ctx); err != nil {
		return slices.Clip(dst), err
	}
	defer func() { <-d.turn }()
	objects := 0
	buf := appendHeader(dst, d.opt.Machine, d.opt.Clocks())
	for _, e := range d.entries {
		if !slices.ContainsFunc(e.objects, q.Wants) {
			continue
		}
		a, err := d.ask(e, call{ctx, q, buf})
		if err != nil {
			return slices.Clip(dst), err
		}
		d.report(e, a.problem)
		buf, objects = a.buf, objects+a.objects
	}
	finishHeader(buf[len(dst):], objects)
	return buf, nil
}

// takeTurn waits for the query before to end.
func (d *Dispatcher) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closing:
		return errClosed()
	}
}

func errClosed() error { return fmt.Errorf("collect from a closed dispatcher: %w", winperf.ErrState) }

// ask lets one provider add its objects to the block. It fails when the query
// has ended.
func (d *Dispatcher) ask(e *entry, c call) (answer, error) {
	if !e.ready() {
		return answer{buf: c.buf, problem: &Problem{Stage: "collect", Err: ErrBusy}}, nil
	}
	e.calls <- c
	var err error
	select {
	case a := <-e.answers:
		return a, c.ctx.Err()
	case <-c.ctx.Done():
		err = c.ctx.Err()
	case <-d.closing:
		err = errClosed()
	}
	_, answered := e.wait(queryGrace)
	e.late = !answered
	return answer{}, err
}

// report tells the user of the dispatcher of a problem, if there is one.
func (d *Dispatcher) report(e *entry, p *Problem) {
	if p == nil || d.opt.OnProblem == nil {
		return
	}
	p.Provider, p.Time = e.provider.Name(), winperf.FromFiletime(d.opt.Clocks().Time100ns)
	d.opt.OnProblem(*p)
}

// Close closes the sessions and returns what went wrong, which is reported as
// well. A query under way ends with an error. A provider that does not return
// within a second is left behind: the error wraps [ErrBusy], and its session is
// closed when it returns.
func (d *Dispatcher) Close() error {
	var errs []error
	d.once.Do(func() {
		close(d.closing)
		d.turn <- struct{}{} // and never given back
		for _, e := range d.entries {
			if p := e.close(); p != nil {
				errs = append(errs, fmt.Errorf("%s: close: %w", e.provider.Name(), p.Err))
				d.report(e, p)
			}
		}
	})
	return errors.Join(errs...)
}

// entry is a provider and the way to its worker.
type entry struct {
	provider Provider
	objects  []*Object
	calls    chan call   // nil: there is no worker yet
	answers  chan answer // has room for those of a call that was left behind and of closing
	late     bool        // the answer of a call that was left behind is still to come
}

// ready makes sure that there is a worker that waits for a call. It returns
// false while the provider has not returned from a call that was left behind.
func (e *entry) ready() bool {
	if e.calls == nil {
		e.calls, e.answers = make(chan call), make(chan answer, 2)
		w := &worker{provider: e.provider, declared: e.objects}
		go w.run(e.calls, e.answers)
	}
	if e.late {
		select {
		case <-e.answers: // too late to be of use
			e.late = false
		default:
		}
	}
	return !e.late
}

// wait waits for the worker's answer, but not longer than limit.
func (e *entry) wait(limit time.Duration) (a answer, ok bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a = <-e.answers:
		return a, true
	case <-timer.C:
		return answer{}, false
	}
}

// close ends the worker, which closes the session.
func (e *entry) close() *Problem {
	if e.calls == nil {
		return nil
	}
	ready := e.ready()
	close(e.calls)
	if ready {
		if a, ok := e.wait(closeGrace); ok {
			return a.problem
		}
	}
	return &Problem{Stage: "close", Err: ErrBusy}
}
