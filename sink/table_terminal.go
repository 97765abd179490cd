package sink

import (
	"fmt"
	"strings"
)

// draw draws a moment over the one before, all in one write. It never writes
// below the last line, which would scroll the terminal.
func (t *table) draw(title string, sections []*section, width, height int) {
	p := page{output: &t.out, terminal: true, limit: width}
	if !t.begun {
		p.buf = append(p.buf, cursorHide...)
	}

	p.buf = append(p.buf, wrapOff+cursorHome...)
	p.newLine()
	p.text([]byte(title), plain)
	shown, hidden := fit(sections, height-1)
	if hidden > 0 {
		shown, hidden = fit(sections, height-2) // a line for what is not shown
	}

	for i, s := range sections {
		if shown[i] == 0 {
			continue
		}
		if p.lines > 1 {
			p.newLine()
		}
		p.section(s, shown[i])
	}

	if hidden > 0 && height > 1 {
		p.newLine()
		p.text([]byte(hiddenText(sections, shown, hidden)), faint)
	}

	t.full = p.lines >= height
	if !t.full {
		p.endLine()
		p.buf = append(p.buf, eraseBelow...)
	} else if p.used < width {
		p.buf = append(p.buf, eraseLine...)
	}
	p.buf = append(p.buf, wrapOn...)
}

// leave puts the cursor below the last picture and shows it.
func (t *table) leave() {
	if t.full {
		t.out.buf = append(t.out.buf, "\r\n"...)
	}
	t.out.buf = append(t.out.buf, cursorShow...)
}

// fit shares lines among the sections: first each gets its heads and one row,
// as far as there is room, then all get one row more in turn. It returns the
// number of rows of each section and the number of rows left over.
func fit(sections []*section, lines int) (shown []int, hidden int) {
	shown = make([]int, len(sections))
	separator := 0 // between a section and the one before
	for more := true; more; {
		more = false
		for i, s := range sections {
			if shown[i] == s.rows {
				continue
			}
			cost := len(s.blocks)
			if shown[i] == 0 {
				cost += len(s.blocks) + separator
			}

			if cost > lines {
				continue
			}
			lines -= cost
			shown[i]++
			separator, more = 1, true
		}
	}

	for i, s := range sections {
		hidden += s.rows - shown[i]
	}
	return shown, hidden
}

// hiddenText says how many rows are not shown, and of which objects.
func hiddenText(sections []*section, shown []int, hidden int) string {
	var parts []string
	for i, s := range sections {
		if n := s.rows - shown[i]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", n, s.rows, s.columns[0].head))
		}
	}
	return fmt.Sprintf("%d rows not shown: %s", hidden, strings.Join(parts, ", "))
}
