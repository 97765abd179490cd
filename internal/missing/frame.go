package missing

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// In returns which part of a path a frame does not have, as [Parts] does. The names of the path must be
// resolved. All instances of an object can be named without one being there now.
func In(f frame.Frame, p *selection.Path) counter.Status {
	lack := counter.NoObject
	for v := range f.Values() {
		for _, s := range v.AllSeries() {
			lack = min(lack, p.Series(s)) // OK is less than NoInstance, NoCounter, NoObject
		}
	}
	for o := range f.Objects() {
		if lack == counter.OK {
			break
		}
		lack = min(lack, inObject(o, p))
	}
	return lack
}

func inObject(o frame.Object, p *selection.Path) counter.Status {
	switch {
	case o.Metadata() || !p.Machine(o.Machine()) || !p.Object.Is(o.ID().Index, ""):
		return counter.NoObject
	case !hasCounter(o, p):
		return counter.NoCounter
	case !p.Fits(o.Single()) || !hasInstance(o, p):
		return counter.NoInstance
	}
	return counter.OK
}

func hasCounter(o frame.Object, p *selection.Path) bool {
	for k := range o.NumCounters() {
		if p.Counter.Is(o.Counter(k).ID.Index, "") {
			return true
		}
	}
	return false
}

func hasInstance(o frame.Object, p *selection.Path) bool {
	if o.Single() || p.EveryInstance() {
		return true
	}
	labels := o.Labels()
	for i := range o.Len() {
		if p.Instance(labels.Full(i), labels.Occurrence(i)) {
			return true
		}
	}
	return false
}
