package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// planGiven plans the object at position i of a frame that gives its series, as a sample of displayable values
// does: a value is read as it is, and has the series and the place among the others that the sample gives it.
// What was planned before is kept as long as nothing changed.
func (p *plan) planGiven(i int, old []*objectPlan, o frame.Object, ck *frame.Cooker) *objectPlan {
	if i < len(old) && old[i].given && p.holds(old[i], ck, o) {
		return old[i]
	}

	series, places := o.Series()
	op := &objectPlan{
		id: o.ID(), of: o.Machine(), at: i, given: true, wanted: true,
		layout: ck.Object(o).Layout(), labels: o.Labels(), counters: []*winperf.Series{series[0]},
	}
	taken := make([]bool, len(series))
	for n, s := range series {
		taken[n] = slices.ContainsFunc(p.exclude, func(x *selection.Path) bool { return x.Series(s) == counter.OK })
	}

	for w := range p.parts {
		status := p.parts[w].lack()
		for n, s := range series {
			got := p.parts[w].wantsSeries(p, s)
			status = min(status, got) // OK is less than NoInstance, NoCounter, NoObject
			if got != counter.OK || taken[n] {
				continue
			}
			taken[n] = true
			op.addGiven(w, n, places[n], s)
		}
		if status != p.parts[w].lack() {
			op.found = append(op.found, found{w, status})
		}
	}

	op.group.make(op, nil)
	return op
}

// addGiven adds instance n, at a place in the sample, to the last item, whose neighbour it is, or to a new one.
func (op *objectPlan) addGiven(w, n int, place int32, s *winperf.Series) {
	if last := len(op.items) - 1; last >= 0 {
		it := &op.items[last]
		if it.part == w && int(it.place)+len(it.instances) == int(place) {
			it.instances, it.kept = append(it.instances, int32(n)), append(it.kept, s)
			return
		}
	}
	op.items = append(op.items, item{
		part: w, place: place, instances: []int32{int32(n)}, object: op, kept: []*winperf.Series{s}, complete: true,
	})
}

// wantsSeries reports whether the part is about a series: OK, or what the series is not.
func (w *part) wantsSeries(p *plan, s *winperf.Series) counter.Status {
	if w.Path != nil {
		return w.Path.Series(s)
	}
	o := selection.Object{ID: s.ObjectID, Name: s.Path.Object, Costly: p.costly(s.ObjectID)}
	if w.Wants(o) == selection.Unwanted {
		return counter.NoObject
	}
	return counter.OK
}
