package logs

import "github.com/winperf/winperf"

// View is some of the values of columns. Its memory is used again.
type View struct{ columns []winperf.Column }

// Choose returns the values that are wanted, in their order, as columns that are valid until the next
// call: the columns themselves if all are wanted, as there may be very many.
func (v *View) Choose(of []winperf.Column, wanted func(c *winperf.Column, n int) bool) []winperf.Column {
	if allWanted(of, wanted) {
		return of
	}

	v.columns = v.columns[:0]
	for i := range of {
		c, from := &of[i], 0
		for n := range c.Len() {
			if wanted(c, n) {
				continue
			}
			v.add(c, from, n)
			from = n + 1
		}
		v.add(c, from, c.Len())
	}
	return v.columns
}

// allWanted reports whether all values are wanted.
func allWanted(of []winperf.Column, wanted func(c *winperf.Column, n int) bool) bool {
	for i := range of {
		c := &of[i]
		for n := range c.Len() {
			if !wanted(c, n) {
				return false
			}
		}
	}
	return true
}

// Named is Choose of all values except those that say that there is nothing by a name.
func (v *View) Named(of []winperf.Column) []winperf.Column {
	return v.Choose(of, func(c *winperf.Column, n int) bool { return !c.Status[n].NamesNothing() })
}

// add adds some values of a column, unless there are none.
func (v *View) add(c *winperf.Column, from, to int) {
	if from < to {
		v.columns = append(v.columns, c.Slice(from, to))
	}
}
