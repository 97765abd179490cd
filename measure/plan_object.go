package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/sorted"
)

type planner struct {
	plan   *plan
	object frame.Object
	old    *objectPlan // nil for a new object
	same   bool        // the object has no newer sample

	pair    *frame.Pair
	labels  *frame.Labels
	names   naming
	byName  []*selection.Path // paths that name instances
	exclude []*selection.Path
	claims  []claim // nil if parts cannot overlap

	kept     []int32 // by instance: its previous position under the same name, -1 for none
	steady   bool    // definitions and names are unchanged
	counters map[winperf.CounterID]*winperf.Series
	before   []keptSeries // by counter, see olderSeries
	runs     []int32      // see run
}

func (b *planner) make(ck *frame.Cooker) *objectPlan {
	p, id, machine := b.plan, b.object.ID(), b.object.Machine()
	op := &objectPlan{id: id, of: machine}
	object := selection.Object{ID: id, Costly: p.costly(id)}
	for w := range p.parts {
		if p.parts[w].selectsObject(machine, object) {
			op.found = append(op.found, found{part: w})
			if path := p.parts[w].Path; path != nil && !path.EveryInstance() {
				b.byName = append(b.byName, path)
			}
		}
	}

	if len(op.found) == 0 {
		return op
	}
	b.pair, b.labels = ck.Object(b.object), b.object.Labels()
	b.same = b.old != nil && b.old.requested && b.old.group.number == b.object.Number()

	for _, x := range p.exclude {
		if x.Machine(machine) && x.Object.Is(id.Index, "") {
			b.exclude = append(b.exclude, x)
		}
	}

	if len(op.found) > 1 || len(b.exclude) > 0 {
		b.claims = make([]claim, b.object.NumCounters())
	}

	b.names = b.naming()
	b.keep()
	b.endNumbers()
	op.requested, op.layout, op.labels, op.naming = true, b.pair.Layout(), b.labels, b.names
	b.number(op)
	op.counters = make([]*winperf.Series, b.object.NumCounters())
	if b.old != nil {
		op.items = make([]item, 0, len(b.old.items))
	}
	instances := b.instances(op.found)
	b.claimExcluded(instances[len(op.found):])

	for n := range op.found {
		f := &op.found[n]
		f.status = b.add(op, f.part, instances[n])
	}
	sorted.Func(op.items, func(a, b item) int { return cmp.Compare(a.k, b.k) })
	return op
}

func (w *part) selectsObject(machine string, o selection.Object) bool {
	return !w.self && w.Machine(machine) && w.Selects(o) != selection.NoMatch
}

// add returns OK or the reason why the object has nothing for part w.
func (b *planner) add(op *objectPlan, w int, instances []int32) counter.Status {
	part, status := &b.plan.parts[w], counter.NoCounter
	for k := range b.object.NumCounters() {
		if !b.selectsCounter(part, k) {
			continue
		}
		if len(instances) == 0 {
			return counter.NoInstance
		}
		status = counter.OK
		if it := (item{part: w, k: k, instances: b.claim(k, instances), object: op}); len(it.instances) > 0 {
			b.series(&it)
			op.items = append(op.items, it)
		}
	}
	return status
}

// instances returns the instance positions of each part, then of each exclusion. The slices must not
// be changed.
func (b *planner) instances(parts []found) [][]int32 {
	paths := make([]*selection.Path, 0, len(parts)+len(b.exclude))
	for _, f := range parts {
		paths = append(paths, b.plan.parts[f.part].Path)
	}
	paths = append(paths, b.exclude...)

	find := selection.NewFinder(paths, b.object.Single(), b.plan.everyPosition(b.labels.Len()))
	if find.NeedsNames() {
		b.names.addTo(find)
	}
	return find.Found()
}

// claimExcluded claims the excluded values before any part can.
func (b *planner) claimExcluded(instances [][]int32) {
	for n, x := range b.exclude {
		for k := range b.object.NumCounters() {
			if len(instances[n]) > 0 && x.Counter.Is(b.object.Counter(k).ID.Index, "") {
				b.claim(k, instances[n])
			}
		}
	}
}

// everyPosition returns the numbers below n, shared.
func (p *plan) everyPosition(n int) []int32 {
	p.positions = slices.Grow(p.positions, max(0, n-len(p.positions)))
	for i := len(p.positions); i < n; i++ {
		p.positions = append(p.positions, int32(i))
	}
	return p.positions[:n:n]
}

// selectsCounter reports whether a part selects counter k. It omits bases, and headings unless a path
// names them.
func (b *planner) selectsCounter(w *part, k int) bool {
	c := b.object.Counter(k)
	if c.Type.IsBase() {
		return false
	}
	named := w.Path != nil && !w.Path.Counter.Wildcard()
	if _, known := c.Type.Info(); known && c.Type.Samples() == 0 && !c.Type.IsText() && !named {
		return false
	}
	return w.Path == nil || w.Path.Counter.Is(c.ID.Index, "")
}

// claim records the instances of a counter that earlier parts took.
type claim struct {
	all  bool
	some []bool
}

// claim returns the instances of counter k that no earlier part took.
func (b *planner) claim(k int, instances []int32) []int32 {
	if b.claims == nil {
		return instances
	}
	c := &b.claims[k]
	all := len(instances) == b.labels.Len()
	switch {
	case c.all:
		return nil
	case all && c.some == nil:
		c.all = true
		return instances
	}

	if c.some == nil {
		c.some = make([]bool, b.labels.Len())
	}
	claimed := make([]int32, 0, len(instances))
	for _, i := range instances {
		if !c.some[i] {
			claimed = append(claimed, i)
		}
		c.some[i] = true
	}
	c.all = all
	return claimed
}

func (b *planner) from(i int) int {
	if b.same {
		return i // the pair is older than the previous frame
	}
	j, _ := b.pair.From(i)
	return j
}

// sameCounters reports whether the object in the previous frame has the same definitions. Layouts are
// not comparable between positions.
func (b *planner) sameCounters() bool { return b.same || b.pair.SameDefinitions() }

func (b *planner) keep() {
	b.plan.kept = slices.Grow(b.plan.kept[:0], b.labels.Len())
	b.kept = b.plan.kept[:b.labels.Len()]
	known := b.old != nil && b.old.requested
	b.steady = known && !b.plan.stale && b.sameCounters()
	for i := range b.kept {
		b.kept[i] = -1
		if known {
			b.kept[i] = int32(b.from(i))
		}
	}

	if known {
		b.names.keep(&b.old.naming, b.kept)
	}
}

// endNumbers drops the previous plan if the numbers are used up: all instances are then new.
func (b *planner) endNumbers() {
	if b.old == nil || !b.old.requested || b.old.next <= math.MaxUint32-uint32(b.labels.Len()) {
		return
	}
	b.old = nil
	b.keep()
}

// number numbers the instances: the same instance under the same name keeps its number.
func (b *planner) number(op *objectPlan) {
	n := uint32(b.labels.Len())
	if b.old != nil && b.old.requested {
		op.next = b.old.next
	}

	op.fresh = op.next
	op.instances = make([]uint32, n)
	for i, j := range b.kept {
		if j >= 0 {
			op.instances[i] = b.old.instances[j]
			continue
		}
		op.instances[i] = op.next
		op.next++
	}

	op.hasKeys = hasKeys(b.object)
	if op.hasKeys && b.old != nil && b.old.keys != nil {
		op.keys = make([]string, n)
		for i, j := range b.kept {
			if j >= 0 {
				op.keys[i] = b.old.keys[j]
			}
		}
	}
}

func (b *planner) series(it *item) {
	common := &it.object.counters[it.k]
	if *common == nil {
		*common = b.counter(it.k)
	}

	before := b.olderSeries(it.k, *common)
	if before.all == nil {
		return
	}

	n := len(it.instances)
	all := n == b.labels.Len()
	it.kept.all = slices.Grow(before.spare[:0], n)[:n]
	if all { // else other items can use it
		it.kept.complete = before.complete && b.old.fresh == b.old.next
		if !before.handedOut {
			it.kept.spare = before.all
		}
	}

	for at, run := 0, 1; at < n; at += run {
		i := it.instances[at]
		if all {
			run = b.run(i)
		}
		if j := b.kept[i]; j >= 0 {
			copy(it.kept.all[at:], before.all[j:][:run])
		} else {
			it.kept.all[at] = nil
		}
	}
}

func (b *planner) run(i int32) int {
	if b.runs == nil {
		b.plan.runs = slices.Grow(b.plan.runs[:0], len(b.kept))
		b.runs = b.plan.runs[:len(b.kept)]
		for i, j := range slices.Backward(b.kept) {
			b.runs[i] = 1
			if j >= 0 && i+1 < len(b.kept) && b.kept[i+1] == j+1 {
				b.runs[i] += b.runs[i+1]
			}
		}
	}
	return int(b.runs[i])
}

// counter returns the common fields of a counter's series, the previous ones if equal.
func (b *planner) counter(k int) *winperf.Series {
	c, p := b.object.Counter(k), b.plan
	was := b.olderCounter(k, c.ID)
	if was != nil && b.steady {
		return was
	}

	common := winperf.Series{
		Path: winperf.Path{
			Machine:     b.object.Machine(),
			Object:      p.names.Title(b.object.ID().Index),
			Counter:     p.names.Title(c.ID.Index),
			HasInstance: !b.object.Single(),
		},
		ObjectID: b.object.ID(), CounterID: c.ID,
		Type: c.Type, Unit: c.Type.Unit(), Scale: c.Scale,
	}

	if was != nil {
		common.ID = was.ID
		if *was == common {
			return was
		}
	}
	common.ID.Counter = &common
	return &common
}

func (b *planner) olderCounter(k int, id winperf.CounterID) *winperf.Series {
	if b.old == nil || !b.old.requested {
		return nil
	}
	if b.steady {
		return b.old.counters[k]
	}

	if b.counters == nil {
		b.counters = map[winperf.CounterID]*winperf.Series{}
		for _, was := range b.old.counters {
			if was != nil {
				b.counters[was.CounterID] = was
			}
		}
	}

	was := b.counters[id]
	delete(b.counters, id) // only the first of two counters with one identity continues
	return was
}

// olderSeries returns the requested series of a counter by previous position. They must not be
// changed.
func (b *planner) olderSeries(k int, common *winperf.Series) keptSeries {
	if b.old == nil || !b.old.requested {
		return keptSeries{}
	}
	if b.before == nil {
		b.mergeOlder()
	}
	if !b.steady {
		k = slices.Index(b.old.counters, common)
	}
	if k < 0 {
		return keptSeries{}
	}
	return b.before[k]
}

func (b *planner) mergeOlder() {
	n := b.old.labels.Len()
	b.plan.before = slices.Grow(b.plan.before[:0], len(b.old.counters))
	b.before = b.plan.before[:len(b.old.counters)]
	clear(b.before)

	for i := range b.old.items {
		it := &b.old.items[i]
		of := &b.before[it.k]
		switch {
		case it.kept.all == nil:
			continue
		case of.all == nil && len(it.instances) == n:
			*of = it.kept // of all instances, so no other part has one
			continue
		case of.all == nil:
			of.all = make([]*winperf.Series, n)
		}

		for m, j := range it.instances {
			of.all[j] = it.kept.all[m]
		}
	}
}

func (op *objectPlan) key(i int) string {
	if !op.hasKeys {
		return ""
	}
	if op.keys == nil {
		op.keys = make([]string, op.labels.Len())
	}

	const none = "-"
	if op.keys[i] == "" {
		op.keys[i] = cmp.Or(instanceKey(op.now, i), none)
	}
	if op.keys[i] == none {
		return ""
	}
	return op.keys[i]
}

func (op *objectPlan) hasKey(i int) bool { return op.key(i) != "" }
