package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// read makes the columns of the cycle's frame, object by object.
func (p *plan) read(c *Cycle, ck *frame.Cooker, n *notes) {
	p.cycles++
	p.update(ck, c.Frame, n)
	c.columns = slices.Grow(c.columns[:0], p.outputs)[:p.outputs]
	p.store.grow(p.readings)
	for all := p.columns; len(all) > 0; {
		end := 1
		for end < len(all) && all[end].at == all[0].at {
			end++
		}
		p.readObject(c, all[:end], ck, n)
		all = all[end:]
	}
	p.readNothing(c, n)
	for w := range p.parts {
		c.Parts = append(c.Parts, p.parts[w].end)
		c.ColumnParts = append(c.ColumnParts, p.parts[w].outEnd)
	}
	c.values = p.readings
}

// readObject makes the columns of one object. Each counter is cooked once, however
// many parts of the selection share it.
func (p *plan) readObject(c *Cycle, cols []column, ck *frame.Cooker, n *notes) {
	o, t := c.Frame.Object(cols[0].at), c.Time
	if p.shared { // objects may come from different samples
		t = winperf.FromFiletime(o.Clocks().Time100ns)
	}
	pair := ck.Object(o)
	p.store.spare.reset()
	p.cooked = p.cooked[:0]
	for rest := cols; len(rest) > 0; {
		same := sameCounter(rest)
		p.cooked = append(p.cooked, p.store.room(rest[:same], o.Len()))
		rest = rest[same:]
	}
	pair.Cook(p.cooked)

	for i, rest := 0, cols; len(rest) > 0; i++ {
		values, same := &p.cooked[i], sameCounter(rest)
		for k := range rest[:same] {
			col := &rest[k]
			out := &c.columns[col.out]
			*out = p.store.take(col, values, same > 1)
			out.Time, out.object = t, o
			out.Touched, out.Marks = p.touches(col, out, values.Fell, pair, n)
		}
		rest = rest[same:]
	}
}

// sameCounter is how many columns from the first one on are of its counter.
func sameCounter(cols []column) int {
	n := 1
	for n < len(cols) && cols[n].k == cols[0].k {
		n++
	}
	return n
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
	fresh = fresh && op.arrived != nil
	if !fresh && !fell {
		return touched, nil
	}
	p.marks = p.store.mark(col.start, len(col.instances))
	if fresh {
		for m, i := range col.instances {
			if op.arrived[i] {
				p.marks[m] = p.marks[m].With(winperf.InstancesCame)
			}
		}
	}
	if fell {
		n.fell(p, col, out, pair)
	}
	return touched, p.marks
}
