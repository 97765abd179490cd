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
	names   naming
	keyed   bool         // instances may have keys
	keys    []string     // of the instances, where they were needed
	exclude []*pathNames // that are about the object
	claims  [][]bool     // per counter: instances that an earlier part has; nil where that need not be known

	matching []int32 // scratch: instances that a part wants

	kept   []int32                         // by instance: where it was under the same name, -1 = nowhere
	steady bool                            // the object's definitions and names are as they were
	before map[seriesKey][]*winperf.Series // of the frame before, by counter and position there
}

// seriesKey tells counters apart: by position as long as definitions are the
// same, else by identity.
type seriesKey struct {
	k  int
	id winperf.CounterID
}

// make plans the object. One that no part is about is looked at no further.
func (b *planner) make(ck *frame.Cooker) objectPlan {
	p, id := b.plan, b.object.ID()
	op := objectPlan{id: id}
	for w := range p.parts {
		if p.parts[w].wantsObject(p, id) {
			op.found = append(op.found, found{part: w})
		}
	}
	if len(op.found) == 0 {
		return op
	}
	b.pair, b.labels = ck.Object(b.object), b.object.Labels()
	for i := range p.exclude {
		if x := &p.exclude[i]; x.machine(p.machine) && x.object.is(p, id.Index) {
			b.exclude = append(b.exclude, x)
		}
	}
	if len(op.found) > 1 || len(b.exclude) > 0 {
		b.claims = make([][]bool, b.object.NumCounters())
	}
	b.names, b.keyed = b.naming(), hasKeys(b.object)
	b.keep()
	op.wanted, op.layout, op.labels, op.naming = true, b.pair.Layout(), b.labels, b.names
	for n := range op.found {
		f := &op.found[n]
		op.items, f.status = b.add(op.items, f.part)
	}
	return op
}

// wantsObject tells whether the part is about an object.
func (w *part) wantsObject(p *plan, id winperf.ObjectID) bool {
	switch {
	case w.own:
		return false
	case w.isPath:
		return w.path.machine(p.machine) && w.path.object.is(p, id.Index)
	case w.class:
		return w.costly == (p.schema != nil && slices.Contains(p.schema.Costly, id.Index))
	}
	return w.object.Is(id)
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
	at := slices.Grow(b.matching[:0], b.labels.Len())
	for i := range b.labels.Len() {
		if !w.isPath || b.names.matches(&w.path, b.object.Single(), i) {
			at = append(at, int32(i))
		}
	}
	b.matching = at

	kept := make([]int32, len(at)) // no more than it takes: there may be a million
	copy(kept, at)
	return kept
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
	if b.claims == nil {
		return instances
	}
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
		if x.counter.is(b.plan, b.object.Counter(k).ID.Index) && b.names.matches(x, b.object.Single(), i) {
			return true
		}
	}
	return false
}

// keep finds the instances that were there before under the same name.
func (b *planner) keep() {
	b.kept = make([]int32, b.labels.Len())
	known := b.old != nil && b.old.wanted
	b.steady = known && !b.plan.stale && b.old.layout == b.pair.Layout()
	for i := range b.kept {
		b.kept[i] = -1
		if j, _ := b.pair.From(i); known && j >= 0 && j < b.old.labels.Len() {
			name, number := b.names.full(i)
			if was, n := b.old.naming.full(j); was == name && n == number {
				b.kept[i] = int32(j)
			}
		}
	}
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
	before := b.olderSeries(k, c.ID)
	all := make([]*winperf.Series, len(instances))
	for n, i := range instances {
		if j := b.kept[i]; j >= 0 && before != nil && before[j] != nil && (b.steady || b.goesOn(before[j], &c, path)) {
			all[n] = before[j]
			continue
		}
		if path.HasInstance {
			path.Instance, path.Index = b.names.full(int(i))
		}
		s := winperf.NewSeries(path)
		s.ObjectID, s.CounterID = b.object.ID(), c.ID
		s.Type, s.Unit, s.Scale = c.Type, c.Type.Unit(), c.Scale
		s.Key = b.key(int(i))
		all[n] = s
	}
	return all
}

// goesOn tells whether a series, whose instance is called as it was, is still
// that of a counter; path is the counter's, of any instance.
func (b *planner) goesOn(s *winperf.Series, c *frame.Counter, path winperf.Path) bool {
	path.Instance, path.Index = s.Path.Instance, s.Path.Index
	return s.Path == path && s.Type == c.Type && s.Scale == c.Scale
}

// key is the key of instance i, made once for all counters.
func (b *planner) key(i int) string {
	if !b.keyed {
		return ""
	}
	const none = "-"
	if b.keys == nil {
		b.keys = make([]string, b.labels.Len())
	}
	if b.keys[i] == "" {
		if b.keys[i] = instanceKey(b.object, i); b.keys[i] == "" {
			b.keys[i] = none
		}
	}
	if b.keys[i] == none {
		return ""
	}
	return b.keys[i]
}

// olderSeries returns the series that a counter's instances had in the frame
// before, by their positions there; nil where there are none. They must not be
// changed.
func (b *planner) olderSeries(k int, id winperf.CounterID) []*winperf.Series {
	if b.old == nil || !b.old.wanted {
		return nil
	}
	key := func(k int, id winperf.CounterID) seriesKey {
		if b.steady {
			return seriesKey{k: k}
		}
		return seriesKey{k: -1, id: id}
	}
	if b.before == nil {
		b.before = map[seriesKey][]*winperf.Series{}
		n := b.old.labels.Len()
		for _, it := range b.old.items {
			at := key(it.k, it.series[0].CounterID)
			if len(it.series) == n && b.before[at] == nil {
				b.before[at] = it.series // of all instances; no other part can have one
				continue
			}
			if b.before[at] == nil {
				b.before[at] = make([]*winperf.Series, n)
			}
			for m, j := range it.instances {
				b.before[at][j] = it.series[m]
			}
		}
	}
	return b.before[key(k, id)]
}
