package sink

import (
	"cmp"
	"slices"

	"github.com/winperf/winperf"
)

// positions numbers the values of columns consecutively.
type positions struct {
	columns []winperf.Column
	starts  []int // the position of each column's first value
	last    int   // the column of the previous lookup
	reading winperf.Reading
	series  winperf.Series
}

func (p *positions) set(columns []winperf.Column) {
	p.columns, p.starts, p.last = columns, slices.Grow(p.starts[:0], len(columns)), 0
	next := 0
	for i := range columns {
		p.starts = append(p.starts, next)
		next += columns[i].Len()
	}
}

// at returns the value at a position as a reading, valid until the next call.
func (p *positions) at(i int) *winperf.Reading {
	if start := p.starts[p.last]; i < start || i >= start+p.columns[p.last].Len() {
		after, _ := slices.BinarySearchFunc(p.starts, i, func(start, i int) int {
			return cmp.Or(cmp.Compare(start, i), -1) // after empty columns
		})
		p.last = after - 1
	}

	c := &p.columns[p.last]
	n := i - p.starts[p.last]
	c.Describe(&p.series, n)
	p.reading = winperf.Reading{
		Series: &p.series, Time: c.Time, Value: c.Value(n), Status: c.Status[n], Anomalies: c.Anomalies(n),
	}
	return &p.reading
}
