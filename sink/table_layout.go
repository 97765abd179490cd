package sink

import (
	"iter"
	"slices"
	"sort"
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

// topRows yields the numbers of n rows: all in their order, or the n most
// active ones, the most active first, of equals the one that came first. Readings
// in a list are all as active.
func (s *section) topRows(n int) iter.Seq[int] {
	if s.list || n >= s.rows {
		n = min(n, s.rows)
		return func(yield func(int) bool) {
			for row := 0; row < n && yield(row); row++ {
			}
		}
	}

	by := s.group.activityColumn()
	top := make([]activeRow, 0, n+1)
	for row := range s.rows {
		r := activeRow{row, activity(s.group.reading(row, by))}
		at := sort.Search(len(top), func(i int) bool { return top[i].activity < r.activity })
		top = slices.Insert(top, at, r)
		top = top[:min(len(top), n)]
	}

	return func(yield func(int) bool) {
		for _, r := range top {
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
