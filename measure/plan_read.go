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

	c.columns = p.out
	for i, op := range p.objects {
		if len(op.items) == 0 {
			continue
		}

		g, o := &op.group, c.Frame.Object(i)
		if g.place != o.Place() || !g.done { // else the values stay
			g.cook(ck.Object(o), o)
		}

		t := winperf.FromFiletime(o.Clocks().Time100ns) // of its part
		for k := range g.columns {
			col := &g.columns[k]
			values, out := &g.cooked[col.cooked], &p.out[col.out]
			col.take(out, values)
			out.Time, out.object = t, o
			out.Touched, out.Marks = p.touches(col, out, values.Fell && g.newer, ck, n)
		}
		g.newer = false
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
	for i, x := range p.nothing {
		touched := n.touched
		if x.status == counter.NoObject {
			touched |= n.absent
		}
		if p.parts[x.part].gone == p.cycles {
			touched = touched.With(winperf.SchemaChanged)
		}
		r := winperf.Reading{Series: x.series, Time: c.Time, Status: x.status, Anomalies: touched}
		c.columns[x.out] = p.store.reading(i, x.at, &r)
	}
}

// touches returns the anomalies that touch a column: all of its values, and
// single ones, nil where there are none.
func (p *plan) touches(
	col *column, out *Column, fell bool, ck *frame.Cooker, n *notes,
) (winperf.AnomalySet, []winperf.AnomalySet) {
	op, touched := col.object, n.touched
	fresh := op.made == p.cycles
	if fresh {
		touched |= op.touched
	}

	fresh = fresh && len(op.arrived) > 0
	if !fresh && !fell {
		return touched, nil
	}

	p.marks = op.group.store.mark(col.at, len(col.instances))
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
		n.fell(p, col, out, ck.Object(out.object))
	}
	return touched, p.marks
}
