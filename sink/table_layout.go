package sink

import (
	"bytes"
	"cmp"
	"iter"
	"math"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/sorted"
)

// maxColumn is the largest width of a column. Longer texts are not cut but exceed it, so that one
// text does not fill all lines with blanks.
const maxColumn = 200

func (s *section) measure() {
	for i := range s.columns {
		c := &s.columns[i]
		c.width = safetext.Width(c.head)
		for row := range s.rows {
			text, _ := s.cell(row, i)
			c.width = max(c.width, safetext.Width(text))
		}
		c.width = min(c.width, maxColumn)
	}
}

// narrow reduces widths so that the names and any other column fit together.
func (s *section) narrow(width int) {
	names := &s.columns[0]
	names.width = min(names.width, max(width/2, 1))
	for i := range s.columns[1:] {
		c := &s.columns[1+i]
		c.width = min(c.width, max(width-names.width-gap, 1))
	}
}

func (s *section) width() int {
	total := -gap
	for _, c := range s.columns {
		total += gap + c.width
	}
	return total
}

// breakColumns divides the columns into blocks that fit the width.
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

// topRows yields the numbers of n rows after the first ones: all in order if all fit, else the most
// active rows first. Rows of a list count as equally active.
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

type activeRow struct {
	row      int
	activity float64
}

// mostActive returns the n most active rows, the most active first.
func (s *section) mostActive(n int) []activeRow {
	var top []activeRow
	trim := func() {
		sorted.Func(top, func(a, b activeRow) int { return cmp.Compare(b.activity, a.activity) })
		top = top[:min(len(top), n)]
	}

	// At most 2n rows are kept, because there may be a million.
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

// activity returns the activity of a row by a column. Totals are above all others.
func (s *section) activity(row, by int) float64 {
	if isTotal(label(s.group.instances.At(row))) {
		return math.Inf(1)
	}
	return activity(s.group.reading(row, by))
}

// isTotal reports whether an instance is a total of Windows.
func isTotal(instance []byte) bool {
	return string(instance) == "_Total" || bytes.HasSuffix(instance, []byte(",_Total"))
}
