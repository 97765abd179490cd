package frame

import (
	"hash/maphash"
	"slices"

	"github.com/winperf/winperf/counter"
)

// keys are the identifying raw values of an object's instances.
type keys struct {
	process, thread, start []uint64
	o                      Object
	seed                   maphash.Seed
}

func (k *keys) read(o Object, process, thread, start int) {
	k.o = o
	k.process = readColumn(k.process, o, process)
	k.thread = readColumn(k.thread, o, thread)
	k.start = readColumn(k.start, o, start)
}

// readColumn reads a column into dst's memory, all 0 where k is negative.
func readColumn(dst []uint64, o Object, k int) []uint64 {
	dst = slices.Grow(dst[:0], o.Len())[:o.Len()]
	if k < 0 {
		clear(dst)
	} else {
		o.ReadRaw(dst, k, 0)
	}
	return dst
}

// hash mixes what same compares; a total's start does not count, as it moves.
func (k *keys) hash(i int) uint64 {
	h := k.process[i]*0x9E3779B97F4A7C15 ^ k.thread[i]*0xC2B2AE3D27D4EB4F
	if k.byName(i) {
		h ^= maphash.String(k.seed, k.o.Labels().Name(i))
		if isTotal(k.o.Labels().Name(i)) {
			return h ^ h>>29
		}
	}
	h ^= k.start[i] * 0x165667B19E3779F9
	return h ^ h>>29
}

// byName tells whether the numbers alone do not identify the instance: process
// id 0 stands for several things (Idle, _Total), and a start of 0 for none.
func (k *keys) byName(i int) bool { return k.process[i] == 0 || k.start[i] == 0 }

// same tells how well instance i of a is known to be instance j of b. The
// start of a total moves with every sample.
func same(a, b *keys, i, j int) counter.Match {
	if a.process[i] != b.process[j] || a.thread[i] != b.thread[j] {
		return counter.Unmatched
	}
	if !a.byName(i) {
		if a.start[i] == b.start[j] {
			return counter.Verified
		}
		return counter.Unmatched
	}
	name := a.o.Labels().Name(i)
	switch {
	case name != b.o.Labels().Name(j):
		return counter.Unmatched
	case isTotal(name):
		return counter.Aggregate
	case a.start[i] != b.start[j]:
		return counter.Unmatched
	case a.start[i] == 0:
		return counter.Unverified
	}
	return counter.Verified
}

// matchByStart matches instances that are known by process id, thread id and
// start time. Most stand where they stood, or a little further on where others
// have left; the rest is looked up.
func (p *Pair) matchByStart() {
	c, id := p.cooker, &p.identity
	older := func(k int32) int {
		if k < 0 {
			return -1
		}
		return p.olderPosition(k)
	}
	p.settled = nil // it speaks of names
	cur, prev := &c.curKeys, &c.prevKeys
	cur.seed, prev.seed = c.hashSeed(), c.hashSeed()
	cur.read(p.cur, int(id.process), int(id.thread), int(id.start))
	prev.read(p.prev, older(id.process), older(id.thread), older(id.start))
	taken := grow(c.taken, p.prev.Len())
	clear(taken)
	c.taken = taken
	next, left := 0, 0
	for i := range p.from {
		j, m := near(cur, prev, i, next)
		p.from[i], p.match[i] = int32(j), m
		if j < 0 {
			left++
			continue
		}
		taken[j] = 1
		next = j + 1
	}
	if left > 0 {
		p.matchMoved(cur, prev, taken)
	}
	p.rejectFallen()
}

// keyLookAhead is how many instances may have left in one place before those
// behind them are looked up: a process may take that many threads along.
const keyLookAhead = 64

// near looks for an instance at and shortly behind the expected position.
func near(cur, prev *keys, i, next int) (int, counter.Match) {
	for j := next; j < len(prev.process) && j <= next+keyLookAhead; j++ {
		if m := same(cur, prev, i, j); m != counter.Unmatched {
			return j, m
		}
	}
	return -1, counter.Unmatched
}

// matchMoved looks up the instances that are not near their old place among
// the older ones that are not taken. Of several with one key only the first
// can be found.
func (p *Pair) matchMoved(cur, prev *keys, taken []int32) {
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

// table finds positions by hash: open addressing, reused without clearing.
type table struct {
	slots []tableSlot
	stamp uint32
}

type tableSlot struct {
	stamp uint32
	at    int32
}

// reset empties the table and makes room for n positions.
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

// insert enters a position under its hash.
func (t *table) insert(hash uint64, at int) {
	h := t.slot(hash)
	for t.slots[h].stamp == t.stamp {
		h = (h + 1) & (len(t.slots) - 1)
	}
	t.slots[h] = tableSlot{t.stamp, int32(at)}
}

// find returns the first entered position under the hash that equal accepts,
// -1 for none.
func (t *table) find(hash uint64, equal func(at int) bool) int {
	for h := t.slot(hash); t.slots[h].stamp == t.stamp; h = (h + 1) & (len(t.slots) - 1) {
		if at := int(t.slots[h].at); equal(at) {
			return at
		}
	}
	return -1
}
