package winperf_test

import (
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Columns of readings have the readings' values, series and names as long as there are the readings.
func TestColumnsOf(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var readings []winperf.Reading
	for _, v := range []counter.Value{counter.Int(7), counter.Float(-0.5), counter.Text("text"), {}} {
		r := winperf.Reading{Series: winperf.NewSeries(mustParse(t, `\O(i)\C`)), Time: at, Value: v}
		r.ID = r.Series.ID
		if v == (counter.Value{}) {
			r.Status = counter.NoPrevious
		}
		readings = append(readings, r)
	}

	columns := winperf.ColumnsOf(readings)
	winperf.ColumnsOf(make([]winperf.Reading, len(readings)))
	for i, r := range readings {
		c := &columns[i]
		var described winperf.Series
		c.Describe(&described, 0)
		if c.Len() != 1 || c.Value(0) != r.Value || c.Status[0] != r.Status || !c.Time.Equal(at) ||
			c.Series(0) != r.Series || c.ID(0) != r.ID || described != *r.Series {
			t.Errorf("column %+v of %v", c, r)
		}
	}
}

// A part of a column has the values, series and anomalies from its place on.
func TestColumnSlice(t *testing.T) {
	var names rows
	var readings []winperf.Reading
	for i := range 4 {
		r := winperf.Reading{Series: winperf.NewSeries(mustParse(t, `\O(i)\C`)), Value: counter.Int(uint64(i))}
		readings, names.all = append(readings, r), append(names.all, r.Series)
	}
	c := winperf.Column{
		Kind: counter.KindInt, Names: names, Touched: winperf.AnomalySet(0).With(winperf.ClockSet),
		Bits: []uint64{0, 1, 2, 3}, Status: make([]counter.Status, 4),
	}
	for _, marks := range [][]winperf.AnomalySet{nil, {0, 0, winperf.AnomalySet(0).With(winperf.InstanceBegan), 0}} {
		c.Marks = marks
		part := c.Slice(1, 4)
		part = part.Slice(0, 2)
		if part.Len() != 2 || len(part.AllSeries()) != 2 || part.AllSeries()[1] != readings[2].Series {
			t.Errorf("part %+v", part)
		}
		for i := range part.Len() {
			want := c.Touched
			if marks != nil {
				want |= marks[i+1]
			}
			r := readings[i+1]
			if part.Value(i) != r.Value || part.Series(i) != r.Series || part.Anomalies(i) != want {
				t.Errorf("value %d: %v of %p, anomalies %v, want %v, %v", i, part.Value(i), part.Series(i), part.Anomalies(i), r, want)
			}
		}
	}
	if one := winperf.ColumnsOf(readings[:1])[0].AllSeries(); len(one) != 1 || one[0] != readings[0].Series {
		t.Errorf("series of a reading %v", one)
	}
}

// rows are the names of a column with a series for each value.
type rows struct {
	winperf.ColumnNames
	all []*winperf.Series
}

func (r rows) Series(i int) *winperf.Series { return r.all[i] }
func (r rows) AllSeries() []*winperf.Series { return r.all }
