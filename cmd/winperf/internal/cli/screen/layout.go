package screen

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf/internal/safetext"
)

// scroll sets the first visible entry so that the cursor is visible, below the head of the entry's table.
func (s *Screen) scroll(entries []entry, cursor, height int) {
	s.top = max(min(s.top, cursor), 0)
	for s.top < cursor && cursor-s.top >= height-entries[s.top].table.heads {
		s.top++
	}
	for s.top > 0 && len(entries)-s.top < height-entries[s.top-1].table.heads {
		s.top--
	}
	for entries[s.top].row == nil {
		s.top++ // a row follows each head
	}

	for _, t := range s.tables {
		t.from = 0
	}
	first := entries[s.top]
	first.table.from = max(slices.Index(first.table.visible, first.row), 0)
	s.layOut(first.table)
}

const gap = 2 // columns between two columns

// nameWidth returns the width of the widest name. It includes rows that are not on the screen, so that
// columns do not move while the user scrolls.
func (t *table) nameWidth() int {
	widest := safetext.Width(t.title())
	for _, r := range t.visible {
		widest = max(widest, r.width+2*r.depth)
	}
	return widest
}

// title names the object, and the age of values that were sampled separately.
func (t *table) title() string {
	if t.age >= 1 {
		return fmt.Sprintf("%s, %.0f s old", safetext.Line(t.object), t.age)
	}
	return safetext.Line(t.object)
}

// shownColumns returns the columns that fit, without the columns scrolled to the left.
func (s *Screen) shownColumns(t *table) []int {
	var visible []int
	for k, c := range t.columns {
		if !c.hidden {
			visible = append(visible, k)
		}
	}

	if s.table != t {
		return s.fitColumns(t, visible)
	}

	cursor := slices.Index(visible, s.column-1)
	s.left = max(min(s.left, cursor), 0)
	for s.left > 0 && len(s.fitColumns(t, visible[s.left-1:])) > len(visible)-s.left {
		s.left-- // the screen became wider
	}
	for s.left+len(s.fitColumns(t, visible[s.left:])) <= cursor {
		s.left++
	}
	return s.fitColumns(t, visible[s.left:])
}

func (s *Screen) fitColumns(t *table, ks []int) []int {
	used := t.width
	for i, k := range ks {
		used += gap + t.columns[k].width
		if used > s.width && i > 0 {
			return ks[:i]
		}
	}
	return ks
}

// layOut sets the widths of the columns, and the height of the head: one line, or two if the names of the
// columns do not fit.
func (s *Screen) layOut(t *table) {
	const least = 8
	widest := max(t.nameWidth(), least)
	t.heads, t.width = 1, min(widest, max(s.width*7/25, least)) // the processes fit 80 columns
	sum := t.width
	for k, c := range t.columns {
		if !c.hidden {
			c.width = max(safetext.Width(c.head), s.valueWidth(t, k))
			sum += gap + c.width
		}
	}
	if sum > s.width {
		t.heads = 2
		for k, c := range t.columns {
			above, below := split(c.head)
			c.width = max(safetext.Width(above), safetext.Width(below), s.valueWidth(t, k))
		}
	}

	t.shown = s.shownColumns(t)
	free := s.width - t.width
	for _, k := range t.shown {
		free -= gap + t.columns[k].width
	}
	if last := t.columns[len(t.columns)-1]; last.fact == "" { // a text uses the rest of the line
		t.width = min(widest, t.width+max(free, 0))
	}
}

// valueWidth returns the width of the values of a column that may be visible.
func (s *Screen) valueWidth(t *table, k int) int {
	const least, most, facts = 5, 40, 24
	if t.columns[k].fact != "" {
		return facts
	}
	widest := least
	for _, r := range t.window(s.height) {
		text, _ := s.cellText(t, r, k)
		widest = max(widest, safetext.Width(text))
	}
	return min(widest, most)
}

// window returns at most n rows from the first one on the screen.
func (t *table) window(n int) []*row {
	from := min(t.from, len(t.visible))
	return t.visible[from:min(from+n, len(t.visible))]
}

// split divides the name of a counter into two texts of similar width.
func split(head string) (above, below string) {
	best := head
	for i, r := range head {
		if r != ' ' || i < 2 {
			continue
		}
		if longest := max(i, len(head)-i-1); longest < max(len(best), len(below)) || below == "" {
			best, below = head[:i], head[i+1:]
		}
	}
	if below == "" {
		return "", head
	}
	return best, below
}
