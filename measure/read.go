package measure

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// read makes the readings of the cycle's frame. Each column is cooked once,
// however many parts of the selection share it.
func (p *plan) read(c *Cycle, ck *frame.Cooker, n *notes) {
	p.cycles++
	p.update(ck, c.Frame, n)
	p.room(c, p.readings, p.outputs)
	var values frame.Column
	t := c.Time
	for i := range p.columns {
		col := &p.columns[i]
		o := c.Frame.Object(col.object)
		if i == 0 || col.object != p.columns[i-1].object || col.k != p.columns[i-1].k {
			values = ck.Object(o).Column(col.k)
			if p.shared { // objects may come from different samples
				t = winperf.FromFiletime(o.Clocks().Time100ns)
			}
		}
		touched, marks := p.touches(col, &values, ck.Object(o), n)
		if p.columnar {
			out := &c.Columns[col.out]
			*out = p.store.take(col, &values, o, t)
			out.Touched, out.Marks = touched, slices.Clone(marks)
			continue
		}
		writeReadings(c.Readings[col.start:], t, col, &values, touched, marks)
	}
	p.readNothing(c, n)
	for w := range p.parts {
		end := p.parts[w].end
		if p.columnar {
			end = p.parts[w].outEnd
		}
		c.Parts = append(c.Parts, end)
	}
	c.values = p.readings
}

// room makes room for the cycle's readings, in so many columns.
func (p *plan) room(c *Cycle, readings, columns int) {
	if p.columnar {
		c.Columns = slices.Grow(c.Columns[:0], columns)[:columns]
		p.store.grow(readings)
		return
	}
	c.Readings = slices.Grow(c.Readings[:0], readings)[:readings]
}

// writeReadings makes the readings of one column.
func writeReadings(readings []winperf.Reading, t time.Time, col *column, values *frame.Column, touched winperf.AnomalySet, marks []winperf.AnomalySet) {
	for m, i := range col.instances {
		readings[m] = winperf.Reading{
			Series:    col.series[m],
			Time:      t,
			Value:     values.Value(int(i)),
			Status:    values.Status[i],
			Anomalies: touched,
		}
	}
	for m, mark := range marks {
		readings[m].Anomalies |= mark
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
		if p.columnar {
			c.Columns[x.out] = p.store.reading(x.at, &r)
			continue
		}
		c.Readings[x.at] = r
	}
}

// touches returns the anomalies that touch a column: all of its values, and
// single ones, nil where there are none.
func (p *plan) touches(col *column, values *frame.Column, pair *frame.Pair, n *notes) (winperf.AnomalySet, []winperf.AnomalySet) {
	op, touched := &p.objects[col.object], n.touched
	fresh := op.made == p.cycles
	if fresh {
		touched |= op.touched
	}
	fresh = fresh && op.arrived != nil
	if !fresh && !values.Fell {
		return touched, nil
	}
	p.marks = slices.Grow(p.marks[:0], len(col.instances))[:len(col.instances)]
	clear(p.marks)
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
