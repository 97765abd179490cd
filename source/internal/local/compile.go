package local

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/provider"
)

// compile turns a selection into a query. Names become title indices. Counters become a hint, with
// which providers can skip files that they need not read.
func compile(objects []*provider.Object, sel winperf.Selection) *provider.Query {
	q := &provider.Query{
		Global: sel.Global, Costly: sel.Costly, Metadata: sel.Metadata,
		Counters: map[uint32][]uint32{},
	}
	for _, id := range sel.Unneeded {
		q.Unneeded = append(q.Unneeded, id.Index)
	}

	parts := selection.Parts(sel)
	for _, o := range objects {
		counters, match := selectedCounters(o, parts)
		if match == selection.NoMatch {
			continue
		}

		// A query for a whole object has the hint with all its counters, too, because it makes
		// providers read counters that they read only on request. In a query for the class of an
		// object, the whole object is wanted even if a path names only a part.
		class := sel.Global && !o.Costly && !slices.Contains(q.Unneeded, o.Index) || sel.Costly && o.Costly
		whole := len(counters) == len(o.Counters)
		if whole && match == selection.InFull || !whole && !class {
			q.Counters[o.Index] = counters
		}
		if !class {
			q.Objects = append(q.Objects, o.Index)
		}
	}
	slices.Sort(q.Objects)
	return q
}

// selectedCounters returns the title indices of the object's counters that a selection wants, and how
// the selection wants the object. Classes of objects select no single counters.
func selectedCounters(o *provider.Object, parts []selection.Part) (counters []uint32, match selection.Match) {
	object := selection.Object{ID: winperf.ObjectID{Index: o.Index}, Costly: o.Costly}
	var selecting []*selection.Part
	for i := range parts {
		how := selection.NoMatch
		for _, object.Name = range namesOf(o.Name, o.Languages) {
			how = max(how, parts[i].Requests(object))
		}
		if how != selection.NoMatch {
			match, selecting = max(match, how), append(selecting, &parts[i])
		}
	}

	for k := range o.Counters {
		c := &o.Counters[k]
		names := namesOf(c.Name, c.Languages)
		named := func(p *selection.Part) bool {
			is := func(name string) bool { return p.Path.Counter.Is(c.Index, name) }
			return !p.Class && (p.Path == nil || slices.ContainsFunc(names, is))
		}
		if slices.ContainsFunc(selecting, named) {
			counters = append(counters, c.Index)
		}
	}
	return counters, match
}

// namesOf returns the names of an object or counter in all languages.
func namesOf(english string, languages map[string]provider.Text) []string {
	names := []string{english}
	for _, text := range languages {
		names = append(names, text.Name)
	}
	return names
}
