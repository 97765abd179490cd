package perftest

import (
	"math"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Column returns one column of readings, whose values may have several kinds. It is valid as long
// as they are.
func Column(readings ...winperf.Reading) winperf.Column {
	c := winperf.Column{Names: reread(readings), Time: readings[0].Time}
	for i := range readings {
		r := &readings[i]
		bits, whole := r.Value.Uint64()
		if f, _ := r.Value.Float64(); !whole {
			bits = math.Float64bits(f)
		}
		c.Bits, c.Status = append(c.Bits, bits), append(c.Status, r.Status)
		c.Marks = append(c.Marks, r.Anomalies)
	}
	return c
}

// reread implements ColumnNames for readings of one counter.
type reread []winperf.Reading

func (r reread) Counter(n int) *winperf.Series     { return r[n].Series }
func (r reread) ID(n int) winperf.SeriesID         { return r[n].ID }
func (r reread) Describe(s *winperf.Series, n int) { *s = *r[n].Series }
func (r reread) Series(n int) *winperf.Series      { return r[n].Series }
func (r reread) Kind(n int) counter.Kind           { return r[n].Value.Kind() }
func (r reread) AllSeries() (all []*winperf.Series) {
	for i := range r {
		all = append(all, r[i].Series)
	}
	return all
}

// Text implements winperf.ColumnNames.
func (r reread) Text(n int) string {
	text, _ := r[n].Value.AsText()
	return text
}
