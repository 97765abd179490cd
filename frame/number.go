package frame

import "hash/maphash"

// numbers tell instances with equal full names apart.
type numbers struct {
	group      []int32 // by instance: a number that equal names have; nil if all are different
	occurrence []int32 // by instance: how many of its group stand before it
	size       []int32 // by group
	mixed      bool    // some equal names differ in case
}

// nth is how many of its group stand before an instance.
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

// of is the group of an instance.
func (n *numbers) of(i int) int32 {
	if n.group == nil {
		return int32(i)
	}
	return n.group[i]
}

// groups is how many groups there are at most, where all instances are count.
func (n *numbers) groups(count int) int {
	if n.group == nil {
		return count
	}
	return len(n.size)
}

// number numbers equal full names. Those that were at some position of former ones are
// known to be equal or different; only the others, which came, are compared with all. A
// map would take several times the memory of the table, and hardly any name is there twice.
func (l *Labels) number(was []int32, former *Labels) {
	g := grouper{full: l.full, group: was, seed: maphash.MakeSeed()}
	known := former != nil && !former.numbers.mixed
	g.groupNew(known)
	if known {
		g.groupKnown(former)
	}
	if int(g.next) < len(l.full) {
		l.numbers = numbers{group: g.group, mixed: g.mixed}
		l.numbers.count(int(g.next))
	}
}

// count fills in what follows from the groups.
func (n *numbers) count(groups int) {
	n.occurrence, n.size = make([]int32, len(n.group)), make([]int32, groups)
	for i, g := range n.group {
		n.occurrence[i] = n.size[g]
		n.size[g]++
	}
}

// grouper puts equal full names together.
type grouper struct {
	full  []string
	group []int32 // of each; until it is known, -1 less the position among former ones
	next  int32
	mixed bool

	table table // of the names that came, the first of each group
	seed  maphash.Seed
}

// groupNew groups the names that came, or all of them where those that were there
// before are not known to be equal or different.
func (g *grouper) groupNew(known bool) {
	came := 0
	for i, was := range g.group {
		if g.group[i] = ^was; was < 0 || !known {
			g.group[i] = 0
			came++
		}
	}

	g.table.reset(came)
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

// groupKnown groups the others, of which former has the groups.
func (g *grouper) groupKnown(former *Labels) {
	now := make([]int32, former.numbers.groups(former.Len())) // one more than the group, by the former one
	for i, group := range g.group {
		if group >= 0 {
			continue
		}
		known := &now[former.numbers.of(int(^group))]
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

// find returns the group of the names that came which are equal to the one at i, -1
// for none.
func (g *grouper) find(hash uint64, i int) int32 {
	first := g.table.find(hash, func(at int) bool { return equalLower(g.full[at], g.full[i]) })
	if first < 0 {
		return -1
	}
	g.mixed = g.mixed || g.full[first] != g.full[i]
	return g.group[first]
}
