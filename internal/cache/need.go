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

// need is what queries want of an object: all of it, or counters by their title indices, rising.
// A source that reads less for fewer counters is asked for these only.
type need struct {
	whole    bool
	counters []uint32
	version  int // of what all queries want: it rises with each change
}

// with is what both want.
func (n need) with(m need) need {
	if n.whole || m.whole {
		return need{whole: true}
	}
	both := slices.Concat(n.counters, m.counters)
	slices.Sort(both)
	return need{counters: slices.Compact(both)}
}

// covers reports whether what was asked for by what all wanted is enough for who came when
// they wanted other: the needs of that one are among all later ones.
func (n need) covers(other need) bool { return n.version >= other.version || n.whole }

func (n need) equal(m need) bool { return n.whole == m.whole && slices.Equal(n.counters, m.counters) }

// addTo adds what is wanted of an object to a selection.
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

// needs are what all open queries want of each object. They do not change: others take their
// place.
type needs map[winperf.ObjectID]need

// of is what is wanted of an object: all of one that nobody named, as it comes along with
// others or with its class.
func (n *needs) of(id winperf.ObjectID) need {
	if n != nil {
		if own, ok := (*n)[id]; ok {
			return own
		}
	}
	return need{whole: true, version: math.MaxInt}
}

// join adds a query to the open ones, or what it wants now if it is one of them. Samples of an
// object that were asked for by then are not enough for it, if it wants more than the others.
// Source.mu is locked.
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
	s.want(all)
}

// count finds out what the open queries want, after others have left. Source.mu is locked.
func (s *Source) count() {
	s.left = false
	all := needs{}
	for q := range s.open {
		for id, n := range q.needs {
			all[id] = all[id].with(n)
		}
	}
	s.want(all)
}

// want notes what all open queries want. Source.mu is locked.
func (s *Source) want(all needs) {
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

// needOf is what parts of a selection want of an object.
func needOf(parts []selection.Part, o frame.Object, costly bool) (n need) {
	object := selection.Object{ID: o.ID(), Costly: costly}
	for i := range parts {
		p := &parts[i]
		if p.Asks(object) == selection.Unwanted {
			continue
		}
		if p.Class || p.Path == nil || o.ID().Index == 0 {
			return need{whole: true}
		}
		n = n.with(counters(p.Path, o))
	}

	if len(n.counters) == 0 {
		n.whole = true // it came for a reason that only the source knows
	}
	return n
}

// counters are those of an object that a path wants.
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

// needsOf are what a selection wants of the objects of a frame.
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
