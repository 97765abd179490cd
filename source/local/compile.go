package local

import (
	"slices"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// compile turns a selection into a query: names into title indices, and
// counters into the hint that tells providers which of their files need not be
// read.
func compile(objects []*provider.Object, sel winperf.Selection) *provider.Query {
	q := &provider.Query{Global: sel.Global, Costly: sel.Costly, Metadata: sel.Metadata, Counters: map[uint32][]uint32{}}
	paths := make([]pathPatterns, len(sel.Paths))
	for i, p := range sel.Paths {
		paths[i] = pathPatterns{winperf.CompilePattern(p.Object), winperf.CompilePattern(p.Counter)}
	}
	for _, o := range objects {
		if sel.Global && !o.Costly || sel.Costly && o.Costly {
			continue // wanted whole as it is
		}
		whole := slices.Contains(sel.Objects, winperf.ObjectID{Index: o.Index})
		counters, named := wantedCounters(o, paths)
		if !whole && !named {
			continue
		}
		q.Objects = append(q.Objects, o.Index)
		if !whole && len(counters) < len(o.Counters) {
			q.Counters[o.Index] = counters
		}
	}
	slices.Sort(q.Objects)
	return q
}

// wantedCounters returns the title indices of the object's counters that paths
// name, and whether a path names the object at all. Costly objects must be
// named in full.
func wantedCounters(o *provider.Object, paths []pathPatterns) (counters []uint32, named bool) {
	wanted := make([]bool, len(o.Counters))
	for _, p := range paths {
		if !names(&p.object, o.Index, o.Name) || o.Costly && p.object.HasWildcard() {
			continue
		}
		named = true
		for i := range o.Counters {
			c := &o.Counters[i]
			wanted[i] = wanted[i] || names(&p.counter, c.Index, c.Name)
		}
	}
	for i := range o.Counters {
		if wanted[i] {
			counters = append(counters, o.Counters[i].Index)
		}
	}
	return counters, named
}

// pathPatterns are the parts of a path that a query depends on.
type pathPatterns struct{ object, counter winperf.Pattern }

// names tells whether the pattern names what has the title index and name: by
// its name, or as # and the index, which nametable takes for a name too.
func names(p *winperf.Pattern, index uint32, name string) bool {
	return p.Match(name) || p.String() == "#"+strconv.FormatUint(uint64(index), 10)
}
