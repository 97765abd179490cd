package measure

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/poison"
)

// Counter implements [winperf.ColumnNames].
func (it *item) Counter(int) *winperf.Series { return it.counter() }

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
	it.kept.handedOut = true
	return it.allSeries()
}

// allSeries is AllSeries for this cycle only.
func (it *item) allSeries() []*winperf.Series {
	if it.object.fresh < it.object.next {
		it.object.makeFresh()
	}
	if !it.kept.complete {
		it.kept.complete = true
		for n := range it.instances {
			it.Series(n)
		}
	}
	return it.kept.all
}

// makeFresh makes the series of new instances in the columns whose series were all requested before.
// Series of one instance share memory because they end together.
func (op *objectPlan) makeFresh() {
	columns := 0
	for k := range op.items {
		if op.items[k].kept.complete {
			columns++
		}
	}

	for i, number := range op.instances {
		if number < op.fresh || columns == 0 {
			continue
		}
		series := make([]winperf.Series, 0, columns)
		for k := range op.items {
			if it := &op.items[k]; it.kept.complete && it.kept.all[i] == nil {
				series = append(series, it.make(i, series))
				it.kept.all[i] = &series[len(series)-1]
			}
		}
	}
	op.fresh = op.next
}

// make returns the series of the n-th value. others are series of the same instance.
func (it *item) make(n int, others []winperf.Series) winperf.Series {
	s := *it.counter()
	if len(others) == 0 {
		it.Describe(&s, n)
		return *s.Clone()
	}

	other := &others[0]
	s.ID.Instance, s.Key, s.Parent = other.ID.Instance, other.Key, other.Parent
	s.Path.Instance, s.Path.Index = other.Path.Instance, other.Path.Index
	return *s.Clone()
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

// parentIn returns the parent's part of a full instance name. The sample decides whether there is a
// parent, because names can contain slashes.
func parentIn(full string, in frame.Instance) string {
	if _, has := in.Parent(); !has {
		return ""
	}
	if parent, is := strings.CutSuffix(full, "/"+in.Name()); is {
		return parent
	}
	parent, _, _ := strings.Cut(full, "/") // renamed
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
	made := readings[at:]
	setReadings(made, series, c)

	if c.Kind == counter.KindText || c.Kind == counter.KindNone { // each value has its own kind
		for n := range made {
			made[n].Value = c.Value(n)
		}
	}
	for n, marks := range c.Marks {
		if marks != 0 {
			made[n].Anomalies |= marks
		}
	}
	return readings
}

func setReadings(made []winperf.Reading, series []*winperf.Series, c *winperf.Column) {
	bits, status := c.Bits[:len(made)], c.Status[:len(made)]
	kind, t, touched := c.Kind, c.Time, c.Touched
	for n, s := range series[:len(made)] {
		r := &made[n]
		r.Series, r.Time, r.Status, r.Anomalies = s, t, status[n], touched
		r.Value = counter.FromBits(kind, bits[n])
	}

	for n, s := range status {
		if s != counter.OK {
			made[n].Value = counter.Value{}
		}
	}
}

// keepColumn copies the values and names of a column, which the next sample would replace.
func keepColumn(c *winperf.Column) {
	names := &keptNames{counter: *c.Counter(), series: slices.Clone(c.AllSeries())}
	names.values = make([]counter.Value, c.Len())
	for n := range names.values {
		names.values[n] = c.Value(n)
	}

	c.Names, c.From = names, 0
	c.Bits, c.Status, c.Marks = slices.Clone(c.Bits), slices.Clone(c.Status), slices.Clone(c.Marks)
}

// keptNames names the values of a kept cycle's column.
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

func (s *columnStore) grow(n int) {
	s.bits = slices.Grow(s.bits[:0], n)[:n]
	s.status = slices.Grow(s.status[:0], n)[:n]
}

// poison overwrites the values of the previous sample, for tests; see internal/poison.
func (s *columnStore) poison() {
	poison.Words(s.bits)
	poison.Bytes(s.status)
	poison.Words(s.spare.bits)
	poison.Bytes(s.spare.status)
}

func (s *columnStore) mark(at, n int) []winperf.AnomalySet {
	if len(s.marks) < len(s.bits) {
		s.marks = make([]winperf.AnomalySet, len(s.bits))
	}
	marks := s.marks[at:][:n:n]
	clear(marks)
	return marks
}

func (col *column) take(out *winperf.Column, values *frame.Cooked) {
	out.Kind = values.Kind
	if !col.apart {
		out.Bits, out.Status = values.Bits, values.Status // others may have computed these
		return
	}
	for m, i := range col.instances {
		out.Bits[m], out.Status[m] = values.Bits[i], values.Status[i]
	}
}

// spare is memory for values that do not belong to a column.
type spare struct {
	bits   []uint64
	status []counter.Status
	used   int
}

func (s *spare) reset() { s.used = 0 }

// take returns memory for n values, until reset.
func (s *spare) take(n int) ([]uint64, []counter.Status) {
	if s.used+n > len(s.bits) {
		size := max(n, 2*len(s.bits))
		s.bits, s.status, s.used = make([]uint64, size), make([]counter.Status, size), 0
	}
	at := s.used
	s.used += n
	return s.bits[at:][:n], s.status[at:][:n]
}
