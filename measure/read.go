package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// read makes the columns of the cycle's frame, object by object. A counter is cooked
// once where parts of the selection share much of it; see prepareCounter.
func (p *plan) read(c *Cycle, ck *frame.Cooker, n *notes) {
	p.cycles++
	p.update(ck, c.Frame, n)
	if shared(c.Frame) { // what others cooked stands in the places of last time
		p.prepare()
	}

	c.columns = p.out
	for i := range p.groups {
		g := &p.groups[i]
		o := c.Frame.Object(g.at)
		t := winperf.FromFiletime(o.Clocks().Time100ns) // of its part
		op := p.objects[g.at]
		newer := op.place != o.Place()
		var pair *frame.Pair
		if newer || !g.done { // else the values stay
			pair = ck.Object(o)
			pair.Cook(g.cooked)
			op.place, g.done = o.Place(), true
		}
		for k := range g.columns {
			col := &g.columns[k]
			values, out := &g.cooked[col.cooked], &p.out[col.out]
			col.take(out, values)
			out.Time, out.object = t, o
			out.Touched, out.Marks = p.touches(col, out, values.Fell && newer, pair, n)
		}
	}
	p.readNothing(c, n)

	for w := range p.parts {
		c.Parts = append(c.Parts, p.parts[w].end)
		c.ColumnParts = append(c.ColumnParts, p.parts[w].outEnd)
	}
	c.values = p.readings
}

// shared tells whether others may read the blocks of a frame, too.
func shared(f frame.Frame) bool {
	for b := range f.Blocks() {
		if b.Shared {
			return true
		}
	}
	return false
}

// group are the columns of one object.
type group struct {
	at      int // its position in the frame
	columns []column
	cooked  []frame.Column // what is cooked for them
	done    bool           // it was cooked in these places
}

// prepare gives all columns their places in memory.
func (p *plan) prepare() {
	p.store.grow(p.readings)
	p.store.spare.reset()

	p.out = slices.Grow(p.out[:0], p.outputs)[:p.outputs]
	p.cooked, p.groups = slices.Grow(p.cooked[:0], len(p.columns)), p.groups[:0]
	for rest := p.columns; len(rest) > 0; {
		end, begin := run(rest, func(a, b *column) bool { return a.at == b.at }), len(p.cooked)
		for same := rest[:end]; len(same) > 0; {
			n := run(same, func(a, b *column) bool { return a.k == b.k })
			p.prepareCounter(same[:n], begin)
			same = same[n:]
		}
		p.groups = append(p.groups, group{at: rest[0].at, columns: rest[:end], cooked: p.cooked[begin:]})
		rest = rest[end:]
	}

	for i := range p.columns {
		col := &p.columns[i]
		out, n := &p.out[col.out], len(col.instances)
		out.item, out.start, out.one, out.text = col.item, col.start, nil, ""
		out.Bits, out.Status = p.store.bits[col.start:][:n], p.store.status[col.start:][:n]
	}
}

// run is how many columns from the first one on are like it.
func run(cols []column, like func(a, b *column) bool) int {
	n := 1
	for n < len(cols) && like(&cols[n], &cols[0]) {
		n++
	}
	return n
}

// prepareCounter says what is cooked for the columns of one counter, of which each has
// some of the instances: those in their places, or all of them apart, where they are
// wanted one by one.
func (p *plan) prepareCounter(cols []column, begin int) {
	all, wanted := cols[0].object.labels.Len(), 0
	for i := range cols {
		wanted += len(cols[i].instances)
	}
	apart := len(cols) > 1 && wanted > all/4
	if apart {
		bits, status := p.store.spare.take(all)
		p.cooked = append(p.cooked, frame.Column{K: cols[0].k, Bits: bits, Status: status})
	}
	for i := range cols {
		col := &cols[i]
		if col.apart = apart; !apart {
			p.cooked = p.cooked[:len(p.cooked)+1] // which has room for all
			c, n := &p.cooked[len(p.cooked)-1], len(col.instances)
			c.K, c.Only, c.Bits, c.Status = col.k, nil, p.store.bits[col.start:][:n], p.store.status[col.start:][:n]
			if n < all {
				c.Only = col.instances
			}
		}
		col.cooked = len(p.cooked) - 1 - begin
	}
}

// readNothing makes the readings of paths that nothing matches.
func (p *plan) readNothing(c *Cycle, n *notes) {
	for _, x := range p.nothing {
		touched := n.touched
		if x.status == counter.NoObject {
			touched |= n.absent
		}
		if p.parts[x.part].gone == p.cycles {
			touched = touched.With(winperf.SchemaChanged)
		}
		r := winperf.Reading{Series: x.series, Time: c.Time, Status: x.status, Anomalies: touched}
		c.columns[x.out] = p.store.reading(x.at, &r)
	}
}

// touches returns the anomalies that touch a column: all of its values, and
// single ones, nil where there are none.
func (p *plan) touches(col *column, out *Column, fell bool, pair *frame.Pair, n *notes) (winperf.AnomalySet, []winperf.AnomalySet) {
	op, touched := p.objects[col.at], n.touched
	fresh := op.made == p.cycles
	if fresh {
		touched |= op.touched
	}
	fresh = fresh && len(op.arrived) > 0
	if !fresh && !fell {
		return touched, nil
	}
	p.marks = p.store.mark(col.start, len(col.instances))
	if fresh {
		all := len(col.instances) == op.labels.Len()
		for _, i := range op.arrived {
			if all {
				p.marks[i] = p.marks[i].With(winperf.InstancesCame)
			} else if m, wanted := slices.BinarySearch(col.instances, i); wanted {
				p.marks[m] = p.marks[m].With(winperf.InstancesCame)
			}
		}
	}
	if fell {
		n.fell(p, col, out, pair)
	}
	return touched, p.marks
}
