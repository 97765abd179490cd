package typed

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// filler fills structs of type T from objects of frames. It serves one object and one goroutine.
type filler[T any] struct {
	fields  []field
	steps   []step
	pair    *frame.Pair
	layout  int // of the pair when steps were made
	scratch column
	rates   bool // a field needs two samples
}

// step is a field with its counter of the object.
type step struct {
	*field
	k    int
	set  set
	lack bool // the object lacks the counter
	rate bool // needs two samples
	// asKept: read the raw value, because the field is raw or the counter has no other value.
	asKept bool
}

// newFiller reads the tags of T. The error wraps ErrField.
func newFiller[T any]() (*filler[T], error) {
	fields, err := fieldsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return &filler[T]{fields: fields}, nil
}

// Fill returns the rows of an object of the cooker's newer frame, one for each instance, in the
// memory of dst. names are the names in the frame's schema. If the object's definitions changed, the
// fields are bound again; the error then names the fields that do not fit, and wraps ErrField and,
// for a missing counter, winperf.ErrNoCounter.
func (p *filler[T]) Fill(dst []T, ck *frame.Cooker, o frame.Object, names *nametable.Names) ([]T, error) {
	pair := ck.Object(o)
	if p.pair != pair || p.layout != pair.Layout() {
		if err := p.bind(o, names); err != nil {
			p.pair = nil
			return dst[:0], err
		}
		p.pair, p.layout = pair, pair.Layout()
	}

	n := o.Len()
	dst = slices.Grow(dst[:0], n)[:n]
	clear(dst)
	p.scratch.grow(n)

	for i := range p.steps {
		s := &p.steps[i]
		s.fill(of(dst, s.offset), pair, o, p.scratch)
	}
	return dst, nil
}

// bind finds the counters of all fields.
func (p *filler[T]) bind(o frame.Object, names *nametable.Names) error {
	p.steps, p.rates = p.steps[:0], false
	var errs []error
	for i := range p.fields {
		s := step{field: &p.fields[i]}
		if s.what == fromCounter {
			if err := s.bind(o, names); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w: counter %q of %s: %w",
					s.path, ErrField, s.counter, names.Title(o.ID().Index), err))
			}
		}
		p.steps, p.rates = append(p.steps, s), p.rates || s.rate
	}
	return errors.Join(errs...)
}

func (s *step) bind(o frame.Object, names *nametable.Names) (err error) {
	k, there, err := s.find(o, names)
	if !there && s.optional {
		s.lack, s.set = true, s.form.integer
		return nil
	}

	if err != nil {
		return err
	}
	if s.base {
		if k = o.Counter(k).Base; k < 0 {
			return errors.New("the counter has no base")
		}
	}

	// A base has no displayable value.
	c := o.Counter(k)
	s.k, s.asKept = k, s.raw || c.Type.IsBase()
	t := counter.ValueTypeOf(c.Type, c.Size)
	if s.asKept {
		t = rawType(&c)
	}

	s.rate = !s.asKept && c.Type.Samples() == 2
	s.set, err = s.setter(t)
	return err
}

// find returns the position of the field's counter. there is true for an ambiguous name, too. A base
// may have the name of the counter before it, so bases are checked last.
func (s *step) find(o frame.Object, names *nametable.Names) (k int, there bool, err error) {
	base, titles := false, titlesOf(o, false)
	if !s.isAmong(titles, names) {
		base, titles = true, titlesOf(o, true)
	}

	title, err := names.LookupCounter(titles, s.counter)
	if err != nil {
		return 0, s.isAmong(titles, names), err
	}

	for c := o.Counter(k); c.ID.Index != title || c.Type.IsBase() != base; c = o.Counter(k) {
		k++
	}
	return k, true, nil
}

// isAmong reports whether one of the titles has the field's name.
func (s *step) isAmong(titles []uint32, names *nametable.Names) bool {
	return slices.ContainsFunc(names.Lookup(s.counter), func(t uint32) bool {
		return slices.Contains(titles, t)
	})
}

// titlesOf returns the title indices of the object's bases, or of its other counters.
func titlesOf(o frame.Object, bases bool) (titles []uint32) {
	for k := range o.NumCounters() {
		if c := o.Counter(k); c.Type.IsBase() == bases {
			titles = append(titles, c.ID.Index)
		}
	}
	return titles
}

func rawType(c *frame.Counter) counter.ValueType {
	switch {
	case c.Type.IsText():
		return counter.TextValue
	case c.Size == 4:
		return counter.Integer32
	case c.Size == 8:
		return counter.Integer64
	}
	return counter.NoValue
}

func (s *step) fill(r rows, pair *frame.Pair, o frame.Object, c column) {
	switch {
	case s.what == fromInstance:
		for i := range r.n {
			if !o.Single() {
				*place[string](r, i) = o.Labels().Full(i)
			}
		}
		return

	case s.what == fromIndex:
		for i := range r.n {
			*place[int](r, i) = o.Labels().Occurrence(i)
		}
		return

	case s.form.text:
		s.fillText(r, o)
		return
	case s.lack:
		c.status = c.status[:r.n]
		for i := range c.status {
			c.status[i] = counter.NoCounter
		}

	case s.asKept:
		c.readRaw(o, s.k)
	default:
		cooked := pair.Column(s.k)
		c = column{cooked.Bits, cooked.Status}
	}
	s.set(r, c)
}

func (s *step) fillText(r rows, o frame.Object) {
	for i := range r.n {
		v := Value[string]{Status: counter.NoCounter}
		if !s.lack {
			text, ok := o.Text(i, s.k)
			if v = (Value[string]{V: text}); !ok {
				v.Status = counter.InvalidData
			}
		}
		*place[Value[string]](r, i) = v
	}
}

func (c *column) grow(n int) {
	if n > len(c.bits) {
		n = max(n, 2*len(c.bits))
		c.bits, c.status = make([]uint64, n), make([]counter.Status, n)
	}
}

func (c *column) readRaw(o frame.Object, k int) {
	n := o.Len()
	clear(c.status[:n])
	if o.ReadRaw(c.bits[:n], k, 0) {
		return
	}
	for i := range n {
		if _, ok := o.Raw(i, k); !ok {
			c.status[i] = o.Lack(i, k)
		}
	}
}
