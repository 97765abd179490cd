package experiment

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
)

// switches remembers in which sample of a binding the value of a series was marked as one of another
// instance. A record does not have the marks of the samples between it and the previous record of its event,
// which were taken for other events or for the begin of a region.
type switches struct {
	sample uint64 // number of the current sample, from 1
	last   uint64 // the last sample with marks
	from   uint64 // the record at hand has the marks of later samples

	// Marked series. When recent is full it becomes older, and the series in older are forgotten.
	recent, older map[*winperf.Series]switched
	seen          map[string]uint64 // by event name: the sample of the last record with values
}

// switched is the last sample in which the value of a series was marked, with its marks.
type switched struct {
	sample uint64
	marks  winperf.AnomalySet
}

// switchMarks are the marks of a value whose series may be of another instance than before.
const switchMarks winperf.AnomalySet = 1<<winperf.InstancesCame | 1<<winperf.InstancesRenamed |
	1<<winperf.SchemaChanged

// Bounds of what a binding remembers.
const (
	maxSwitched = 50_000
	maxSeen     = 1_000 // further event names share one entry
)

// add adds a sample.
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

// record begins a record of an event. Its values have the marks of all samples since the previous record of
// that event, and of a region also of all samples since its begin.
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

// marks returns the marks of the value of a series in the record at hand.
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
