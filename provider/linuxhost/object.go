package linuxhost

import (
	"context"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// spec is an object: what is declared of it and what its counters are made of.
type spec struct {
	// number stands for the object in the indices of its help texts and must
	// never change.
	number int
	index  uint32
	name   string
	help   string
	multi  bool
	first  int // position in rows of the counter to show first
	// identity are the figures that tell instances apart. Their counters are
	// always written.
	identity fields
	// rows are the counters. A row's place stands for it in the indices of
	// the help texts: new rows go to the end.
	rows []row
}

// row is one counter: its declaration and what its raw value is made of.
type row struct {
	index  uint32
	name   string
	typ    counter.Type
	scale  int32
	detail provider.Detail
	from   fields
	// value computes the raw value and, for types that need one, the base. nil
	// stands for the sum of the figures in from. It is called only when all of
	// them are there.
	value func(v *values) (value, base uint64)
	help  string
}

// declare returns the object's declaration.
func (sp *spec) declare() *provider.Object {
	o := &provider.Object{
		Index: sp.index, Name: sp.name, Help: sp.help, HelpIndex: helpIndex(sp.number, 0),
		Multi: sp.multi, Default: sp.first,
	}
	for i := range sp.rows {
		r := &sp.rows[i]
		o.Counters = append(o.Counters, provider.Counter{
			Index: r.index, Name: r.name, Help: r.help, HelpIndex: helpIndex(sp.number, i+1),
			Type: r.typ, Scale: r.scale, Detail: r.detail,
		})
	}
	return o
}

// source reads the figures of one object.
type source interface {
	// probe tells which figures this system gives.
	probe(s *session) fields
	// collect writes the object.
	collect(ctx context.Context, s *session, o *object, w *provider.Writer) error
	// close closes the files that only this object needs.
	close(s *session) error
}

// object is an opened object.
type object struct {
	source
	*spec
	layout *provider.Layout // nil: this system gives none of the counters

	// Of the current query.
	rowsWanted uint64 // bit i: rows[i] will be looked at and can be had
	wanted     fields // what these rows are made of
	named      bool   // the query's hint names the object's counters
}

// open lays out the object with the counters that this system gives.
func (o *object) open(s *session, decl *provider.Object) (err error) {
	given := o.probe(s)
	keep := func(i int) bool { return o.rows[i].from&^given == 0 }
	for i := range o.rows {
		if keep(i) {
			o.layout, err = provider.NewLayout(decl, keep)
			return err
		}
	}
	return nil
}

// plan takes up a query and tells whether it wants the object.
func (o *object) plan(q *provider.Query) bool {
	if o.layout == nil || !q.Wants(o.layout.Object()) {
		return false
	}
	o.rowsWanted, o.wanted = 0, 0
	_, o.named = q.Counters[o.index]
	for i := range o.rows {
		from := o.rows[i].from
		if o.layout.Has(i) && (from&o.identity != 0 || q.WantsCounter(o.layout.Object(), i)) {
			o.rowsWanted |= 1 << i
			o.wanted |= from
		}
	}
	return true
}

// write writes the wanted counters of one instance. A counter that lacks a
// figure stays marked as missing.
func (o *object) write(w *provider.ObjectWriter, v *values) {
	for i := range o.rows {
		r := &o.rows[i]
		if o.rowsWanted>>i&1 == 0 || !v.has(r.from) {
			continue
		}
		if r.value == nil {
			w.Set(i, v.sum(r.from))
			continue
		}
		value, base := r.value(v)
		w.Set(i, value)
		if r.typ.NeedsBase() {
			w.SetBase(i, base)
		}
	}
}
