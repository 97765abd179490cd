package logs

import "github.com/winperf/winperf"

// View selects values of columns and reuses its memory.
type View struct{ columns []winperf.Column }

// Choose returns the selected values in order, as columns that are valid until the next call. If all
// values are selected, it returns the columns themselves.
func (v *View) Choose(of []winperf.Column, selected func(c *winperf.Column, n int) bool) []winperf.Column {
	if allSelected(of, selected) {
		return of
	}

	v.columns = v.columns[:0]
	for i := range of {
		c, from := &of[i], 0
		for n := range c.Len() {
			if selected(c, n) {
				continue
			}
			v.add(c, from, n)
			from = n + 1
		}
		v.add(c, from, c.Len())
	}
	return v.columns
}

func allSelected(of []winperf.Column, selected func(c *winperf.Column, n int) bool) bool {
	for i := range of {
		c := &of[i]
		for n := range c.Len() {
			if !selected(c, n) {
				return false
			}
		}
	}
	return true
}

// Named is Choose without the values of unmatched names.
func (v *View) Named(of []winperf.Column) []winperf.Column {
	return v.Choose(of, func(c *winperf.Column, n int) bool { return !c.Status[n].NamesNothing() })
}

func (v *View) add(c *winperf.Column, from, to int) {
	if from < to {
		v.columns = append(v.columns, c.Slice(from, to))
	}
}
