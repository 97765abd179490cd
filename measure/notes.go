package measure

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

type notes struct {
	source  string
	time    time.Time
	list    []winperf.Anomaly
	touched winperf.AnomalySet // kinds that affect all readings
	absent  winperf.AnomalySet // kinds that may explain a missing object
}

// begin reuses the memory of the previous list.
func (n *notes) begin(t time.Time, list []winperf.Anomaly) {
	clear(list)
	n.time, n.list, n.touched, n.absent = t, list[:0], 0, 0
}

func (n *notes) add(a winperf.Anomaly) {
	if a.Time.IsZero() {
		a.Time = n.time
	}
	if a.Source == "" {
		a.Source = n.source
	}
	n.list = append(n.list, a)
}

// addToAll adds an anomaly that affects all readings.
func (n *notes) addToAll(a winperf.Anomaly) {
	n.touched = n.touched.With(a.Kind)
	n.add(a)
}

// clocks notes clocks that went back since the previous frame, and a changed system time. The time
// stamps of displayable values are not clocks: their reader reports steps back as damage.
func (n *notes) clocks(older, cur frame.Frame) {
	if older.IsZero() || older.Machine() != cur.Machine() {
		return
	}
	for range cur.Values() {
		return
	}

	was, now := older.Clocks(), cur.Clocks()
	step := int64(0)
	if cur.Quirks()&winperf.ClocksTogether != 0 {
		step = counter.ClockStep(was, now)
	}

	switch {
	case now.Time100ns < was.Time100ns:
		back := winperf.FromFiletime(was.Time100ns).Sub(winperf.FromFiletime(now.Time100ns))
		n.addToAll(winperf.Anomaly{
			Kind: winperf.ClockBack, Detail: fmt.Sprintf("the system time went back by %v", back),
		})
	case step != 0:
		by := time.Duration(float64(step) * 100).Round(time.Millisecond)
		n.addToAll(winperf.Anomaly{
			Kind: winperf.ClockSet, Detail: fmt.Sprintf("the system time was set by %v", by),
			Action: "rates use the time of the performance counter",
		})

	case now.PerfTime < was.PerfTime && now.PerfFreq == was.PerfFreq && now.PerfFreq != 0:
		ticks := uint64(was.PerfTime) - uint64(now.PerfTime)
		n.addToAll(winperf.Anomaly{
			Kind:   winperf.ClockBack,
			Detail: fmt.Sprintf("the performance counter went back by %d ticks", ticks),
		})
	}
}

func (b *planner) anomaly(kind winperf.AnomalyKind) winperf.Anomaly {
	id := b.object.ID()
	return winperf.Anomaly{Kind: kind, Object: id, ObjectName: b.plan.names.Title(id.Index)}
}

// compare notes a new object, changed counters and changed instances. first: the object has no
// previous sample.
func (b *planner) compare(op *objectPlan, n *notes, first bool) {
	switch {
	case first || !op.requested || b.plan.machineChanged:
		return
	case b.old == nil:
		op.touched = op.touched.With(winperf.SchemaChanged)
		a := b.anomaly(winperf.SchemaChanged)
		a.Detail, a.Action = "the object is new", "measured from here on"
		n.add(a)
		return

	case !b.old.requested:
		return
	case !b.sameCounters():
		op.touched = op.touched.With(winperf.SchemaChanged)
		a := b.anomaly(winperf.SchemaChanged)
		a.Detail, a.Action = "the object's counters changed", "unchanged counters continue"
		n.add(a)
	}
	b.compareInstances(op, n)
}

// compareInstances notes new, ended and renamed instances. Processes are renamed when they execute
// another program.
func (b *planner) compareInstances(op *objectPlan, n *notes) {
	now, was := op.requestedInstances(), b.old.requestedInstances()
	added, renamed := b.anomaly(winperf.InstancesAdded), b.anomaly(winperf.InstancesRenamed)
	for i, requested := range now {
		j := b.from(i)
		if j >= 0 && j < len(was) {
			if before, name := b.namesOf(i, j); (requested || was[j]) && before != name {
				renamed.Detail = cmp.Or(renamed.Detail, fmt.Sprintf("%s is called %s now", before, name))
				renamed.Instances = append(renamed.Instances, op.naming.spelled(i))
			}
			if requested && b.kept[i] < 0 {
				op.renamed = append(op.renamed, int32(i))
			}
			was[j] = false // not ended
		}

		if j < 0 && requested {
			op.arrived = append(op.arrived, int32(i))
			added.Instances = append(added.Instances, op.naming.spelled(i))
		}
	}

	left := b.anomaly(winperf.InstancesRemoved)
	for j, removed := range was {
		if removed {
			left.Instances = append(left.Instances, b.old.naming.spelled(j))
		}
	}

	if len(added.Instances) > 0 {
		added.Action = "measured from here on"
		n.add(added)
	}

	if len(left.Instances) > 0 {
		n.add(left)
	}
	if len(renamed.Instances) > 0 {
		renamed.Action = "treated as the same instances"
		n.add(renamed)
	}
}

// namesOf returns the names of instance i, at position j in the previous frame: the names in paths
// if they differ, else the names of the source.
func (b *planner) namesOf(i, j int) (before, now string) {
	if b.kept[i] < 0 {
		return b.old.naming.spelled(j), b.names.spelled(i)
	}
	return b.old.labels.Name(j), b.labels.Name(i)
}

func (op *objectPlan) requestedInstances() []bool {
	requested := make([]bool, op.labels.Len())
	var last []int32
	for i := range op.items {
		instances := op.items[i].instances
		if len(instances) == len(last) && &instances[0] == &last[0] {
			continue // counters of one part share them
		}
		for _, at := range instances {
			requested[at] = true
		}
		last = instances
	}
	return requested
}

func (p *plan) noteRemoved(old []*objectPlan, n *notes) {
	for i := range old {
		if !old[i].requested || p.machineChanged || findObject(p.objects, i, old[i].id, old[i].of) >= 0 {
			continue
		}
		n.add(winperf.Anomaly{
			Kind: winperf.SchemaChanged, Object: old[i].id,
			ObjectName: p.names.Title(old[i].id.Index), Detail: "the object is gone",
		})
		o := selection.Object{ID: old[i].id, Costly: p.costly(old[i].id)}
		for w := range p.parts {
			if p.parts[w].selectsObject(old[i].of, o) {
				p.parts[w].removed = p.cycles
			}
		}
	}
}

// noteUnmatched notes, once, that a path matches nothing.
func (w *part) noteUnmatched(n *notes, lack counter.Status) {
	if w.checked {
		return
	}
	what := map[counter.Status]string{
		counter.NoObject: "object", counter.NoCounter: "counter", counter.NoInstance: "instance",
	}
	w.checked = true
	n.add(winperf.Anomaly{
		Kind: winperf.PathUnmatched, Detail: fmt.Sprintf("%s: there is no such %s", w.Path.Original, what[lack]),
		Action: "looked for in every sample",
	})
}

func (n *notes) began(p *plan, op *objectPlan, ck *frame.Cooker) {
	a := winperf.Anomaly{
		Kind: winperf.InstanceBegan, Object: op.id, ObjectName: p.names.Title(op.id.Index),
		Action: "counted from zero",
	}

	pair := ck.Object(op.now)
	for _, i := range op.arrived {
		if pair.Began(int(i)) {
			a.Instances = append(a.Instances, op.naming.spelled(int(i)))
		}
	}
	n.add(a)
}

// fell notes and marks the values of a column that were reset or that wrapped.
func (n *notes) fell(p *plan, col *column, values *winperf.Column, pair *frame.Pair) {
	counterName := p.names.Title(col.counter().CounterID.Index)
	at := func(kind winperf.AnomalyKind, action string) winperf.Anomaly {
		id := col.object.id
		return winperf.Anomaly{
			Kind: kind, Object: id, ObjectName: p.names.Title(id.Index),
			Detail: counterName, Action: action,
		}
	}

	reset := at(winperf.CounterReset, "no value")
	wrapped := at(winperf.CounterWrapped, "taken as growth modulo 2^32")
	for m, i := range col.instances {
		switch a := (*winperf.Anomaly)(nil); values.Status[m] {
		case counter.NegativeValue, counter.NegativeDenominator:
			a = &reset
			mark(values, m, a, col, int(i))
		case counter.OK:
			if pair.Fell(int(i), col.k) {
				a = &wrapped
				mark(values, m, a, col, int(i))
			}
		}
	}

	for _, a := range []winperf.Anomaly{reset, wrapped} {
		if len(a.Instances) > 0 || marked(values, a.Kind) {
			n.add(a)
		}
	}
}

func mark(c *winperf.Column, m int, a *winperf.Anomaly, col *column, i int) {
	c.Marks[m] = c.Marks[m].With(a.Kind)
	if col.counter().Path.HasInstance {
		a.Instances = append(a.Instances, col.object.naming.spelled(i))
	}
}

func marked(c *winperf.Column, kind winperf.AnomalyKind) bool {
	return slices.ContainsFunc(c.Marks, func(s winperf.AnomalySet) bool { return s.Has(kind) })
}
