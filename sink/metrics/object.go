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

// object is the state of an object between samples.
type object struct {
	objectKey
	uses uint64 // the Mapper's, at the last appearance

	// From definitions and names:
	described  bool
	name       string // English
	form       form
	unselected bool         // by the selection
	templates  [][]template // by scheme
	cells      []cell       // in the order of schemes, templates and their columns
	wides      []wide
	wideAt     []int32 // by counter: the position in wides, from 1; 0 for none
	baseless   []int   // counters whose base was missing, perhaps by damage of one sample
	elapsed    int     // position of Elapsed Time, -1 for none

	// From instances:
	rows   []*rowSet
	labels *frame.Labels

	now    frame.Object
	pair   *frame.Pair
	number uint64    // of the object with the current values
	fresh  bool      // the values or names changed since the previous sample
	same   bool      // the values are unchanged
	back   bool      // it returned after missing samples
	booted int64     // the object's PerfTime, which falls if the machine restarts
	again  bool      // it fell
	time   time.Time // see Column.Time
}

type objectKey struct {
	id      winperf.ObjectID
	machine string
}

type cell struct {
	template *columnTemplate
	rows     *rowSet // nil for one row without labels
	out      Column
	absent   []uint64 // memory for Column.Absent
	grows    bool     // a value of out must not fall
	family   int      // in the Set
	column   int      // of the family
	held     bool     // the latest sample has a kept value in place of a smaller one
}

// renew updates an object from a new frame and reports whether its families changed.
func (m *Mapper) renew(ctx context.Context, st *object, o frame.Object, f frame.Frame) (changed bool) {
	st.now, st.fresh = o, false
	if st.described && !m.stale && st.unselected {
		return false
	}
	if st.described && !m.stale && st.number == o.Number() {
		return false // nothing newer was sampled
	}

	// The same block with other names: the values are unchanged, and the pair compares it with an
	// older block.
	st.fresh, st.same = true, st.described && st.number == o.Number()
	st.pair, st.number = m.pair(st, o), o.Number()
	st.time = timeOf(winperf.FromFiletime(o.Clocks().Time100ns), f)
	st.again, st.booted = o.Clocks().PerfTime < st.booted, o.Clocks().PerfTime
	if !st.described || m.stale || st.form != formOf(o) || !st.pair.SameDefinitions() || st.gotBase(o) {
		m.describe(st, o)
		changed = true
	}

	st.widen()
	m.renewRows(ctx, st, o)
	return changed
}

// form distinguishes objects with equal definitions.
type form struct{ single, metadata bool }

func formOf(o frame.Object) form { return form{o.Single(), o.Metadata()} }

// pair compares an object with its last appearance.
func (m *Mapper) pair(st *object, o frame.Object) *frame.Pair {
	if st.back {
		st.back = false
		return m.removed.cooker.Object(o)
	}
	return m.cooker.Object(o)
}

// gotBase reports whether a missing base is now present.
func (st *object) gotBase(o frame.Object) bool {
	return slices.ContainsFunc(st.baseless, func(k int) bool { return o.Counter(k).Base >= 0 })
}

func (m *Mapper) describe(st *object, o frame.Object) {
	st.described, st.form, st.labels = true, formOf(o), nil
	st.name, st.cells, st.rows = "", nil, nil
	st.templates, st.baseless = st.templates[:0], st.baseless[:0]
	st.unselected = !m.filter.object(o)
	if st.unselected || o.Metadata() {
		st.wides, st.wideAt = nil, nil
		return
	}

	l := newLayout(o, m.names.In(nametable.English), m.several || m.opt.foreign(o.Machine()) != "")
	m.filter.mark(l)
	st.name = l.Name
	for _, s := range m.schemes {
		st.templates = append(st.templates, m.filter.templates(s.templates(l), l))
	}
	st.elapsed = elapsedTime(l)
	st.compile(l, m)
}

func newLayout(o frame.Object, names *nametable.Names, machine bool) *layout {
	l := &layout{
		Object: o, Machine: machine,
		Name: names.Title(o.ID().Index), Help: names.Help(o.Help()),
		Counters: make([]definition, o.NumCounters()),
	}
	for k := range l.Counters {
		c := o.Counter(k)
		l.Counters[k] = definition{Counter: c, Name: names.Title(c.ID.Index), Help: names.Help(c.Help)}
	}
	return l
}

// elapsedTime returns the position of the counter with the instance's start. Other counters of the
// type are about parts of the instance.
func elapsedTime(l *layout) int {
	for k := range l.Counters {
		d := &l.Counters[k]
		if d.Type == counter.ElapsedTime && (d.ID.Index == titles.ElapsedTime || d.Name == "Elapsed Time") {
			return k
		}
	}
	return -1
}

// compile makes cells of the templates and selects the counters to unwrap.
func (st *object) compile(l *layout, m *Mapper) {
	old := st.wides
	st.wides, st.wideAt = nil, nil
	for _, templates := range st.templates {
		for t := range templates {
			for c := range templates[t].Columns {
				col := &templates[t].Columns[c]
				kind := templates[t].Type
				st.cells = append(st.cells, cell{
					template: col, rows: st.rowSet(&templates[t], col, l, &m.filter),
					grows: kind == Counter || kind == Summary,
				})
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

// rowSet returns the rows of a template's column. Columns with the same labelling and selection
// share them.
func (st *object) rowSet(t *template, c *columnTemplate, l *layout, w *filter) *rowSet {
	if t.Rows == nil {
		return nil
	}
	chosen := choice{whole: true}
	if len(c.Counters) > 0 {
		chosen = w.choice(mainCounter(l, c.Counters[0]))
	}

	for _, r := range st.rows {
		if r.labelling == t.Rows && r.choice.equal(&chosen) {
			return r
		}
	}
	r := &rowSet{labelling: t.Rows, choice: chosen}
	st.rows = append(st.rows, r)
	return r
}
