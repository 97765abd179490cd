package measure

import (
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Column is one counter of some instances in one cycle: the readings of a path,
// or of a part of it, side by side. Element n of every slice belongs to
// Series[n]. It is valid as long as its Cycle.
type Column struct {
	Time   time.Time // of the sample that the object was in
	Series []*winperf.Series
	Kind   counter.Kind
	Bits   []uint64         // the values, see counter.FromBits
	Status []counter.Status // only OK goes with a value
	// Touched are the kinds of anomalies that touch all values, Marks those that
	// touch single ones; nil is none.
	Touched winperf.AnomalySet
	Marks   []winperf.AnomalySet

	texts texts
}

// texts finds the texts of a column.
type texts struct {
	object    frame.Object
	k         int
	instances []int32
	cooked    string // the only text, of a column that the source cooked
}

// Len is the number of values.
func (c *Column) Len() int { return len(c.Bits) }

// Value is the value of Series[n]; it holds nothing where the status is not OK.
func (c *Column) Value(n int) counter.Value {
	switch {
	case c.Status[n] != counter.OK:
		return counter.Value{}
	case c.Kind == counter.KindText && c.texts.instances == nil:
		return counter.Text(c.texts.cooked)
	case c.Kind == counter.KindText:
		s, _ := c.texts.object.Text(int(c.texts.instances[n]), c.texts.k)
		return counter.Text(s)
	}
	return counter.FromBits(c.Kind, c.Bits[n])
}

// Reading is the n-th value as a reading.
func (c *Column) Reading(n int) winperf.Reading {
	r := winperf.Reading{Series: c.Series[n], Time: c.Time, Value: c.Value(n), Status: c.Status[n], Anomalies: c.Touched}
	if c.Marks != nil {
		r.Anomalies |= c.Marks[n]
	}
	return r
}

// appendReadings appends the values as readings.
func (c *Column) appendReadings(readings []winperf.Reading) []winperf.Reading {
	at := len(readings)
	readings = slices.Grow(readings, len(c.Series))[:at+len(c.Series)]
	for n, s := range c.Series {
		readings[at+n] = winperf.Reading{Series: s, Time: c.Time, Value: c.Value(n), Status: c.Status[n], Anomalies: c.Touched}
	}
	for n, mark := range c.Marks {
		readings[at+n].Anomalies |= mark
	}
	return readings
}

// columnStore is the memory of a cycle's columns, by the places of readings.
type columnStore struct {
	bits   []uint64
	status []counter.Status
	alone  []*winperf.Series // of columns with one series, by the places of columns
}

// grow makes room for n readings in some columns.
func (s *columnStore) grow(n, columns int) {
	s.bits = slices.Grow(s.bits[:0], n)[:n]
	s.status = slices.Grow(s.status[:0], n)[:n]
	s.alone = slices.Grow(s.alone[:0], columns)[:columns]
}

// reading makes a column, the one at place out, of one reading.
func (s *columnStore) reading(at, out int, r *winperf.Reading) Column {
	bits, whole := r.Value.Uint64()
	if !whole {
		f, _ := r.Value.Float64()
		bits = math.Float64bits(f)
	}
	s.bits[at], s.status[at], s.alone[out] = bits, r.Status, r.Series
	c := Column{
		Time: r.Time, Series: s.alone[out : out+1], Kind: r.Value.Kind(),
		Bits: s.bits[at : at+1], Status: s.status[at : at+1], Touched: r.Anomalies,
	}
	c.texts.cooked, _ = r.Value.AsText()
	return c
}

// take copies what was cooked into a column.
func (s *columnStore) take(col *column, values *frame.Column, o frame.Object, t time.Time) Column {
	n := len(col.series)
	c := Column{Time: t, Series: col.series, Kind: values.Kind, Bits: s.bits[col.start:][:n], Status: s.status[col.start:][:n]}
	if n == len(values.Bits) { // all instances
		copy(c.Bits, values.Bits)
		copy(c.Status, values.Status)
	} else {
		for m, i := range col.instances {
			c.Bits[m], c.Status[m] = values.Bits[i], values.Status[i]
		}
	}
	if c.Kind == counter.KindText {
		c.texts = texts{object: o, k: col.k, instances: col.instances}
	}
	return c
}
