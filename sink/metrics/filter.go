package metrics

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// filter knows the selected counters and instances.
type filter struct {
	totals  bool // see Options
	lone    bool // keep totals without other instances
	parts   []selection.Part
	exclude []selection.Path
	costly  []uint32

	// Of the current object, positions in parts and exclude:
	including, excluding []int
	single               bool
	instances            []bool // scratch
}

// choice is the selected instances of a counter.
type choice struct {
	none     bool
	whole    bool // all instances except totals that no path names
	paths    []int
	excluded []int
}

func (c *choice) equal(o *choice) bool {
	return c.none == o.none && c.whole == o.whole &&
		slices.Equal(c.paths, o.paths) && slices.Equal(c.excluded, o.excluded)
}

// resolve compiles the selection.
func (w *filter) resolve(opt *Options, names *nametable.Names, schema *winperf.Schema) {
	*w = filter{totals: opt.Totals, lone: opt.LoneTotals, parts: selection.Parts(opt.Select)}
	tables := selection.ShownTables(names)
	for i := range w.parts {
		w.parts[i].Resolve(tables)
	}
	for _, p := range opt.Exclude {
		path := selection.NewPath(p)
		path.Resolve(tables)
		w.exclude = append(w.exclude, path)
	}

	if schema != nil {
		w.costly = schema.Costly
	}
}

// object sets the current object and reports whether any of it may be selected.
func (w *filter) object(o frame.Object) bool {
	w.including, w.excluding, w.single = w.including[:0], w.excluding[:0], o.Single()
	so := selection.Object{ID: o.ID(), Costly: slices.Contains(w.costly, o.ID().Index)}
	for i := range w.parts {
		if w.parts[i].Machine(o.Machine()) && w.parts[i].Selects(so) != selection.NoMatch {
			w.including = append(w.including, i)
		}
	}
	for i := range w.exclude {
		if w.exclude[i].Machine(o.Machine()) && w.exclude[i].Object.Is(o.ID().Index, "") {
			w.excluding = append(w.excluding, i)
		}
	}
	return len(w.parts) == 0 || len(w.including) > 0
}

// choice returns the selected instances of a counter of the current object.
func (w *filter) choice(c *definition) choice {
	is := func(p *selection.Path) bool { return p.Counter.Is(c.ID.Index, "") && p.Fits(w.single) }
	all := func(p *selection.Path) bool { return w.single || p.EveryInstance() }
	chosen := choice{whole: len(w.parts) == 0}
	for _, i := range w.including {
		switch path := w.parts[i].Path; {
		case path == nil, is(path) && all(path):
			chosen.whole = true
		case is(path):
			chosen.paths = append(chosen.paths, i)
		}
	}

	chosen.none = !chosen.whole && len(chosen.paths) == 0
	for _, i := range w.excluding {
		if !is(&w.exclude[i]) {
			continue
		}
		chosen.none = chosen.none || all(&w.exclude[i])
		chosen.excluded = append(chosen.excluded, i)
	}
	if chosen.none {
		return choice{none: true}
	}
	return chosen
}

// mark marks the unselected and the named counters of a layout of the current object.
func (w *filter) mark(l *layout) {
	for k := range l.Counters {
		d := &l.Counters[k]
		d.Unselected = w.choice(mainCounter(l, k)).none
		d.Named = slices.ContainsFunc(w.including, func(i int) bool {
			p := w.parts[i].Path
			return p != nil && !p.Counter.Wildcard() && p.Counter.Is(d.ID.Index, "")
		})
	}
}

// find returns for each instance of an object whether it is selected; totals includes totals that
// no path names. The slice is valid until the next call.
func (w *filter) find(c *choice, o frame.Object, totals bool) []bool {
	n := o.Len()
	w.instances = slices.Grow(w.instances[:0], n)[:n]
	labels := o.Labels()
	totals = totals || w.totals || o.Single() || w.lone && allTotals(labels, n)
	total := func(i int) bool { return !totals && frame.IsTotal(labels.Name(i)) }
	for i := range w.instances {
		w.instances[i] = c.whole && !total(i)
	}
	if len(c.paths) == 0 && len(c.excluded) == 0 {
		return w.instances
	}

	paths := make([]*selection.Path, 0, len(c.paths)+len(c.excluded))
	for _, p := range c.paths {
		paths = append(paths, w.parts[p].Path)
	}
	for _, p := range c.excluded {
		paths = append(paths, &w.exclude[p])
	}

	for p, found := range findAll(paths, o) {
		for _, i := range found {
			switch {
			case p >= len(c.paths):
				w.instances[i] = false
			case !total(int(i)) || paths[p].OneInstance():
				w.instances[i] = true
			}
		}
	}
	return w.instances
}

func allTotals(labels *frame.Labels, n int) bool {
	for i := range n {
		if !frame.IsTotal(labels.Name(i)) {
			return false
		}
	}
	return true
}

func findAll(paths []*selection.Path, o frame.Object) [][]int32 {
	labels := o.Labels()
	find := selection.NewFinder(paths, o.Single(), selection.Every(o.Len()))
	if find.NeedsNames() {
		for i := range o.Len() {
			find.Add(i, labels.Full(i), labels.Occurrence(i))
		}
	}
	return find.Found()
}

// templates returns the templates whose counters are all selected.
func (w *filter) templates(all []template, l *layout) []template {
	unselected := func(k int) bool { return l.Counters[k].Unselected }
	kept := all[:0]
	for _, t := range all {
		t.Columns = slices.DeleteFunc(t.Columns, func(c columnTemplate) bool {
			return slices.ContainsFunc(c.Counters, unselected)
		})
		if len(t.Columns) > 0 {
			kept = append(kept, t)
		}
	}
	return kept
}

// mainCounter returns a counter, or for a base the counter that uses it, because paths do not name
// bases.
func mainCounter(l *layout, k int) *definition {
	if l.Counters[k].Type.IsBase() {
		for c := range l.Counters {
			if l.Counters[c].Base == k {
				return &l.Counters[c]
			}
		}
	}
	return &l.Counters[k]
}
