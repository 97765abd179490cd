package cache

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// need is the part of an object that queries need: all of it, or counters by their title
// indices, rising. Some sources read less for fewer counters.
type need struct {
	whole    bool
	counters []uint32
	version  int // of the needs of all queries: it rises with each change
}

// with returns the union.
func (n need) with(m need) need {
	if n.whole || m.whole {
		return need{whole: true}
	}
	both := slices.Concat(n.counters, m.counters)
	slices.Sort(both)
	return need{counters: slices.Compact(both)}
}

// covers reports whether a sample requested for need n is enough for other: later needs
// include all earlier ones.
func (n need) covers(other need) bool { return n.version >= other.version || n.whole }

func (n need) equal(m need) bool { return n.whole == m.whole && slices.Equal(n.counters, m.counters) }

func (n need) addTo(sel *winperf.Selection, id winperf.ObjectID) {
	if n.whole {
		sel.Objects = append(sel.Objects, id)
		return
	}
	for _, c := range n.counters {
		sel.Paths = append(sel.Paths, winperf.Path{
			Object: title(id.Index), Instance: "*", HasInstance: true, Counter: title(c),
		})
	}
}

func title(index uint32) string { return "#" + strconv.FormatUint(uint64(index), 10) }

// needs are the needs of all open queries by object. They are immutable.
type needs map[winperf.ObjectID]need

// of returns the need of an object: all of it if no query names it.
func (n *needs) of(id winperf.ObjectID) need {
	if n != nil {
		if own, ok := (*n)[id]; ok {
			return own
		}
	}
	return need{whole: true, version: math.MaxInt}
}

// join adds a query to the open ones, or updates its needs. If it needs more of an object
// than the others, earlier samples are not enough for it. Source.mu is locked.
func (s *Source) join(q *query) {
	s.open[q] = struct{}{}
	if s.left {
		s.count()
		return
	}
	all := maps.Clone(*s.needs)
	for id, n := range q.needs {
		all[id] = all[id].with(n)
	}
	s.setNeeds(all)
}

// count recomputes the needs after queries have left. Source.mu is locked.
func (s *Source) count() {
	s.left = false
	all := needs{}
	for q := range s.open {
		for id, n := range q.needs {
			all[id] = all[id].with(n)
		}
	}
	s.setNeeds(all)
}

// setNeeds sets the needs of all open queries. Source.mu is locked.
func (s *Source) setNeeds(all needs) {
	if maps.EqualFunc(all, *s.needs, need.equal) {
		return
	}

	s.changes++
	for id, n := range all {
		before, ok := (*s.needs)[id]
		if n.version = s.changes; ok && n.equal(before) {
			n.version = before.version
		}
		all[id] = n
	}
	s.needs = &all
}

// needOf returns the need of parts of a selection for an object.
func needOf(parts []selection.Part, o frame.Object, costly bool) (n need) {
	object := selection.Object{ID: o.ID(), Costly: costly}
	for i := range parts {
		p := &parts[i]
		if p.Requests(object) == selection.NoMatch {
			continue
		}
		if p.Class || p.Path == nil || o.ID().Index == 0 {
			return need{whole: true}
		}
		n = n.with(counters(p.Path, o))
	}

	if len(n.counters) == 0 {
		n.whole = true // the source added it for its own reasons
	}
	return n
}

func counters(p *selection.Path, o frame.Object) (n need) {
	for k := range o.NumCounters() {
		index := o.Counter(k).ID.Index
		if !p.Counter.Is(index, "") || o.Counter(k).Type.IsBase() {
			continue
		}
		if index == 0 {
			return need{whole: true}
		}
		n.counters = append(n.counters, index)
	}
	return need{}.with(n)
}

func needsOf(sel winperf.Selection, f frame.Frame) needs {
	schema := f.Schema()
	names, _ := nametable.FromSchema(schema)
	parts := selection.Resolve(sel, names)
	all := make(needs, f.NumObjects())
	for o := range f.Objects() {
		costly := schema != nil && slices.Contains(schema.Costly, o.ID().Index)
		all[o.ID()] = needOf(parts, o, costly)
	}
	return all
}
