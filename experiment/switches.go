package experiment

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

// switches remembers marks of series that may be of another instance than before. A record needs the
// marks of all samples since the previous record of its event, including samples for other events and for
// begins of regions.
type switches struct {
	sample uint64
	last   uint64 // last sample with marks
	from   uint64 // the current record needs the marks of later samples

	// Marked series. When recent is full it becomes older, and the previous older is dropped.
	recent, older map[*winperf.Series]switched
	seen          map[string]uint64
}

type switched struct {
	sample uint64
	marks  winperf.AnomalySet
}

// switchMarks are the marks of a value whose series may be of another instance than before.
const switchMarks winperf.AnomalySet = 1<<winperf.InstancesAdded | 1<<winperf.InstancesRenamed |
	1<<winperf.SchemaChanged

const (
	maxSwitched = 50_000
	maxSeen     = 1_000
)

func (w *switches) add(cycles []sensor.MemberCycle) {
	w.sample++
	if len(w.recent) > maxSwitched {
		w.recent, w.older = nil, w.recent
	}

	for i := range cycles {
		if cycles[i].Cycle == nil {
			continue
		}
		columns := cycles[i].Cycle.Columns()
		for k := range columns {
			w.addColumn(&columns[k])
		}
	}
}

func (w *switches) addColumn(col *winperf.Column) {
	if col.Marks == nil && col.Touched&switchMarks == 0 {
		return
	}

	for n := range col.Len() {
		marks := col.Touched
		if col.Marks != nil {
			marks |= col.Marks[n]
		}
		if marks &= switchMarks; marks == 0 {
			continue
		}
		if w.recent == nil {
			w.recent = map[*winperf.Series]switched{}
		}
		w.recent[col.Series(n)] = switched{w.sample, marks}
		w.last = w.sample
	}
}

// record begins a record: marks returns the marks of all samples since the previous record of the event
// and, for a region, since its begin.
func (w *switches) record(t *ticket) {
	name := t.event.Name
	before, known := w.seen[name]
	if !known && len(w.seen) >= maxSeen {
		name = ""
		before, known = w.seen[name]
	}

	w.from = w.sample
	if known {
		w.from = before
	}
	if t.part != nil {
		w.from = min(w.from, t.part.sample)
	}

	if w.seen == nil {
		w.seen = map[string]uint64{}
	}
	w.seen[name] = w.sample
}

func (w *switches) marks(s *winperf.Series) winperf.AnomalySet {
	if w.last <= w.from {
		return 0
	}
	at, has := w.recent[s]
	if !has {
		at = w.older[s]
	}
	if at.sample <= w.from {
		return 0
	}
	return at.marks
}
