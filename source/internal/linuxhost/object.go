package linuxhost

import (
	"context"
	"math"
	"math/bits"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// source reads the figures of one object.
type source interface {
	// probe tells which figures this system gives.
	probe(s *session) fields
	// collect writes the object.
	collect(ctx context.Context, s *session, o *object, w *provider.Writer) error
}

// object is an opened object.
type object struct {
	source
	*spec
	layout *provider.Layout // nil: this system gives none of the counters

	// Of the current query.
	included   bool
	rowsWanted uint64 // bit i: rows[i] will be looked at and can be had
	wanted     fields // what these rows are made of
	named      bool   // the query's hint names the object's counters
}

// open lays out the object with the counters that this system gives.
func (o *object) open(s *session) (err error) {
	given := o.probe(s)
	keep := func(i int) bool { return o.rows[i].from&^given == 0 }
	for i := range o.rows {
		if keep(i) {
			o.layout, err = provider.NewLayout(&o.Object, keep)
			return err
		}
	}
	return nil
}

// plan takes up a query and tells whether it wants the object.
func (o *object) plan(q *provider.Query) bool {
	o.included = o.layout != nil && q.Wants(o.layout.Object())
	if !o.included {
		return false
	}
	_, o.named = q.Counters[o.Index]
	o.want(func(i int) bool { return q.WantsCounter(o.layout.Object(), i) })
	return true
}

// bring takes up a query that wants the object only for what tells its
// instances apart.
func (o *object) bring() {
	o.included = true
	o.named = false
	o.want(func(int) bool { return false })
}

// want notes which rows are wanted, those of the identity always.
func (o *object) want(row func(i int) bool) {
	o.rowsWanted, o.wanted = 0, 0
	for i := range o.rows {
		from := o.rows[i].from
		if o.layout.Has(i) && (from&o.identity != 0 || row(i)) {
			o.rowsWanted |= 1 << i
			o.wanted |= from
		}
	}
}

// write writes the wanted counters of one instance. A counter that lacks a
// figure stays marked as missing.
func (o *object) write(w *provider.ObjectWriter, v *values) {
	for i := range o.rows {
		r := &o.rows[i]
		if o.rowsWanted>>i&1 == 0 {
			continue
		}

		if !v.has(r.from) {
			if v.denied&r.from != 0 {
				w.Deny(i)
			}
			continue
		}

		if r.summed {
			w.Set(i, v.sum(r.from))
			continue
		}

		value := r.of(v)
		if !r.based {
			w.Set(i, value)
			continue
		}

		base := v.sum(r.base) + r.whole
		if r.Type == counter.RawFraction {
			value, base = fraction(value, base)
		}
		w.Set(i, value)
		w.SetBase(i, base)
	}
}

// fraction returns part and whole as the 4-byte numbers of PERF_RAW_FRACTION and
// PERF_RAW_BASE: both are halved until they fit.
func fraction(part, whole uint64) (uint64, uint64) {
	shift := max(0, bits.Len64(max(part, whole))-bits.Len32(math.MaxUint32))
	return part >> shift, whole >> shift
}
