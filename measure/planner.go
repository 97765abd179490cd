package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// planner finds what is wanted of one object.
type planner struct {
	plan   *plan
	object frame.Object
	old    *objectPlan // of the same object in the frame before, if there is one

	pair    *frame.Pair
	labels  *frame.Labels
	exclude []*pathNames // that are about the object
	claims  [][]bool     // per counter: instances that an earlier part has
	before  map[winperf.CounterID][]*winperf.Series
}

// make plans the object. One that no part is about is looked at no further.
func (b *planner) make(ck *frame.Cooker) objectPlan {
	p, id := b.plan, b.object.ID()
	op := objectPlan{title: id.Index}
	for w := range p.parts {
		if p.parts[w].wantsObject(p, id) {
			op.found = append(op.found, found{part: w})
		}
	}
	if len(op.found) == 0 {
		return op
	}
	b.pair, b.labels = ck.Object(b.object), b.object.Labels()
	b.claims = make([][]bool, b.object.NumCounters())
	for i := range p.exclude {
		if x := &p.exclude[i]; x.machine(p.machine) && x.object.is(p, id.Index) {
			b.exclude = append(b.exclude, x)
		}
	}
	op.wanted, op.layout, op.labels = true, b.pair.Layout(), b.labels
	for n := range op.found {
		f := &op.found[n]
		op.items, f.status = b.add(op.items, f.part)
	}
	return op
}

// wantsObject tells whether the part is about an object.
func (w *part) wantsObject(p *plan, id winperf.ObjectID) bool {
	switch {
	case w.isPath:
		return w.path.machine(p.machine) && w.path.object.is(p, id.Index)
	case w.class:
		return w.costly == (p.schema != nil && slices.Contains(p.schema.Costly, id.Index))
	}
	return w.object == id
}

// add appends what a part wants of the object to items and tells what the
// object lacks for it.
func (b *planner) add(items []item, w int) ([]item, counter.Status) {
	part, status := &b.plan.parts[w], counter.NoCounter
	instances := b.instances(part)
	for k := range b.object.NumCounters() {
		if !b.wantsCounter(part, k) {
			continue
		}
		if len(instances) == 0 {
			return items, counter.NoInstance
		}
		status = counter.OK
		if it := (item{part: w, k: k, instances: b.claim(k, instances)}); len(it.instances) > 0 {
			it.series = b.series(k, it.instances)
			items = append(items, it)
		}
	}
	return items, status
}

// instances returns the positions of the instances that a part wants.
func (b *planner) instances(w *part) []int32 {
	var at []int32
	for i := range b.labels.Len() {
		if !w.isPath || w.path.instance(b.object.Single(), b.labels, i) {
			at = append(at, int32(i))
		}
	}
	return at
}

// wantsCounter leaves out bases always, and headings unless they are asked for
// by name.
func (b *planner) wantsCounter(w *part, k int) bool {
	c := b.object.Counter(k)
	if c.Type.IsBase() {
		return false
	}
	named := w.isPath && !w.path.counter.wildcard()
	if _, known := c.Type.Info(); known && c.Type.Samples() == 0 && !c.Type.IsText() && !named {
		return false
	}
	return !w.isPath || w.path.counter.is(b.plan, c.ID.Index)
}

// claim takes a counter of instances for the first part of the selection that
// wants it, and returns those that were not taken and are not excluded.
func (b *planner) claim(k int, instances []int32) []int32 {
	if b.claims[k] == nil {
		b.claims[k] = make([]bool, b.labels.Len())
	}
	taken := b.claims[k]
	claimed := make([]int32, 0, len(instances))
	for _, i := range instances {
		if !taken[i] && !b.excluded(k, int(i)) {
			claimed = append(claimed, i)
		}
		taken[i] = true
	}
	return claimed
}

func (b *planner) excluded(k, i int) bool {
	for _, x := range b.exclude {
		if x.counter.is(b.plan, b.object.Counter(k).ID.Index) && x.instance(b.object.Single(), b.labels, i) {
			return true
		}
	}
	return false
}

// series returns the series of a counter of instances: the one that an
// instance had, as long as it is the same thing under the same name, else a
// new one.
func (b *planner) series(k int, instances []int32) []*winperf.Series {
	c, p := b.object.Counter(k), b.plan
	path := winperf.Path{
		Machine:     p.machine,
		Object:      p.names.Title(b.object.ID().Index),
		Counter:     p.names.Title(c.ID.Index),
		HasInstance: !b.object.Single(),
	}
	before := b.olderSeries(c.ID)
	all := make([]*winperf.Series, len(instances))
	for n, i := range instances {
		if path.HasInstance {
			path.Instance, path.Index = b.labels.Full(int(i)), b.labels.Occurrence(int(i))
		}
		if j, _ := b.pair.From(int(i)); j >= 0 && j < len(before) {
			if s := before[j]; s != nil && s.Path == path && s.Type == c.Type && s.Scale == c.Scale {
				all[n] = s
				continue
			}
		}
		s := winperf.NewSeries(path)
		s.ObjectID, s.CounterID = b.object.ID(), c.ID
		s.Type, s.Unit, s.Scale = c.Type, c.Type.Unit(), c.Scale
		all[n] = s
	}
	return all
}

// olderSeries returns the series that a counter's instances had in the frame
// before, by their positions there.
func (b *planner) olderSeries(id winperf.CounterID) []*winperf.Series {
	if b.old == nil || !b.old.wanted {
		return nil
	}
	if b.before == nil {
		b.before = map[winperf.CounterID][]*winperf.Series{}
		for _, it := range b.old.items {
			id := it.series[0].CounterID
			if b.before[id] == nil {
				b.before[id] = make([]*winperf.Series, b.old.labels.Len())
			}
			for n, j := range it.instances {
				b.before[id][j] = it.series[n]
			}
		}
	}
	return b.before[id]
}
