package frame

import (
	"hash/maphash"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// matchByName matches by unique id, else by full name if unique in both samples, else by name and
// occurrence.
func (p *Pair) matchByName() {
	if p.cur.Single() {
		for i := range p.from {
			p.from[i], p.match[i] = int32(i), counter.Verified
			if i >= p.prev.Len() {
				p.from[i], p.match[i] = -1, counter.Unmatched
			}
		}
		return
	}

	if !p.matchSame() {
		p.matchChanged()
	}
	p.rejectRestarted()
	p.rejectFallen()
	p.remember()
}

// nameKey identifies an instance without start time.
type nameKey struct {
	name, parent string
	id           int32
	both         bool // name and id together identify it, as in version 2
}

func (o Object) key(i int) nameKey {
	l := o.Labels()
	k := nameKey{name: l.Name(i), id: index.NoUniqueID}
	if l.links != nil {
		k.parent, _ = l.parent(i)
		k.id = l.links[i].UniqueID
	}
	k.both = o.isSet()
	return k
}

// unchanged reports whether the previous matches are valid. Start times need a comparison for each
// sample.
func (p *Pair) unchanged() bool {
	return p.identity.start < 0 &&
		p.settled == p.cur.Labels() && p.settled == p.prev.Labels()
}

func (p *Pair) remember() {
	p.settled = nil
	if slices.Contains(p.match, counter.Unverified) {
		return
	}
	for i, j := range p.from {
		if int(j) != i {
			return
		}
	}
	p.settled = p.cur.Labels()
}

// matchSame matches each instance with the one at its position, without extra memory. It returns
// false unless both samples have the same names in the same places and instances are identified by
// names only.
func (p *Pair) matchSame() bool {
	l := p.cur.Labels()
	if l != p.prev.Labels() || !l.byText() {
		return false
	}

	for i := range p.from {
		p.from[i] = int32(i)
		switch {
		case IsTotal(l.Name(i)):
			p.match[i] = counter.Aggregate
		case l.unique(i):
			p.match[i] = counter.Verified
		default:
			p.match[i] = counter.Unverified
		}
	}
	return true
}

func (p *Pair) matchChanged() {
	g := &p.cooker.groups
	g.seed, g.byID = p.cooker.hashSeed(), true
	if g.fill(p.prev, p.cur); g.repeatedID() {
		g.byID = false
		g.fill(p.prev, p.cur)
	}
	for i := range p.from {
		p.from[i], p.match[i] = g.take(i)
	}
}

// groups groups instances of both objects by equal keys, in the order of the sample.
type groups struct {
	table table
	seed  maphash.Seed
	byID  bool // use unique ids; false if several instances have one
	older Object
	newer Object
	head  []int32 // by older instance: the first of the group that is not taken
	next  []int32
	count []int32 // numbers of older and newer instances of the group, at its first one
	newly []int32
	first []int32 // by newer instance: the first older one of its group, -1 for none
}

func (g *groups) key(o Object, i int) nameKey {
	k := o.key(i)
	if !g.byID && !k.both {
		k.id = index.NoUniqueID
	}
	return k
}

// repeatedID reports whether several instances have one unique id: then ids identify nothing.
func (g *groups) repeatedID() bool {
	if g.newer.isSet() {
		return false
	}
	for j := range g.count {
		if (g.count[j] > 1 || g.newly[j] > 1) && g.key(g.older, j).id != index.NoUniqueID {
			return true
		}
	}
	return false
}

func (g *groups) hash(k nameKey) uint64 {
	if k.id != index.NoUniqueID && !k.both {
		return uint64(uint32(k.id)) * 0x9E3779B97F4A7C15 >> 32
	}
	return maphash.String(g.seed, k.name) ^ 3*maphash.String(g.seed, k.parent)
}

// equal compares by unique id if one key has one, else by name and parent.
func (k nameKey) equal(o nameKey) bool {
	if k.id != index.NoUniqueID && !k.both {
		return k.id == o.id
	}
	return k == o
}

func (g *groups) fill(older, newer Object) {
	n, m := newer.Len(), older.Len()
	g.older, g.newer = older, newer
	g.head, g.next, g.count, g.newly = grow(g.head, m), grow(g.next, m), grow(g.count, m), grow(g.newly, m)
	g.first = grow(g.first, n)
	g.table.reset(m)

	tail := g.head // during fill: the last of each group
	for j := range m {
		g.next[j], g.count[j], g.newly[j] = -1, 0, 0
		at := g.find(g.key(older, j))
		if at < 0 {
			g.table.insert(g.hash(g.key(older, j)), j)
			at = j
		} else {
			g.next[tail[at]] = int32(j)
		}
		tail[at] = int32(j)
		g.count[at]++
	}

	for j := range m {
		g.head[j] = int32(j)
	}
	for i := range n {
		at := g.find(g.key(newer, i))
		g.first[i] = int32(at)
		if at >= 0 {
			g.newly[at]++
		}
	}
}

func (g *groups) find(k nameKey) int {
	return g.table.find(g.hash(k), func(j int) bool { return k.equal(g.key(g.older, j)) })
}

// take matches newer instance i with the next older one of its group.
func (g *groups) take(i int) (int32, counter.Match) {
	at := g.first[i]
	if at < 0 || g.head[at] < 0 {
		return -1, counter.Unmatched
	}

	j := g.head[at]
	g.head[at] = g.next[j]
	unique := g.count[at] == 1 && g.newly[at] == 1
	switch {
	case IsTotal(g.newer.Labels().Name(i)):
		return j, counter.Aggregate
	case unique:
		return j, counter.Verified
	}
	return j, counter.Unverified
}

func grow(s []int32, n int) []int32 { return slices.Grow(s[:0], n)[:n] }
