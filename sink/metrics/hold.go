package metrics

import (
	"fmt"
	"math"

	"github.com/winperf/winperf/counter"
)

// hold keeps the previous value of a counter in place of a smaller one, unless the counter was reset.
// Kernels correct counts downwards: the idle time of processors, the bytes that a process wrote to
// files that it deleted. Prometheus takes each fall for a reset and counts the whole new value.
func (c *cell) hold(in *inputs) {
	out := &c.out
	c.held = false
	for i, now := range out.Bits {
		j := in.previousRow(i)
		if j < 0 || j >= len(in.last) || in.lastForm != out.Form {
			continue
		}
		was := in.last[j]
		switch {
		case !out.Has(i):
			out.Bits[i] = was // for the next value
		case out.Form.less(now, was) && in.corrected(i, out.Form, now, was):
			out.Bits[i] = was
			c.held = true
		}
	}
}

// heldValue is a value that a Mapper kept in place of a smaller one.
type heldValue struct {
	bits uint64
	form Form
}

// heldValues returns the values of columns that have kept one, by the names of their series.
func (m *Mapper) heldValues() map[string]heldValue {
	held := map[string]heldValue{}
	for _, st := range m.objects {
		for c := range st.cells {
			cell := &st.cells[c]
			if !cell.held || cell.family < 0 {
				continue
			}
			for i, bits := range cell.out.Bits {
				if cell.out.Has(i) {
					held[m.seriesName(cell, i)] = heldValue{bits, cell.out.Form}
				}
			}
		}
	}
	return held
}

// holdOn keeps the values that another Mapper kept before this one.
func (m *Mapper) holdOn(c *cell, in *inputs) {
	out := &c.out
	for i, now := range out.Bits {
		was, ok := m.held[m.seriesName(c, i)]
		if ok && out.Has(i) && was.form == out.Form && out.Form.less(now, was.bits) &&
			in.corrected(i, out.Form, now, was.bits) {
			out.Bits[i] = was.bits
			c.held = true
		}
	}
}

func (m *Mapper) seriesName(c *cell, i int) string {
	name := m.set.Families[c.family].Name
	return fmt.Sprintf("%q %q %q %q", name, c.out.Suffix, c.out.Extra, c.out.Rows.Labels(i))
}

// previousRow returns the row in the previous sample, -1 for none.
func (in *inputs) previousRow(i int) int {
	if in.rows == nil || len(in.rows.from) == 0 {
		return i
	}
	return int(in.rows.from[i])
}

// corrected reports whether a smaller value is a correction, not a reset. The counters of a process
// are not reset as long as it runs. Another counter that was reset has less than half of its value in
// the next sample. After a restart of the machine, and if the instance may be another one or is a
// total of instances, every smaller value is a reset.
func (in *inputs) corrected(i int, form Form, now, was uint64) bool {
	if in.state.again {
		return false
	}
	if in.rows != nil {
		_, match := in.state.pair.From(in.instance(i))
		if _, known := in.rows.rows.Created(i); known && match == counter.Verified {
			return true
		}
		if match != counter.Verified {
			return false
		}
	}
	if form == Float {
		return math.Float64frombits(now) >= math.Float64frombits(was)/2
	}
	return now >= was-was/2
}

// less compares the bits of two values.
func (f Form) less(a, b uint64) bool {
	if f == Float {
		return math.Float64frombits(a) < math.Float64frombits(b)
	}
	return a < b
}
