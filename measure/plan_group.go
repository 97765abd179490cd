package measure

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/poison"
)

// group are the columns of one object, with their memory.
type group struct {
	columns []column       // by counter and part
	cooked  []frame.Cooked // what is cooked for them
	store   columnStore
	number  uint64      // of the object that was cooked last
	done    bool        // its values stand in the columns' places
	fell    bool        // values did since the cycle before
	pair    *frame.Pair // of the object, as long as it waits to be cooked
	lent    bool        // the values stand in memory of others that cooked them
}

// column is an item with its places: of its values in the group, and of its column in the
// cycle.
type column struct {
	*item
	at     int
	out    int  // its place among the cycle's columns
	cooked int  // which of the group's is cooked for it,
	apart  bool // apart from its place

	bits   []uint64 // its place, where it was not lent another
	status []counter.Status
}

// make makes the columns of an object's items, with the memory of those that it had
// before.
func (g *group) make(op, old *objectPlan) {
	if old != nil {
		*g, old.group = old.group, group{}
	}
	g.columns, g.done = g.columns[:0], false
	n := 0
	for i := range op.items {
		g.columns = append(g.columns, column{item: &op.items[i], at: n})
		n += len(op.items[i].instances)
	}
	g.store.grow(n)
	g.prepare()
}

// prepare gives all columns their places in memory.
func (g *group) prepare() {
	g.store.spare.reset()
	g.cooked, g.lent = g.cooked[:0], false
	for rest := g.columns; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].k == rest[0].k {
			n++
		}
		g.prepareCounter(rest[:n])
		rest = rest[n:]
	}
}

// prepareCounter says what is cooked for the columns of one counter, of which each has
// some of the instances: those in their places, or all of them apart, where they are
// wanted one by one.
func (g *group) prepareCounter(cols []column) {
	all, wanted := cols[0].object.labels.Len(), 0
	for i := range cols {
		col := &cols[i]
		n := len(col.instances)
		col.bits, col.status = g.store.bits[col.at:][:n:n], g.store.status[col.at:][:n:n]
		wanted += n
	}

	apart := len(cols) > 1 && wanted > all/4
	if apart {
		bits, status := g.store.spare.take(all)
		g.cooked = append(g.cooked, frame.Cooked{K: cols[0].k, Bits: bits, Status: status})
	}

	for i := range cols {
		col := &cols[i]
		if col.apart = apart; !apart {
			c := frame.Cooked{K: col.k, Bits: col.bits, Status: col.status}
			if len(col.instances) < all {
				c.Only = col.instances
			}
			g.cooked = append(g.cooked, c)
		}
		col.cooked = len(g.cooked) - 1
	}
}

// waits reports whether the object is to be cooked; else the values stay.
func (g *group) waits(o frame.Object) bool { return !g.done || g.number != o.Number() }

// cook cooks the columns of the object with its pair.
func (g *group) cook(o frame.Object) {
	if g.lent {
		g.prepare()
	}
	if poison.On {
		g.store.poison()
	}

	g.pair.Cook(g.cooked)
	newer := g.number != o.Number()
	g.number, g.done, g.lent, g.pair = o.Number(), true, o.Block().Kept(), nil
	for i := range g.cooked {
		g.fell = g.fell || newer && g.cooked[i].Fell
	}
}
