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
		class := sel.Global && !o.Costly || sel.Costly && o.Costly
		counters, how := wantedCounters(o, paths)
		if slices.Contains(sel.Objects, winperf.ObjectID{Index: o.Index}) {
			counters, how = allCounters(o), inFull
		}
		switch {
		case class && how == inFull && len(counters) == len(o.Counters):
			q.Counters[o.Index] = counters
		case class || how == notNamed:
			continue // wanted whole as it is, or not at all
		case how == inFull || len(counters) < len(o.Counters):
			q.Counters[o.Index] = counters
		}
		if !class {
			q.Objects = append(q.Objects, o.Index)
		}
	}
	slices.Sort(q.Objects)
	return q
}

// naming says how paths name an object.
type naming uint8

const (
	notNamed   naming = iota
	byWildcard        // as one of many
	// inFull is what a costly object needs to be read at all. It brings a hint
	// also where all counters are wanted, which is how providers are asked for
	// those that they read only on request.
	inFull
)

// wantedCounters returns the title indices of the object's counters that paths
// name, and how they name the object.
func wantedCounters(o *provider.Object, paths []pathPatterns) (counters []uint32, how naming) {
	wanted := make([]bool, len(o.Counters))
	for _, p := range paths {
		by := inFull
		if p.object.HasWildcard() {
			by = byWildcard
		}
		if !names(&p.object, o.Index, o.Name) || o.Costly && by != inFull {
			continue
		}
		how = max(how, by)
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
	return counters, how
}

// allCounters returns the title indices of all of an object's counters.
func allCounters(o *provider.Object) (counters []uint32) {
	for i := range o.Counters {
		counters = append(counters, o.Counters[i].Index)
	}
	return counters
}

// pathPatterns are the parts of a path that a query depends on.
type pathPatterns struct{ object, counter winperf.Pattern }

// names tells whether the pattern names what has the title index and name: by
// its name, or as # and the index, which nametable takes for a name too.
func names(p *winperf.Pattern, index uint32, name string) bool {
	return p.Match(name) || p.String() == "#"+strconv.FormatUint(uint64(index), 10)
}
