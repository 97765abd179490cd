package typed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// Options for [Open]. The zero Options are good defaults.
type Options struct {
	// Cook chooses between readings of the formulas.
	Cook counter.Options
}

// Reader reads an object of a source into structs of type T. It serves one
// goroutine.
type Reader[T any] struct {
	plan   *Plan[T]
	object string
	opt    Options
	m      *measure.Context
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
// winperf.ErrNoObject says that the sample does not hold the object, and
// winperf.ErrNotSupported that the source cooks its values itself. Others are
// the source's.
func Open[T any](ctx context.Context, src winperf.Source, object string, opt Options) (*Reader[T], error) {
	plan, err := NewPlan[T]()
	if err != nil {
		return nil, err
	}
	r := &Reader[T]{plan: plan, object: object, opt: opt}
	r.m = measure.New(src, r.selection(), measure.Options{FramesOnly: true})
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
		sel.Paths = append(sel.Paths,
			winperf.Path{Object: r.object, Counter: name, HasInstance: true, Instance: "*"},
			winperf.Path{Object: r.object, Counter: name})
	}
	if len(sel.Paths) == 0 { // names of instances only
		sel.Paths = []winperf.Path{{Object: r.object, Counter: "*", HasInstance: true, Instance: "*"}}
	}
	return sel
}

// Read takes a sample and returns a row for each instance. They are valid until
// the next Read. After io.EOF there are no more samples of a record; after any
// other error Read may be called again.
func (r *Reader[T]) Read(ctx context.Context) ([]T, error) {
	cycle, err := r.m.Cycle(ctx)
	if err != nil {
		return nil, err
	}
	if cycle.Frame.IsZero() {
		return nil, fmt.Errorf("typed reading of values that are cooked already: %w", winperf.ErrNotSupported)
	}
	r.time, r.damage = cycle.Time, append(r.damage[:0], cycle.Damage...)
	if err := cycle.Frame.Retain(); err != nil {
		return nil, err
	}
	r.cooker.Set(r.prev, cycle.Frame, r.opt.Cook)
	o, err := r.find(cycle)
	if err == nil {
		r.rows, err = r.plan.Fill(r.rows, &r.cooker, o, cycle.Names)
	}
	r.prev.Release()
	r.prev = cycle.Frame
	if err != nil {
		return nil, err
	}
	return r.rows, nil
}

// find returns the first object of a frame that the name stands for. Names are
// looked up only where they, or the objects, are others than before.
func (r *Reader[T]) find(cycle *measure.Cycle) (frame.Object, error) {
	if r.names == cycle.Names {
		if o, ok := cycle.Frame.Find(r.id); ok {
			return o, nil
		}
	}
	titles := cycle.Names.Lookup(r.object)
	for o := range cycle.Frame.Objects() {
		if slices.Contains(titles, o.ID().Index) {
			r.names, r.id = cycle.Names, o.ID()
			return o, nil
		}
	}
	return frame.Object{}, fmt.Errorf("%w as %q in the sample", winperf.ErrNoObject, r.object)
}

// Time is when the last sample was taken, in UTC.
func (r *Reader[T]) Time() time.Time { return r.time }

// Damage is what was found wrong with parts of the last sample, until the next
// Read.
func (r *Reader[T]) Damage() []error { return r.damage }

// Close ends the reading; the source stays open.
func (r *Reader[T]) Close() error {
	r.prev.Release()
	r.prev = frame.Frame{}
	return r.m.Close()
}
