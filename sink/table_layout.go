package sink

import (
	"bytes"
	"cmp"
	"iter"
	"math"
	"slices"
)

// maxColumn is the width that no column exceeds. Longer texts are not cut for
// it but stand out, lest a single one fill all lines with blanks.
const maxColumn = 200

// measure sets the widths of the columns.
func (s *section) measure() {
	for i := range s.columns {
		c := &s.columns[i]
		c.width = textWidth(c.head)
		for row := range s.rows {
			text, _ := s.cell(row, i)
			c.width = max(c.width, textWidth(text))
		}
		c.width = min(c.width, maxColumn)
	}
}

// narrow cuts columns so that the names and any other one fit the width.
func (s *section) narrow(width int) {
	names := &s.columns[0]
	names.width = min(names.width, max(width/2, 1))
	for i := range s.columns[1:] {
		c := &s.columns[1+i]
		c.width = min(c.width, max(width-names.width-gap, 1))
	}
}

// width returns the width of all columns side by side.
func (s *section) width() int {
	total := -gap
	for _, c := range s.columns {
		total += gap + c.width
	}
	return total
}

// breakColumns sorts the columns into blocks that fit the width.
func (s *section) breakColumns(width int) {
	used := 0
	for i := 1; i < len(s.columns); i++ {
		need := gap + s.columns[i].width
		if n := len(s.blocks); n > 0 && (width == 0 || used+need <= width) {
			s.blocks[n-1].to = i + 1
			used += need
			continue
		}
		s.blocks = append(s.blocks, block{i, i + 1})
		used = s.columns[0].width + need
	}
}

// topRows yields the numbers of n rows behind the first ones: of all in their order
// where there is room for all, else of all by their activity, the most active first,
// of equals the one that came first. Readings in a list are all as active.
func (s *section) topRows(first, n int) iter.Seq[int] {
	end := min(first+n, s.rows)
	if s.list || n >= s.rows {
		return func(yield func(int) bool) {
			for row := first; row < end && yield(row); row++ {
			}
		}
	}

	active := s.mostActive(end)[first:]
	return func(yield func(int) bool) {
		for _, r := range active {
			if !yield(r.row) {
				return
			}
		}
	}
}

// activeRow is the number of a row, and how active it is.
type activeRow struct {
	row      int
	activity float64
}

// mostActive returns the n most active rows, the most active first.
func (s *section) mostActive(n int) []activeRow {
	var top []activeRow
	trim := func() {
		slices.SortStableFunc(top, func(a, b activeRow) int { return cmp.Compare(b.activity, a.activity) })
		top = top[:min(len(top), n)]
	}

	// Twice as many as are wanted are kept at most, as there may be a million.
	by := s.group.activityColumn()
	for row := range s.rows {
		top = append(top, activeRow{row, s.activity(row, by)})
		if len(top) >= 2*n {
			trim()
		}
	}
	trim()
	return top
}

// activity tells how active a row is by a column. Totals stand above all.
func (s *section) activity(row, by int) float64 {
	if isTotal(label(s.group.instances.At(row))) {
		return math.Inf(1)
	}
	return activity(s.group.reading(row, by))
}

// isTotal reports whether an instance is what Windows calls a total.
func isTotal(instance []byte) bool {
	return string(instance) == "_Total" || bytes.HasSuffix(instance, []byte(",_Total"))
}
