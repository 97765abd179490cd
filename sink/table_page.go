package sink

// style is how a text looks.
type style uint8

const (
	plain style = iota
	faint       // for what stands in place of a value
)

// The control functions of ECMA-48 that a picture on a terminal is drawn with,
// and the private modes of the VT220 (?25), the VT100 (?7) and xterm (?1049) that
// all terminals of today know.
const (
	cursorHome = "\x1b[H"
	eraseLine  = "\x1b[K" // from the cursor to the end of the line
	eraseBelow = "\x1b[J" // from the cursor to the end of the screen
	faintOn    = "\x1b[2m"
	faintOff   = "\x1b[22m"
	cursorHide = "\x1b[?25l"
	cursorShow = "\x1b[?25h"
	wrapOff    = "\x1b[?7l" // a line wider than the terminal thinks must not scroll it
	wrapOn     = "\x1b[?7h"
	screenOn   = "\x1b[?1049h" // the alternate screen, which leaves what stands on the other as it is
	screenOff  = "\x1b[?1049l"
)

// page writes lines. On a terminal it cuts them to the limit; elsewhere lines that
// are complete may be handed on.
type page struct {
	*output
	terminal bool
	limit    int // columns of a line on a terminal
	lines    int // lines begun
	used     int // columns of this line that are written
	blanks   int // columns left blank before the next text
}

// newLine ends the line before, if there is one, and begins another.
func (p *page) newLine() {
	if p.lines > 0 {
		p.endLine()
	}
	p.lines++
	p.used, p.blanks = 0, 0
}

// endLine ends a line. A full one needs no erasing: the cursor would still
// stand on its last column and erase that.
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

// skip leaves columns blank, if any text follows.
func (p *page) skip(columns int) { p.blanks += columns }

// text writes a printable text.
func (p *page) text(s []byte, st style) {
	if p.terminal {
		s = cut(s, max(p.limit-p.used-p.blanks, 0))
	}
	if len(s) == 0 {
		return
	}

	for range p.blanks {
		p.buf = append(p.buf, ' ')
	}
	p.used += p.blanks + textWidth(s)
	p.blanks = 0

	if p.terminal && st == faint {
		p.buf = append(p.buf, faintOn...)
		p.buf = append(p.buf, s...)
		p.buf = append(p.buf, faintOff...)
		return
	}
	p.buf = append(p.buf, s...)
}

// section writes so many rows of a section, those behind the first ones.
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

// row writes a row of a block.
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

// cell writes a text as wide as its column.
func (p *page) cell(text []byte, st style, in *column) {
	if p.terminal {
		text = cut(text, in.width)
	}
	free := max(in.width-textWidth(text), 0)
	if in.left {
		p.text(text, st)
		p.skip(free)
		return
	}
	p.skip(free)
	p.text(text, st)
}
