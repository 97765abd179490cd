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

// Options configure [Open]. The zero Options are good defaults.
type Options struct {
	// Cook selects variants of the formulas, as in measure.Options.
	Cook counter.Options
	// Machine selects the machine if the samples are of several ones, as in some logs.
	Machine string
	// Clock is the clock of the measurement; nil is the system clock.
	Clock measure.Clock
}

// Reader reads an object of a source into structs of type T. It serves one goroutine.
type Reader[T any] struct {
	filler *filler[T]
	object string
	opt    Options
	m      *measure.Measurement
	cooker frame.Cooker
	prev   frame.Frame
	names  *nametable.Names // in which id was found
	id     winperf.ObjectID
	rows   []T
	time   time.Time
	damage []error
}

// Open returns a Reader of the object with the name, in any language of the source or, as #230, by
// title index. It takes a first sample, so that the first Read returns rates since Open. The caller
// closes the Reader; the source stays open.
//
// An error that wraps ErrField names the fields of T that do not fit. The error wraps
// winperf.ErrNoObject if the sample lacks the object, and winperf.ErrNotSupported if the source has
// displayable values only, or if several machines have the object and Options.Machine selects none.
// Other errors are the source's.
func Open[T any](ctx context.Context, src winperf.Source, object string, opt Options) (*Reader[T], error) {
	filler, err := newFiller[T]()
	if err != nil {
		return nil, err
	}
	r := &Reader[T]{filler: filler, object: object, opt: opt}
	r.m = measure.New(src, r.selection(), measure.Options{FramesOnly: true, Cook: opt.Cook, Clock: opt.Clock})
	if _, err := r.Read(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// selection returns paths for the counters of all fields, with and without instances.
func (r *Reader[T]) selection() (sel winperf.Selection) {
	for i := range r.filler.fields {
		name := r.filler.fields[i].counter
		if r.filler.fields[i].what != fromCounter {
			continue
		}
		one := winperf.Path{Machine: r.opt.Machine, Object: r.object, Counter: name}
		all := one
		all.HasInstance, all.Instance = true, "*"
		sel.Paths = append(sel.Paths, all, one)
	}

	if len(sel.Paths) == 0 { // only names of instances
		sel.Paths = []winperf.Path{{
			Machine: r.opt.Machine, Object: r.object, Counter: "*", HasInstance: true, Instance: "*",
		}}
	}
	return sel
}

// Read takes a sample and returns a row for each instance. They are valid until the next Read. With
// rates Read first waits until a live source's last sample is measure.LeastInterval old, as shorter
// rates would be meaningless. The error is io.EOF at the end of a log; after any other error Read may
// be called again.
func (r *Reader[T]) Read(ctx context.Context) ([]T, error) {
	if r.filler.rates {
		if err := r.m.Rest(ctx); err != nil {
			return nil, err
		}
	}

	cycle, err := r.m.Cycle(ctx)
	if err != nil {
		return nil, err
	}
	if cycle.Sample.CheckRaw() != nil {
		return nil, fmt.Errorf("the source has displayable values only: %w", winperf.ErrNotSupported)
	}

	r.time, r.damage = cycle.Time, append(r.damage[:0], cycle.Damage...)
	prev := r.prev
	r.prev = cycle.Frame
	if err := r.cooker.Set(prev, cycle.Frame, cycle.Cook); err != nil {
		return nil, err
	}

	o, err := r.find(cycle)
	if err == nil {
		r.rows, err = r.filler.Fill(r.rows, &r.cooker, o, cycle.Names)
	}

	if err != nil {
		return nil, err
	}
	return r.rows, nil
}

// find returns the first object of a frame with the name. It looks names up only after they or the
// objects changed.
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

// findOne returns the object with the identity, or the zero Object. It fails if several machines have
// the object, because rows do not name their machine.
func (r *Reader[T]) findOne(f frame.Frame, id winperf.ObjectID) (found frame.Object, err error) {
	for o := range f.Objects() {
		switch {
		case !o.ID().Is(id) || !r.of(o.Machine()):
		case found == (frame.Object{}):
			found = o
		case found.Machine() != o.Machine():
			const form = "several machines have %q; set Options.Machine to one of them (%s, %s): %w"
			return frame.Object{}, fmt.Errorf(form,
				r.object, found.Machine(), o.Machine(), winperf.ErrNotSupported)
		}
	}
	return found, nil
}

// of reports whether objects of the machine are selected.
func (r *Reader[T]) of(machine string) bool {
	return r.opt.Machine == "" || strings.EqualFold(r.opt.Machine, machine)
}

// Time returns the time of the last sample, in UTC.
func (r *Reader[T]) Time() time.Time { return r.time }

// Damage returns the errors found in the last sample. The slice is replaced by the next Read.
func (r *Reader[T]) Damage() []error { return r.damage }

// Close ends the reading; the source stays open.
func (r *Reader[T]) Close() error {
	r.prev = frame.Frame{}
	return r.m.Close()
}
