package frame

import (
	"hash/maphash"
	"slices"

	"github.com/winperf/winperf/counter"
)

type keys struct {
	list   [][3]uint64 // process id, thread id, start
	o      Object
	number uint64
	seed   maphash.Seed
}

// Positions in a key.
const (
	keyProcess = iota
	keyThread
	keyStart
)

// read reads the keys; a counter at a negative position reads as 0.
func (k *keys) read(o Object, process, thread, start int) {
	k.o, k.number = o, o.Number()
	k.list = slices.Grow(k.list[:0], o.Len())[:o.Len()]
	o.s.index.ReadThree(k.list, o.pos, [3]int{process, thread, start})
}

func (k *keys) are(o Object) bool {
	return k.number == o.Number()
}

// hash hashes the values that same compares; the start of a total is excluded because it moves.
func (k *keys) hash(i int) uint64 {
	key := &k.list[i]
	h := key[keyProcess]*0x9E3779B97F4A7C15 ^ key[keyThread]*0xC2B2AE3D27D4EB4F
	if k.byName(i) {
		h ^= maphash.String(k.seed, k.o.Labels().Name(i))
	}
	if !k.total(i) {
		h ^= key[keyStart] * 0x165667B19E3779F9
	}
	return h ^ h>>29
}

// byName reports whether the instance needs its name: process id 0 is shared by Idle and _Total, and
// a start of 0 is unknown.
func (k *keys) byName(i int) bool { return k.list[i][keyProcess] == 0 || k.list[i][keyStart] == 0 }

// total reports whether the instance is a total. A process may have such a name.
func (k *keys) total(i int) bool {
	return k.list[i][keyProcess] == 0 && IsTotal(k.o.Labels().Name(i))
}

// same compares instance i of a with instance j of b, ignoring the start of a total.
func same(a, b *keys, i, j int) counter.Match {
	x, y := &a.list[i], &b.list[j]
	if x[keyProcess] != y[keyProcess] || x[keyThread] != y[keyThread] {
		return counter.Unmatched
	}
	if a.byName(i) && a.o.Labels().Name(i) != b.o.Labels().Name(j) {
		return counter.Unmatched
	}
	if a.total(i) {
		return counter.Aggregate
	}
	if x[keyStart] != y[keyStart] {
		return counter.Unmatched
	}
	if x[keyStart] == 0 {
		return counter.Unverified
	}
	return counter.Verified
}

// matchByStart matches by process id, thread id and start time. Most instances are near their old
// position.
func (p *Pair) matchByStart() {
	id := &p.identity
	older := func(k int32) int {
		if k < 0 {
			return -1
		}
		return p.olderPosition(k)
	}
	p.settled = nil

	// The keys of the older object usually exist from the previous pair.
	if p.sameDefs && p.curKeys.are(p.prev) {
		p.prevKeys, p.curKeys = p.curKeys, p.prevKeys
	} else {
		p.prevKeys.read(p.prev, older(id.process), older(id.thread), older(id.start))
	}

	cur, prev := &p.curKeys, &p.prevKeys
	cur.read(p.cur, int(id.process), int(id.thread), int(id.start))
	cur.seed, prev.seed = p.cooker.hashSeed(), p.cooker.hashSeed()

	next, left := 0, 0
	for i := range p.from {
		j, m := next, counter.Verified
		if j == len(prev.list) || cur.list[i] != prev.list[j] || cur.byName(i) {
			j, m = near(cur, prev, i, next)
		}
		if p.from[i], p.match[i] = int32(j), m; j < 0 {
			left++
			continue
		}
		next = j + 1
	}

	if left > 0 {
		p.matchMoved(cur, prev)
	}
	p.rejectFallen()
	if left > 0 {
		p.findBegun()
	}
}

// keyLookAhead is the number of older instances that are checked in order before the lookup: a
// process may have ended with so many threads.
const keyLookAhead = 64

func near(cur, prev *keys, i, next int) (int, counter.Match) {
	for j := next; j < len(prev.list) && j <= next+keyLookAhead; j++ {
		if m := same(cur, prev, i, j); m != counter.Unmatched {
			return j, m
		}
	}
	return -1, counter.Unmatched
}

// matchMoved looks up the remaining instances. Of several older ones with one key only the first is
// found.
func (p *Pair) matchMoved(cur, prev *keys) {
	taken := grow(p.cooker.taken, len(prev.list))
	clear(taken)
	for _, j := range p.from {
		if j >= 0 {
			taken[j] = 1
		}
	}
	p.cooker.taken = taken

	t := &p.cooker.table
	t.reset(len(taken))
	for j := range taken {
		if taken[j] != 0 {
			continue
		}
		h := prev.hash(j)
		if t.find(h, func(at int) bool { return same(prev, prev, j, at) != counter.Unmatched }) < 0 {
			t.insert(h, j)
		}
	}

	for i := range p.from {
		if p.from[i] >= 0 {
			continue
		}
		m := counter.Unmatched
		j := t.find(cur.hash(i), func(j int) bool {
			if taken[j] == 0 {
				m = same(cur, prev, i, j)
			}
			return m != counter.Unmatched
		})

		if j >= 0 {
			taken[j] = 1
			p.from[i], p.match[i] = int32(j), m
		}
	}
}

// table is a hash table of positions: open addressing, reused without clearing.
type table struct {
	slots []tableSlot
	stamp uint32
}

type tableSlot struct {
	stamp uint32
	at    int32
}

func (t *table) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if size > len(t.slots) || t.stamp == ^uint32(0) {
		t.slots, t.stamp = make([]tableSlot, max(size, len(t.slots))), 0
	}
	t.stamp++
}

func (t *table) slot(hash uint64) int { return int(hash & uint64(len(t.slots)-1)) }

func (t *table) insert(hash uint64, at int) {
	h := t.slot(hash)
	for t.slots[h].stamp == t.stamp {
		h = (h + 1) & (len(t.slots) - 1)
	}
	t.slots[h] = tableSlot{t.stamp, int32(at)}
}

// find returns the first position with the hash that equal accepts, or -1.
func (t *table) find(hash uint64, equal func(at int) bool) int {
	for h := t.slot(hash); t.slots[h].stamp == t.stamp; h = (h + 1) & (len(t.slots) - 1) {
		if at := int(t.slots[h].at); equal(at) {
			return at
		}
	}
	return -1
}
