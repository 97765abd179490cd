package measure

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/poison"
)

// group holds the columns of one object with their memory.
type group struct {
	columns  []column // by counter and part
	cooked   []frame.Cooked
	store    columnStore
	number   uint64      // of the last object computed
	done     bool        // the values are in the columns
	fell     bool        // values fell since the previous cycle
	pair     *frame.Pair // until the object is computed
	borrowed bool        // the values are in the memory of another reader
}

// column is an item with the positions of its values in the group and of its column in the cycle.
type column struct {
	*item
	at     int
	out    int
	cooked int  // position in group.cooked
	apart  bool // outside of the column's own memory

	bits   []uint64
	status []counter.Status
}

// make reuses the memory of the old plan.
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

func (g *group) prepare() {
	g.store.spare.reset()
	g.cooked, g.borrowed = g.cooked[:0], false
	for rest := g.columns; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].k == rest[0].k {
			n++
		}
		g.prepareCounter(rest[:n])
		rest = rest[n:]
	}
}

// prepareCounter plans the computation for the columns of one counter. Each column has some of the
// instances: they are computed directly into the columns, or for all instances into other memory if
// several columns have many of them.
func (g *group) prepareCounter(cols []column) {
	all, requested := cols[0].object.labels.Len(), 0
	for i := range cols {
		col := &cols[i]
		n := len(col.instances)
		col.bits, col.status = g.store.bits[col.at:][:n:n], g.store.status[col.at:][:n:n]
		requested += n
	}

	apart := len(cols) > 1 && requested > all/4
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

func (g *group) needsCooking(o frame.Object) bool { return !g.done || g.number != o.Number() }

func (g *group) cook(o frame.Object) {
	if g.borrowed {
		g.prepare()
	}
	if poison.On {
		g.store.poison()
	}

	g.pair.Cook(g.cooked)
	newer := g.number != o.Number()
	g.number, g.done, g.borrowed, g.pair = o.Number(), true, o.Block().Kept(), nil
	for i := range g.cooked {
		g.fell = g.fell || newer && g.cooked[i].Fell
	}
}
