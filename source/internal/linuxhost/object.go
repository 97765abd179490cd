package linuxhost

import (
	"context"
	"math"
	"math/bits"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// source reads one object.
type source interface {
	// probe returns the available fields.
	probe(s *session) fields
	collect(ctx context.Context, s *session, o *object, w *provider.Writer) error
}

type object struct {
	source
	*spec
	layout *provider.Layout // nil if no counter is available

	// For the current query:
	included   bool
	rowsNeeded uint64 // bit i: rows[i] is needed and available
	needed     fields // by these rows
	named      bool   // the query names counters of the object
}

func (o *object) open(s *session) (err error) {
	available := o.probe(s)
	keep := func(i int) bool { return o.rows[i].from&^available == 0 }
	for i := range o.rows {
		if keep(i) {
			o.layout, err = provider.NewLayout(&o.Object, keep)
			return err
		}
	}
	return nil
}

// choose selects the rows of a query and reports whether it includes the object.
func (o *object) choose(q *provider.Query) bool {
	o.included = o.layout != nil && q.Includes(o.layout.Object())
	if !o.included {
		return false
	}
	_, o.named = q.Counters[o.Index]
	o.setNeeded(func(i int) bool { return q.IncludesCounter(o.layout.Object(), i) })
	return true
}

// includeIdentity includes only identity counters.
func (o *object) includeIdentity() {
	o.included = true
	o.named = false
	o.setNeeded(func(int) bool { return false })
}

// setNeeded selects rows, always with the identity rows.
func (o *object) setNeeded(row func(i int) bool) {
	o.rowsNeeded, o.needed = 0, 0
	for i := range o.rows {
		from := o.rows[i].from
		if o.layout.Has(i) && (from&o.identity != 0 || row(i)) {
			o.rowsNeeded |= 1 << i
			o.needed |= from
		}
	}
}

// write writes an instance. Counters without a field remain missing.
func (o *object) write(w *provider.ObjectWriter, v *values) {
	for i := range o.rows {
		r := &o.rows[i]
		if o.rowsNeeded>>i&1 == 0 {
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

// fraction halves both numbers until they fit the 4 bytes of PERF_RAW_FRACTION and PERF_RAW_BASE.
func fraction(part, whole uint64) (uint64, uint64) {
	shift := max(0, bits.Len64(max(part, whole))-bits.Len32(math.MaxUint32))
	return part >> shift, whole >> shift
}
