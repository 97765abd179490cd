package metrics

import (
	"context"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/nametable"
)

// object is what a Mapper knows about an object, from sample to sample.
type object struct {
	objectKey
	uses uint64 // the Mapper's when it was there last

	// What follows from definitions and names:
	learnt    bool
	name      string // English
	form      form
	unwanted  bool         // by the selection
	templates [][]template // by scheme
	cells     []cell       // in the order of schemes, templates and their columns
	wides     []wide
	wideAt    []int32 // by counter: the place among wides, from 1; 0 for none
	baseless  []int   // counters that lacked a base, which may be damage of one sample
	elapsed   int     // position of Elapsed Time, -1 for none

	// What follows from instances:
	rows   []*rowSet
	labels *frame.Labels

	now    frame.Object
	pair   *frame.Pair
	number uint64    // of the object that the values are of
	fresh  bool      // it is another one than in the sample before, or has other names
	same   bool      // it is not another one
	back   bool      // it was not in the sample before, but in an earlier one
	time   time.Time // see Column.Time
}

// objectKey says which object it is.
type objectKey struct {
	id      winperf.ObjectID
	machine string
}

// cell is a column of the Set and how it is filled.
type cell struct {
	template *columnTemplate
	rows     *rowSet // nil for one row without labels
	out      Column
	absent   []uint64 // memory for Column.Absent
	family   int      // in the Set
	column   int      // of the family
}

// renew takes an object of a new frame, and reports whether its families changed.
func (m *Mapper) renew(ctx context.Context, st *object, o frame.Object, f frame.Frame) (changed bool) {
	st.now, st.fresh = o, false
	if st.learnt && !m.stale && st.unwanted {
		return false // whatever it has: it is looked at no further
	}
	if st.learnt && !m.stale && st.number == o.Number() {
		return false // nothing newer was collected
	}

	// Of the same block with other names, the values are where they were: the pair
	// compares it with an older one.
	st.fresh, st.same = true, st.learnt && st.number == o.Number()
	st.pair, st.number, st.time = m.pair(st, o), o.Number(), timeOf(winperf.FromFiletime(o.Clocks().Time100ns), f)
	if !st.learnt || m.stale || st.form != formOf(o) || !st.pair.SameDefinitions() || st.healed(o) {
		m.teach(st, o)
		changed = true
	}

	st.widen()
	m.renewRows(ctx, st, o)
	return changed
}

// form is what an object is besides its definitions: one with the same ones may be another.
type form struct{ single, metadata bool }

func formOf(o frame.Object) form { return form{o.Single(), o.Metadata()} }

// pair compares an object with what it was when it was there last.
func (m *Mapper) pair(st *object, o frame.Object) *frame.Pair {
	if st.back {
		st.back = false
		return m.gone.cooker.Object(o)
	}
	return m.cooker.Object(o)
}

// healed reports whether a counter has a base now that had none when it was learnt.
func (st *object) healed(o frame.Object) bool {
	return slices.ContainsFunc(st.baseless, func(k int) bool { return o.Counter(k).Base >= 0 })
}

// teach makes the templates of an object.
func (m *Mapper) teach(st *object, o frame.Object) {
	st.learnt, st.form, st.labels = true, formOf(o), nil
	st.name, st.cells, st.rows = "", nil, nil
	st.templates, st.baseless = st.templates[:0], st.baseless[:0]
	st.unwanted = !m.wanted.object(o)
	if st.unwanted || o.Metadata() {
		st.wides, st.wideAt = nil, nil
		return
	}

	l := newLayout(o, m.names.In(nametable.English), m.several || m.opt.foreign(o.Machine()) != "")
	st.name = l.Name
	for _, s := range m.schemes {
		st.templates = append(st.templates, m.wanted.templates(s.templates(l), l))
	}
	st.elapsed = elapsedTime(l)
	st.compile(l, m)
}

// newLayout describes an object for schemes.
func newLayout(o frame.Object, names *nametable.Names, machine bool) *layout {
	l := &layout{
		Object: o, Machine: machine,
		Name: names.Title(o.ID().Index), Help: names.Help(o.Help()),
		Counters: make([]definition, o.NumCounters()),
	}
	for k := range l.Counters {
		c := o.Counter(k)
		l.Counters[k] = definition{c, names.Title(c.ID.Index), names.Help(c.Help)}
	}
	return l
}

// elapsedTime returns the position of the counter that tells when an instance began. Other
// counters of the type tell of something that the instance has.
func elapsedTime(l *layout) int {
	for k := range l.Counters {
		d := &l.Counters[k]
		if d.Type == counter.ElapsedTime && (d.ID.Index == titles.ElapsedTime || d.Name == "Elapsed Time") {
			return k
		}
	}
	return -1
}

// compile makes cells of the templates, and finds out which counters are to be unwrapped.
func (st *object) compile(l *layout, m *Mapper) {
	old := st.wides
	st.wides, st.wideAt = nil, nil
	for _, templates := range st.templates {
		for t := range templates {
			for c := range templates[t].Columns {
				col := &templates[t].Columns[c]
				st.cells = append(st.cells, cell{template: col, rows: st.rowSet(&templates[t], col, l, &m.wanted)})
				for _, k := range col.Counters {
					st.unwrap(l, k, old)
				}
			}
		}
	}

	for k := range l.Counters {
		if d := &l.Counters[k]; d.Base < 0 && (d.Type.NeedsBase() || d.Type.IsMulti()) {
			st.baseless = append(st.baseless, k)
		}
	}
}

// rowSet returns the rows of a template's column, which those have in common that choose
// and label instances in the same way.
func (st *object) rowSet(t *template, c *columnTemplate, l *layout, w *wanted) *rowSet {
	if t.Rows == nil {
		return nil
	}
	wants := choice{whole: true}
	if len(c.Counters) > 0 {
		wants = w.choice(mainCounter(l, c.Counters[0]))
	}

	for _, r := range st.rows {
		if r.labelling == t.Rows && r.choice.equal(&wants) {
			return r
		}
	}
	r := &rowSet{labelling: t.Rows, choice: wants}
	st.rows = append(st.rows, r)
	return r
}
