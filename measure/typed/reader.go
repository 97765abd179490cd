package typed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// Options for [Open]. The zero Options are good defaults.
type Options struct {
	// Cook chooses between readings of the formulas, as in measure.Options.
	Cook counter.Options
	// Machine is whose object is read where the samples are of several machines, as
	// those of a log may be.
	Machine string
	// Clock is what the measurement tells the time by; nil is the system's clock.
	Clock measure.Clock
}

// Reader reads an object of a source into structs of type T. It serves one
// goroutine.
type Reader[T any] struct {
	plan   *plan[T]
	object string
	opt    Options
	m      *measure.Measurement
	cooker frame.Cooker
	prev   frame.Frame
	names  *nametable.Names // that id was found by
	id     winperf.ObjectID
	rows   []T
	time   time.Time
	damage []error
}

// Open prepares to read the object with the name, in any language that the source
// knows or, as #230, by its title index. It takes a first sample, so that the
// rates of the first Read are those since Open.
//
// An error that wraps ErrField is about T: it names the fields. One that wraps
// winperf.ErrNoObject says that the sample does not hold the object,
// and winperf.ErrNotSupported that the source cooks its values itself, or that several
// machines have the object and Options.Machine names none. Others are the source's.
func Open[T any](ctx context.Context, src winperf.Source, object string, opt Options) (*Reader[T], error) {
	plan, err := newPlan[T]()
	if err != nil {
		return nil, err
	}
	r := &Reader[T]{plan: plan, object: object, opt: opt}
	r.m = measure.New(src, r.selection(), measure.Options{FramesOnly: true, Cook: opt.Cook, Clock: opt.Clock})
	if _, err := r.Read(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// selection are the counters of all fields, whether or not the object has
// instances.
func (r *Reader[T]) selection() (sel winperf.Selection) {
	for i := range r.plan.fields {
		name := r.plan.fields[i].counter
		if r.plan.fields[i].what != fromCounter {
			continue
		}
		one := winperf.Path{Machine: r.opt.Machine, Object: r.object, Counter: name}
		all := one
		all.HasInstance, all.Instance = true, "*"
		sel.Paths = append(sel.Paths, all, one)
	}

	if len(sel.Paths) == 0 { // names of instances only
		sel.Paths = []winperf.Path{{
			Machine: r.opt.Machine, Object: r.object, Counter: "*", HasInstance: true, Instance: "*",
		}}
	}
	return sel
}

// Read takes a sample and returns a row for each instance. They are valid until the
// next Read. Where fields are rates it waits until a live source's last sample is
// measure.LeastInterval ago: a rate over a shorter time would be meaningless. After
// io.EOF there are no more samples of a record; after any other error Read may be
// called again.
func (r *Reader[T]) Read(ctx context.Context) ([]T, error) {
	if r.plan.rates {
		if err := r.m.Rest(ctx); err != nil {
			return nil, err
		}
	}

	cycle, err := r.m.Cycle(ctx)
	if err != nil {
		return nil, err
	}
	if cycle.Sample.CheckRaw() != nil {
		return nil, fmt.Errorf("typed reading of values that are cooked already: %w", winperf.ErrNotSupported)
	}

	r.time, r.damage = cycle.Time, append(r.damage[:0], cycle.Damage...)
	prev := r.prev
	r.prev = cycle.Frame
	if err := r.cooker.Set(prev, cycle.Frame, cycle.Cook); err != nil {
		return nil, err
	}

	o, err := r.find(cycle)
	if err == nil {
		r.rows, err = r.plan.Fill(r.rows, &r.cooker, o, cycle.Names)
	}

	if err != nil {
		return nil, err
	}
	return r.rows, nil
}

// find returns the first object of a frame that the name stands for. Names are
// looked up only where they, or the objects, are others than before.
func (r *Reader[T]) find(cycle *measure.Cycle) (frame.Object, error) {
	if r.names == cycle.Names {
		if o, err := r.findOne(cycle.Frame, r.id); err != nil || o != (frame.Object{}) {
			return o, err
		}
	}

	titles := cycle.Names.Lookup(r.object)
	for o := range cycle.Frame.Objects() {
		if slices.Contains(titles, o.ID().Index) && r.of(o.Machine()) {
			r.names, r.id = cycle.Names, o.ID()
			return r.findOne(cycle.Frame, r.id)
		}
	}
	return frame.Object{}, fmt.Errorf("%w as %q in the sample", winperf.ErrNoObject, r.object)
}

// findOne returns the object with the identity, the zero Object where there is none. Of
// the objects of several machines one must be named: a row does not say which machine
// it is of.
func (r *Reader[T]) findOne(f frame.Frame, id winperf.ObjectID) (found frame.Object, err error) {
	for o := range f.Objects() {
		switch {
		case !o.ID().Is(id) || !r.of(o.Machine()):
		case found == (frame.Object{}):
			found = o
		case found.Machine() != o.Machine():
			const form = "%q of several machines at once (Options.Machine chooses one: %s, %s): %w"
			return frame.Object{}, fmt.Errorf(form,
				r.object, found.Machine(), o.Machine(), winperf.ErrNotSupported)
		}
	}
	return found, nil
}

// of reports whether a machine's objects are wanted.
func (r *Reader[T]) of(machine string) bool {
	return r.opt.Machine == "" || strings.EqualFold(r.opt.Machine, machine)
}

// Time is when the last sample was taken, in UTC.
func (r *Reader[T]) Time() time.Time { return r.time }

// Damage is what was found wrong with parts of the last sample, until the next
// Read.
func (r *Reader[T]) Damage() []error { return r.damage }

// Close ends the reading; the source stays open.
func (r *Reader[T]) Close() error {
	r.prev = frame.Frame{}
	return r.m.Close()
}
