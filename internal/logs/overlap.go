package logs

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// overlap selects one of several values that logs have for the same series at the same time: the first
// value, or if there is none, the first status.
type overlap struct {
	views   []View             // by cycle
	seen    map[string][]place // by path in lower case: its values in earlier cycles
	dropped map[place]bool     // values that another cycle replaces
	text    []byte
	series  winperf.Series
}

// place is a value of a cycle.
type place struct {
	cycle  int
	column *winperf.Column
	n      int
}

// Conflicts are different values of several logs for one series at one time.
type Conflicts struct {
	Count int
	First error // describes the first one
}

// Add adds other conflicts.
func (c *Conflicts) Add(other Conflicts) {
	if c.Count == 0 {
		c.First = other.First
	}
	c.Count += other.Count
}

// Err returns an error that counts the conflicts, or nil.
func (c *Conflicts) Err() error {
	if c.Count == 0 {
		return nil
	}
	const form = "values that differ between logs at the same time: %d; the first log's are used: %w"
	return fmt.Errorf(form, c.Count, c.First)
}

// merge selects the values of a moment of several cycles.
func (o *overlap) merge(m *Moment) {
	o.dropped, o.seen = map[place]bool{}, map[string][]place{}
	shared := sharedMachines(m.Cycles)
	if len(shared) > 0 {
		for i := range m.Cycles {
			o.compare(m, i, shared)
		}
	}

	if more := len(m.Cycles) - len(o.views); more > 0 {
		o.views = append(o.views, make([]View, more)...)
	}
	m.columns = nil
	for i, cycle := range m.Cycles {
		columns := cycle.Columns()
		if len(o.dropped) > 0 {
			selected := func(c *winperf.Column, n int) bool { return !o.dropped[place{i, c, n}] }
			columns = o.views[i].Choose(columns, selected)
		}
		m.columns = append(m.columns, columns)
	}
}

// sharedMachines returns the machines, in lower case, that are in several cycles.
func sharedMachines(cycles []*measure.Cycle) map[string]bool {
	first, shared := map[string]int{}, map[string]bool{}
	for i, cycle := range cycles {
		columns := cycle.Columns()
		for k := range columns {
			machine := strings.ToLower(columns[k].Counter().Path.Machine)
			if at, known := first[machine]; !known {
				first[machine] = i
			} else if at != i {
				shared[machine] = true
			}
		}
	}
	return shared
}

// compare compares the values of a cycle with the values of earlier cycles. The first column of a path
// corresponds to the first column of this path in another log, the second one to the second.
func (o *overlap) compare(m *Moment, cycle int, shared map[string]bool) {
	columns := m.Cycles[cycle].Columns()
	found := map[string]int{}
	for k := range columns {
		c := &columns[k]
		if !shared[strings.ToLower(c.Counter().Path.Machine)] {
			continue
		}

		for n := range c.Len() {
			c.Describe(&o.series, n)
			o.text, _ = o.series.Path.AppendText(o.text[:0])
			path := strings.ToLower(string(o.text))
			at := found[path]
			found[path]++
			if at < len(o.seen[path]) {
				o.choose(m, &o.seen[path][at], place{cycle, c, n})
			} else {
				o.seen[path] = append(o.seen[path], place{cycle, c, n})
			}
		}
	}
}

// choose compares two values of one path. The better one remains in first.
func (o *overlap) choose(m *Moment, first *place, other place) {
	if !sameInstance(first, &other, &o.series) {
		return
	}

	a, b := first.column.Status[first.n], other.column.Status[other.n]
	if a != counter.OK && (b == counter.OK || a.NamesNothing() && !b.NamesNothing()) {
		o.dropped[*first] = true
		*first = other
		return
	}

	o.dropped[other] = true
	x, y := first.column.Value(first.n), other.column.Value(other.n)
	if a == counter.OK && b == counter.OK && !sameValue(x, y) {
		path, from := first.column.Series(first.n), m.From
		m.Conflicts.Add(Conflicts{1, fmt.Errorf("%s at %s: %s in %s, %s in %s", path,
			m.Time.Format(time.RFC3339Nano), x, from[first.cycle].Name, y, from[other.cycle].Name)})
	}
}

// sameInstance reports whether two values of one path may be of the same instance. A text log has no keys.
func sameInstance(a, b *place, s *winperf.Series) bool {
	a.column.Describe(s, a.n)
	key := s.Key
	b.column.Describe(s, b.n)
	return key == s.Key || key == "" || s.Key == ""
}

// sameValue reports whether two values are equal within the digits that a text log may have.
func sameValue(a, b counter.Value) bool {
	x, isNumber := a.Float64()
	y, isOther := b.Float64()
	if !isNumber || !isOther {
		return a == b
	}
	const decimals, digits = 0.6e-6, 1e-12
	return x == y || math.Abs(x-y) <= max(decimals, digits*max(math.Abs(x), math.Abs(y)))
}

// distinct returns the cycles of a moment of raw values, each sample once.
func (m *Moment) distinct() []*measure.Cycle {
	if len(m.Cycles) == 1 {
		return m.Cycles
	}
	var all []*measure.Cycle
	for _, cycle := range m.Cycles {
		same := func(other *measure.Cycle) bool { return sameSample(cycle.Sample, other.Sample) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, cycle)
		}
	}
	return all
}

func sameSample(a, b *winperf.Sample) bool {
	return slices.EqualFunc(a.Parts, b.Parts, func(x, y winperf.Part) bool {
		return x.Block != nil && y.Block != nil && bytes.Equal(x.Block.Raw.Bytes, y.Block.Raw.Bytes)
	})
}
