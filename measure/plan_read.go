package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// read computes a counter once for parts that share many of its values; see prepareCounter.
func (p *plan) read(c *Cycle, ck *frame.Cooker, n *notes) {
	p.cycles++
	p.update(ck, c.Frame, n)

	p.cook(c.Frame, ck, n.touched)
	p.displayed.read(p.out, c.Frame, n.touched)
	c.columns = p.out
	for _, op := range p.objects {
		if op.made == p.cycles || op.group.fell {
			p.mark(op, ck, n)
		}
	}
	p.readNothing(c, n)

	for w := range p.parts {
		c.Parts = append(c.Parts, p.parts[w].end)
		c.ColumnParts = append(c.ColumnParts, p.parts[w].outEnd)
	}
	c.values = p.readings
}

func (p *plan) readNothing(c *Cycle, n *notes) {
	for i := range p.nothing {
		x, touched := &p.nothing[i], n.touched
		if x.status == counter.NoObject {
			touched |= n.absent
		}
		if p.parts[x.part].removed == p.cycles {
			touched = touched.With(winperf.SchemaChanged)
		}

		x.reading = winperf.Reading{
			Series: p.parts[x.part].series, Time: c.Time, Status: x.status, Anomalies: touched,
		}
		c.columns[x.out].Set(&x.reading)
	}
}

func (p *plan) cook(f frame.Frame, ck *frame.Cooker, touched winperf.AnomalySet) {
	for i, op := range p.objects {
		o := f.Object(i)
		if len(op.items) > 0 && op.group.needsCooking(o) {
			op.group.pair = ck.Object(o)
		}
	}
	for i, op := range p.objects {
		op.read(p.out, f.Object(i), touched)
	}
}

func (op *objectPlan) read(columns []winperf.Column, o frame.Object, touched winperf.AnomalySet) {
	g := &op.group
	op.now, g.fell = o, false
	if g.pair != nil { // else the values are current
		g.cook(o)
	}

	t := winperf.FromFiletime(o.Clocks().Time100ns) // time of its part
	for k := range g.columns {
		col := &g.columns[k]
		out := &columns[col.out]
		col.take(out, &g.cooked[col.cooked])
		out.Time, out.Touched, out.Marks = t, touched, nil
	}
}

func (p *plan) mark(op *objectPlan, ck *frame.Cooker, n *notes) {
	g, fresh := &op.group, op.made == p.cycles
	began := false
	for k := range g.columns {
		col := &g.columns[k]
		out, fell := &p.out[col.out], g.fell && g.cooked[col.cooked].Fell
		added := fresh && len(op.arrived)+len(op.renamed) > 0
		if fresh {
			out.Touched |= op.touched
		}
		if added || fell {
			out.Marks = g.store.mark(col.at, len(col.instances))
		}

		if added {
			col.markAdded(out.Marks, ck.Object(op.now))
			began = began || marked(out, winperf.InstanceBegan)
		}
		if fell {
			n.fell(p, col, out, ck.Object(op.now))
		}
	}

	if began {
		n.began(p, op, ck)
	}
}

func (col *column) markAdded(marks []winperf.AnomalySet, pair *frame.Pair) {
	fromZero := frame.CountsFromZero(col.counter().Type)
	for _, i := range col.object.arrived {
		if m, requested := col.find(i); requested {
			marks[m] = marks[m].With(winperf.InstancesAdded)
			if fromZero && pair.Began(int(i)) {
				marks[m] = marks[m].With(winperf.InstanceBegan)
			}
		}
	}

	for _, i := range col.object.renamed {
		if m, requested := col.find(i); requested {
			marks[m] = marks[m].With(winperf.InstancesRenamed)
		}
	}
}

func (col *column) find(i int32) (m int, has bool) {
	if len(col.instances) == col.object.labels.Len() {
		return int(i), true
	}
	return slices.BinarySearch(col.instances, i)
}
