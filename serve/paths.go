package serve

import (
	"slices"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// maxUnmatched limits the paths that are reported as metrics.
const maxUnmatched = 1000

// unmatched are paths of a configuration or a filter that no sample has matched.
type unmatched struct {
	mu    sync.Mutex
	paths []selection.Path // in the order of the request
	names *nametable.Names // in which the paths were resolved
	seen  bool             // there was a sample
}

func newUnmatched(paths []winperf.Path) *unmatched {
	u := &unmatched{}
	for _, p := range paths {
		u.paths = append(u.paths, selection.NewPath(p))
	}
	return u
}

// update updates the paths after a sample; nil is none.
func (u *unmatched) update(c *measure.Cycle) {
	if c != nil {
		u.removeMatched(c.Frame, c.Names)
	}
}

// removeMatched removes the paths that match a frame.
func (u *unmatched) removeMatched(f frame.Frame, names *nametable.Names) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = true
	if len(u.paths) == 0 {
		return
	}

	if names != u.names {
		u.names = names
		tables := selection.ShownTables(names)
		for i := range u.paths {
			u.paths[i].Resolve(tables)
		}
	}
	u.paths = slices.DeleteFunc(u.paths, func(p selection.Path) bool { return matches(f, &p) })
}

// matches reports whether a resolved path matches a frame. A path of all instances matches an
// object without instances.
func matches(f frame.Frame, p *selection.Path) bool {
	for v := range f.Values() {
		named := func(s *winperf.Series) bool { return p.Series(s) == counter.OK }
		if slices.ContainsFunc(v.AllSeries(), named) {
			return true
		}
	}
	for o := range f.Objects() {
		if matchesObject(o, p) {
			return true
		}
	}
	return false
}

func matchesObject(o frame.Object, p *selection.Path) bool {
	if o.Metadata() || !p.Machine(o.Machine()) || !p.Object.Is(o.ID().Index, "") || !p.Fits(o.Single()) {
		return false
	}
	counters := false
	for k := 0; k < o.NumCounters() && !counters; k++ {
		counters = p.Counter.Is(o.Counter(k).ID.Index, "")
	}
	if !counters || o.Single() || p.EveryInstance() {
		return counters
	}

	labels := o.Labels()
	for i := range o.Len() {
		if p.Instance(labels.Full(i), labels.Occurrence(i)) {
			return true
		}
	}
	return false
}

// list appends the paths without a match, each once, if there was a sample.
func (u *unmatched) list(texts []string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.seen || len(u.paths) == 0 {
		return texts
	}
	there := map[string]bool{}
	for _, text := range texts {
		there[text] = true
	}

	for i := range u.paths {
		text := u.paths[i].Original.String()
		if !there[text] && len(texts) < maxUnmatched {
			there[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}
