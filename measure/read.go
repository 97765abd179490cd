package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// read makes the columns of the cycle's frame. Each column is cooked once,
// however many parts of the selection share it.
func (p *plan) read(c *Cycle, ck *frame.Cooker, n *notes) {
	p.cycles++
	p.update(ck, c.Frame, n)
	c.columns = slices.Grow(c.columns[:0], p.outputs)[:p.outputs]
	p.store.grow(p.readings)
	var values frame.Column
	t := c.Time
	for i := range p.columns {
		col := &p.columns[i]
		o := c.Frame.Object(col.at)
		if i == 0 || col.at != p.columns[i-1].at || col.k != p.columns[i-1].k {
			values = ck.Object(o).Column(col.k)
			if p.shared { // objects may come from different samples
				t = winperf.FromFiletime(o.Clocks().Time100ns)
			}
		}
		touched, marks := p.touches(col, &values, ck.Object(o), n)
		out := &c.columns[col.out]
		*out = p.store.take(col, &values, o, t)
		out.Touched, out.Marks = touched, marks
	}
	p.readNothing(c, n)
	for w := range p.parts {
		c.Parts = append(c.Parts, p.parts[w].end)
		c.ColumnParts = append(c.ColumnParts, p.parts[w].outEnd)
	}
	c.values = p.readings
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
func (p *plan) touches(col *column, values *frame.Column, pair *frame.Pair, n *notes) (winperf.AnomalySet, []winperf.AnomalySet) {
	op, touched := p.objects[col.at], n.touched
	fresh := op.made == p.cycles
	if fresh {
		touched |= op.touched
	}
	fresh = fresh && op.arrived != nil
	if !fresh && !values.Fell {
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
	if values.Fell {
		n.fell(p, col, values, pair)
	}
	return touched, p.marks
}
