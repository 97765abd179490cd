package sink

import (
	"cmp"
	"slices"

	"github.com/winperf/winperf"
)

// positions are the values of columns by number, one behind the other.
type positions struct {
	columns []winperf.Column
	starts  []int // of each column: the position of its first value
	last    int   // the column that was looked at last
	reading winperf.Reading
	series  winperf.Series // of reading
}

// set numbers the values of columns.
func (p *positions) set(columns []winperf.Column) {
	p.columns, p.starts, p.last = columns, slices.Grow(p.starts[:0], len(columns)), 0
	next := 0
	for i := range columns {
		p.starts = append(p.starts, next)
		next += columns[i].Len()
	}
}

// at returns the value at a position as a reading, which is valid until the next call.
func (p *positions) at(i int) *winperf.Reading {
	if start := p.starts[p.last]; i < start || i >= start+p.columns[p.last].Len() {
		after, _ := slices.BinarySearchFunc(p.starts, i, func(start, i int) int {
			return cmp.Or(cmp.Compare(start, i), -1) // behind empty columns
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
