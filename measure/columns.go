package measure

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/poison"
)

// An item names the values of its column, see [winperf.ColumnNames].

// Counter implements [winperf.ColumnNames].
func (it *item) Counter(int) *winperf.Series { return it.counter() }

// counter is what the series of the item have in common.
func (it *item) counter() *winperf.Series { return it.object.counters[it.k] }

// ID implements [winperf.ColumnNames].
func (it *item) ID(n int) winperf.SeriesID {
	return winperf.SeriesID{
		Counter: it.counter().ID.Counter, Instance: it.object.instances[it.instances[n]],
	}
}

// Kind implements [winperf.ColumnNames].
func (it *item) Kind(int) counter.Kind { return counter.KindNone }

// Text implements [winperf.ColumnNames].
func (it *item) Text(n int) string {
	s, _ := it.object.now.Text(int(it.instances[n]), it.k)
	return s
}

// Series implements [winperf.ColumnNames].
func (it *item) Series(n int) *winperf.Series {
	if it.kept.all == nil {
		it.kept.all = make([]*winperf.Series, len(it.instances))
	}

	s := &it.kept.all[n]
	if *s == nil {
		made := *it.counter()
		it.Describe(&made, n)
		*s = made.Clone()
	}
	return *s
}

// AllSeries implements [winperf.ColumnNames].
func (it *item) AllSeries() []*winperf.Series {
	it.kept.given = true
	return it.allSeries()
}

// allSeries is AllSeries for use in this cycle only.
func (it *item) allSeries() []*winperf.Series {
	if !it.complete {
		it.complete = true

		for n := range it.instances {
			if it.kept.all == nil || it.kept.all[n] == nil {
				it.Series(n)
			}
		}
	}
	return it.kept.all
}

// Describe implements [winperf.ColumnNames].
func (it *item) Describe(s *winperf.Series, n int) {
	i, op := int(it.instances[n]), it.object
	s.ID.Instance = op.instances[i]
	if s.Path.HasInstance {
		s.Path.Instance, s.Path.Index = op.naming.full(i)
		s.Parent = parentIn(s.Path.Instance, op.now.Instance(i))
	}
	s.Key = op.key(i)
}

// parentIn returns what of an instance's whole name is that of its parent. Only the
// sample tells whether there is one: names may hold slashes.
func parentIn(full string, in frame.Instance) string {
	if _, has := in.Parent(); !has {
		return ""
	}
	if parent, is := strings.CutSuffix(full, "/"+in.Name()); is {
		return parent
	}
	parent, _, _ := strings.Cut(full, "/") // it has another name by now
	return parent
}

// appendReadings appends the values of a column as readings.
func appendReadings(readings []winperf.Reading, c *winperf.Column) []winperf.Reading {
	var series []*winperf.Series
	if it, is := c.Names.(*item); is {
		series = it.allSeries()[c.From:][:c.Len()]
	} else {
		series = c.AllSeries()
	}

	at := len(readings)
	readings = slices.Grow(readings, len(series))[:at+len(series)]
	made, bits, status := readings[at:], c.Bits[:len(series)], c.Status[:len(series)]
	kind, t, touched := c.Kind, c.Time, c.Touched
	for n, s := range series {
		var value counter.Value
		if status[n] == counter.OK {
			value = counter.FromBits(kind, bits[n])
		}
		r := &made[n]
		r.Series, r.Time, r.Value, r.Status, r.Anomalies = s, t, value, status[n], touched
	}

	if kind == counter.KindText || kind == counter.KindNone { // each value has its own
		for n := range made {
			made[n].Value = c.Value(n)
		}
	}
	for n, marks := range c.Marks {
		made[n].Anomalies |= marks
	}
	return readings
}

// keepColumn copies a column's values and names, which the next sample replaces.
func keepColumn(c *winperf.Column) {
	names := &keptNames{counter: *c.Counter(), series: slices.Clone(c.AllSeries())}
	names.values = make([]counter.Value, c.Len())
	for n := range names.values {
		names.values[n] = c.Value(n)
	}

	c.Names, c.From = names, 0
	c.Bits, c.Status, c.Marks = slices.Clone(c.Bits), slices.Clone(c.Status), slices.Clone(c.Marks)
}

// keptNames are the [winperf.ColumnNames] of a column of a cycle that was kept.
type keptNames struct {
	counter winperf.Series
	series  []*winperf.Series
	values  []counter.Value
}

func (k *keptNames) Counter(int) *winperf.Series       { return &k.counter }
func (k *keptNames) ID(n int) winperf.SeriesID         { return k.series[n].ID }
func (k *keptNames) Describe(s *winperf.Series, n int) { *s = *k.series[n] }
func (k *keptNames) Series(n int) *winperf.Series      { return k.series[n] }
func (k *keptNames) AllSeries() []*winperf.Series      { return k.series }
func (k *keptNames) Kind(n int) counter.Kind           { return k.values[n].Kind() }

// Text implements [winperf.ColumnNames].
func (k *keptNames) Text(n int) string {
	text, _ := k.values[n].AsText()
	return text
}

// columnStore is the memory of columns.
type columnStore struct {
	bits   []uint64
	status []counter.Status
	marks  []winperf.AnomalySet // seldom needed
	spare  spare
}

// grow makes room for n readings.
func (s *columnStore) grow(n int) {
	s.bits = slices.Grow(s.bits[:0], n)[:n]
	s.status = slices.Grow(s.status[:0], n)[:n]
}

// poison overwrites the values of the sample before, for tests; see internal/poison.
func (s *columnStore) poison() {
	poison.Words(s.bits)
	poison.Bytes(s.status)
	poison.Words(s.spare.bits)
	poison.Bytes(s.spare.status)
}

// mark returns n empty marks.
func (s *columnStore) mark(at, n int) []winperf.AnomalySet {
	if len(s.marks) < len(s.bits) {
		s.marks = make([]winperf.AnomalySet, len(s.bits))
	}
	marks := s.marks[at:][:n:n]
	clear(marks)
	return marks
}

// take makes out the column of what was cooked for it.
func (col *column) take(out *winperf.Column, values *frame.Cooked) {
	out.Kind = values.Kind
	if !col.apart {
		out.Bits, out.Status = values.Bits, values.Status // which others may have cooked
		return
	}
	for m, i := range col.instances {
		out.Bits[m], out.Status[m] = values.Bits[i], values.Status[i]
	}
}

// spare is memory for values that stand nowhere else.
type spare struct {
	bits   []uint64
	status []counter.Status
	used   int
}

func (s *spare) reset() { s.used = 0 }

// take gives memory for n values, until reset.
func (s *spare) take(n int) ([]uint64, []counter.Status) {
	if s.used+n > len(s.bits) {
		size := max(n, 2*len(s.bits))
		s.bits, s.status, s.used = make([]uint64, size), make([]counter.Status, size), 0
	}
	at := s.used
	s.used += n
	return s.bits[at:][:n], s.status[at:][:n]
}
