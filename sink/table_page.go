package sink

import "github.com/winperf/winperf/internal/safetext"

type style uint8

const (
	plain style = iota
	faint       // for texts in place of a value
)

// Control functions of ECMA-48, and private modes of the VT220 (?25), the VT100 (?7) and xterm
// (?1049).
const (
	cursorHome = "\x1b[H"
	eraseLine  = "\x1b[K" // from the cursor to the end of the line
	eraseBelow = "\x1b[J" // from the cursor to the end of the screen
	faintOn    = "\x1b[2m"
	faintOff   = "\x1b[22m"
	cursorHide = "\x1b[?25l"
	cursorShow = "\x1b[?25h"
	wrapOff    = "\x1b[?7l" // a line wider than the terminal expects must not scroll it
	wrapOn     = "\x1b[?7h"
	screenOn   = "\x1b[?1049h" // the alternate screen
	screenOff  = "\x1b[?1049l"
)

// page writes lines. On a terminal it cuts them to the limit; otherwise it may write complete lines
// early.
type page struct {
	*output
	terminal bool
	limit    int // columns of a line on a terminal
	lines    int // lines begun
	used     int // columns written in this line
	blanks   int // blank columns before the next text
}

// newLine ends the previous line and begins another.
func (p *page) newLine() {
	if p.lines > 0 {
		p.endLine()
	}
	p.lines++
	p.used, p.blanks = 0, 0
}

// endLine ends a line. A full line is not erased: the cursor is still on its last column.
func (p *page) endLine() {
	if !p.terminal {
		p.buf = append(p.buf, '\n')
		_ = p.spill() // the error stays
		return
	}
	if p.used < p.limit {
		p.buf = append(p.buf, eraseLine...)
	}
	p.buf = append(p.buf, "\r\n"...)
}

// skip leaves columns blank if a text follows.
func (p *page) skip(columns int) { p.blanks += columns }

func (p *page) text(s []byte, st style) {
	if p.terminal {
		s = safetext.Cut(s, max(p.limit-p.used-p.blanks, 0))
	}
	if len(s) == 0 {
		return
	}

	for range p.blanks {
		p.buf = append(p.buf, ' ')
	}
	p.used += p.blanks + safetext.Width(s)
	p.blanks = 0

	if p.terminal && st == faint {
		p.buf = append(p.buf, faintOn...)
		p.buf = append(p.buf, s...)
		p.buf = append(p.buf, faintOff...)
		return
	}
	p.buf = append(p.buf, s...)
}

// section writes rows of a section, starting after the first ones.
func (p *page) section(s *section, first, rows int) {
	top := s.topRows(first, rows)
	for _, b := range s.blocks {
		p.newLine()
		p.cell([]byte(s.columns[0].head), plain, &s.columns[0])
		for i := b.from; i < b.to; i++ {
			p.skip(gap)
			p.cell([]byte(s.columns[i].head), plain, &s.columns[i])
		}

		for row := range top {
			if p.err != nil {
				return
			}
			p.row(s, row, b)
		}
	}
}

func (p *page) row(s *section, row int, b block) {
	p.newLine()
	text, st := s.cell(row, 0)
	p.cell(text, st, &s.columns[0])
	for i := b.from; i < b.to; i++ {
		p.skip(gap)
		text, st = s.cell(row, i)
		p.cell(text, st, &s.columns[i])
	}
}

// cell writes a text with the width of its column.
func (p *page) cell(text []byte, st style, in *column) {
	if p.terminal {
		text = safetext.Cut(text, in.width)
	}
	free := max(in.width-safetext.Width(text), 0)
	if in.left {
		p.text(text, st)
		p.skip(free)
		return
	}
	p.skip(free)
	p.text(text, st)
}
