package frame

import "hash/maphash"

type numbers struct {
	group      []int32 // by instance: the group of equal names; nil if all differ
	occurrence []int32 // by instance: its number within the group
	size       []int32 // by group
	mixed      bool    // some equal names differ in case
}

func (n *numbers) nth(i int) int {
	if n.occurrence == nil {
		return 0
	}
	return int(n.occurrence[i])
}

// Alone reports whether no other instance has the full name of the one at position i.
func (l *Labels) Alone(i int) bool {
	l.once.Do(l.join)
	n := &l.numbers
	return n.group == nil || n.size[n.group[i]] == 1
}

func (n *numbers) of(i int) int32 {
	if n.group == nil {
		return int32(i)
	}
	return n.group[i]
}

func (n *numbers) groups(count int) int {
	if n.group == nil {
		return count
	}
	return len(n.size)
}

// number numbers equal full names. The previous labels show which of the known names are equal; only
// new names are compared with all. A map would need several times the memory.
func (l *Labels) number(was []int32, previous *Labels) {
	g := grouper{full: l.full, group: was, seed: maphash.MakeSeed()}
	known := previous != nil && !previous.numbers.mixed
	g.groupNew(known)
	if known {
		g.groupKnown(previous)
	}
	if int(g.next) < len(l.full) {
		l.numbers = numbers{group: g.group, mixed: g.mixed}
		l.numbers.count(int(g.next))
	}
}

func (n *numbers) count(groups int) {
	n.occurrence, n.size = make([]int32, len(n.group)), make([]int32, groups)
	for i, g := range n.group {
		n.occurrence[i] = n.size[g]
		n.size[g]++
	}
}

type grouper struct {
	full  []string
	group []int32 // by name; -1 minus the previous position while unknown
	next  int32
	mixed bool

	table table // of the new names, the first of each group
	seed  maphash.Seed
}

// groupNew groups all names if known is false.
func (g *grouper) groupNew(known bool) {
	added := 0
	for i, was := range g.group {
		if g.group[i] = ^was; was < 0 || !known {
			g.group[i] = 0
			added++
		}
	}

	g.table.reset(added)
	for i, group := range g.group {
		if group < 0 {
			continue
		}
		hash := hashLower(g.seed, g.full[i])
		if g.group[i] = g.find(hash, i); g.group[i] < 0 {
			g.table.insert(hash, i)
			g.group[i] = g.next
			g.next++
		}
	}
}

func (g *grouper) groupKnown(previous *Labels) {
	now := make([]int32, previous.numbers.groups(previous.Len())) // group plus one, by previous group
	for i, group := range g.group {
		if group >= 0 {
			continue
		}
		known := &now[previous.numbers.of(int(^group))]
		if *known == 0 {
			at := g.find(hashLower(g.seed, g.full[i]), i)
			if at < 0 {
				at = g.next
				g.next++
			}
			*known = at + 1
		}
		g.group[i] = *known - 1
	}
}

// find returns the group of a new name that equals name i, or -1.
func (g *grouper) find(hash uint64, i int) int32 {
	first := g.table.find(hash, func(at int) bool { return equalLower(g.full[at], g.full[i]) })
	if first < 0 {
		return -1
	}
	g.mixed = g.mixed || g.full[first] != g.full[i]
	return g.group[first]
}
