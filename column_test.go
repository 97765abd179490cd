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
