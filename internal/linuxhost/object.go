package linuxhost

import (
	"context"
	"strings"

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
	costly bool   // only on request: to read it disturbs what is measured
	parent uint32 // title index of an earlier object that holds the instances' parents; it comes along
	first  int    // position in rows of the counter to show first
	// identity are the figures that tell instances apart. Their counters are
	// always written.
	identity fields
	// rows are the counters. A row's place stands for it in the indices of
	// the help texts: new rows go to the end.
	rows []row
	// borrowed is how many of rows, the last ones, are those of another object.
	// The indices of their help texts have a range of their own, so that new
	// rows of either object move none.
	borrowed int
	// origin is where the figures stand under the names of keys, for an object
	// whose rows' help texts leave it to be added: "/proc/net/snmp, Tcp:".
	origin string
	keys   []key
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
		Multi: sp.multi, Costly: sp.costly, Default: sp.first,
	}
	for i := range sp.rows {
		r := &sp.rows[i]
		c := provider.Counter{
			Index: r.index, Name: r.name, Help: sp.helpText(r),
			HelpIndex: helpIndex(sp.number, sp.helpPosition(i)),
			Type:      r.typ, Scale: r.scale, Detail: r.detail,
		}
		if r.typ == counter.Precision100NSTimer {
			c.BaseSlot = "time" // the moment of reading is the same for all
		}
		o.Counters = append(o.Counters, c)
	}
	return o
}

// borrowedHelp is where the help texts of borrowed rows begin.
const borrowedHelp = 500

// helpPosition returns the position of a row's help text among the object's.
func (sp *spec) helpPosition(row int) int {
	if own := len(sp.rows) - sp.borrowed; row >= own {
		return borrowedHelp + row - own
	}
	return row + 1
}

// helpText returns the help text of a counter.
func (sp *spec) helpText(r *row) string {
	if sp.origin == "" {
		return r.help
	}
	var names []string
	for _, k := range sp.keys {
		if r.from&k.fields != 0 {
			names = append(names, k.name)
		}
	}
	return r.help + " From " + sp.origin + " " + strings.Join(names, " + ") + "."
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
	included   bool
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
	o.included = o.layout != nil && q.Wants(o.layout.Object())
	if !o.included {
		return false
	}
	_, o.named = q.Counters[o.index]
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
