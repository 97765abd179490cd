package selection

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/wire"
)

// Finder finds the instances of an object that each of several paths selects. It reads the
// instances once; its time grows with the number of instances plus paths, except for paths
// whose instance begins with a wildcard, which are compared with every name.
type Finder struct {
	paths    []*Path
	found    [][]int32
	compared []int32            // paths that are compared with every name
	starts   map[string][]int32 // paths by the beginning of matching names
	lengths  []int              // of the beginnings of patterns
	folded   []byte             // scratch
}

// few is the number of paths that are compared with every name: a map lookup takes as long
// as a few comparisons.
const few = 4

// Every returns the positions of n instances.
func Every(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// NewFinder returns a Finder for paths that select an object, given the positions of all
// its instances; a nil path selects all. single means that the object has no instances.
func NewFinder(paths []*Path, single bool, all []int32) *Finder {
	f := &Finder{paths: paths, found: make([][]int32, len(paths))}
	var named []int32
	for k, p := range paths {
		switch {
		case p != nil && !p.Fits(single):
		case p == nil, single, p.EveryInstance():
			f.found[k] = all
		default:
			named = append(named, int32(k))
		}
	}

	if len(named) <= few {
		f.compared = named
		return f
	}

	f.starts = make(map[string][]int32, len(named))
	for _, k := range named {
		f.index(k)
	}

	slices.Sort(f.lengths)
	f.lengths = slices.Compact(f.lengths)
	return f
}

// index indexes a path by the folded beginning of matching names: for a path without
// wildcards the whole name with an end mark.
func (f *Finder) index(k int32) {
	name := f.paths[k].Original.Instance
	at := strings.IndexAny(name, "*?")
	switch {
	case at == 0:
		f.compared = append(f.compared, k)
		return
	case at > 0:
		f.folded = wire.AppendFolded(f.folded[:0], name[:at])
		f.lengths = append(f.lengths, len(f.folded))
	default:
		f.folded = append(wire.AppendFolded(f.folded[:0], name), 0)
	}
	f.starts[string(f.folded)] = append(f.starts[string(f.folded)], k)
}

// NeedsNames reports whether the result depends on names. Otherwise Add need not be called.
func (f *Finder) NeedsNames() bool { return len(f.compared)+len(f.starts) > 0 }

// Add adds the name of instance i: its full name and its number among instances of the same
// name. Positions must not decrease; an instance with several names is added under each.
func (f *Finder) Add(i int, full string, occurrence int) {
	f.compare(f.compared, i, full, occurrence)
	if len(f.starts) == 0 {
		return
	}

	f.folded = append(wire.AppendFolded(f.folded[:0], full), 0)
	f.compare(f.starts[string(f.folded)], i, full, occurrence)
	for _, n := range f.lengths {
		if n < len(f.folded) {
			f.compare(f.starts[string(f.folded[:n])], i, full, occurrence)
		}
	}
}

// compare adds an instance to the paths that match it, once.
func (f *Finder) compare(paths []int32, i int, full string, occurrence int) {
	for _, k := range paths {
		if !f.paths[k].Instance(full, occurrence) {
			continue
		}
		if found := f.found[k]; len(found) == 0 || found[len(found)-1] != int32(i) {
			f.found[k] = append(found, int32(i))
		}
	}
}

// Found returns for each path the rising positions of its instances. The slices share
// memory and must not be changed.
func (f *Finder) Found() [][]int32 { return f.found }
