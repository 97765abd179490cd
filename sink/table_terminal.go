package sink

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/safetext"
)

// Screen is the table of a terminal (Options.Terminal).
type Screen interface {
	Sink
	// Await shows a line in place of readings: what there is to wait for.
	Await(line string) error
	// Scroll moves over the rows that are not shown. The next Write shows it.
	Scroll(m Motion)
	// Leave gives the terminal back as it was, until the next Write.
	Leave() error
}

// Motion is a way to move over rows.
type Motion int

// The motions of arrows and of keys with their names.
const (
	LineUp Motion = iota
	LineDown
	PageUp
	PageDown
	Home
	End
)

// tableScreen is what a table keeps of the terminal.
type tableScreen struct {
	on      bool   // the alternate screen is on
	picture []byte // the last one, without the line end behind its last line
	top     int    // how many rows it is scrolled by
	page    int    // how many rows a page moves
}

// terminalTable is a table on a terminal.
type terminalTable struct{ *table }

// Await implements Screen.
func (t terminalTable) Await(line string) error {
	if err := t.out.ready(); err != nil {
		return err
	}
	width, _ := t.size()
	p := t.beginPicture(width)
	p.newLine()
	p.text([]byte(safetext.Line(line)), faint)
	p.endLine()
	p.buf = append(p.buf, eraseBelow+wrapOn...)
	return t.out.flush()
}

// Scroll implements Screen.
func (t terminalTable) Scroll(m Motion) {
	s := &t.screen
	switch m {
	case LineUp:
		s.top--
	case LineDown:
		s.top++
	case PageUp:
		s.top -= s.page
	case PageDown:
		s.top += s.page
	case Home:
		s.top = 0
	case End:
		s.top = math.MaxInt
	}
	s.top = max(s.top, 0)
}

// Leave implements Screen.
func (t terminalTable) Leave() error {
	if err := t.out.ready(); err != nil {
		return err
	}
	t.leaveScreen()
	return t.out.flush()
}

// beginPicture begins a picture at the upper left corner.
func (t *table) beginPicture(width int) page {
	p := page{output: &t.out, terminal: true, limit: width}
	if !t.screen.on {
		t.screen.on = true
		p.buf = append(p.buf, screenOn+cursorHide...)
	}
	p.buf = append(p.buf, wrapOff+cursorHome...)
	return p
}

// draw draws a moment over the one before, all in one write. It never writes
// below the last line, which would scroll the terminal.
func (t *table) draw(title string, sections []*section, width, height int) {
	p := t.beginPicture(width)
	begin := len(p.buf)
	p.newLine()
	p.text([]byte(title), plain)

	a := arrange(sections, height-1, 0)
	if a.hidden > 0 { // which takes a line that says so
		a = arrange(splitTall(sections, height-2), height-2, t.screen.top)
	}
	t.screen.top, t.screen.page = a.top, a.page

	for i, s := range a.sections {
		if a.shown[i] == 0 {
			continue
		}
		if p.lines > 1 {
			p.newLine()
		}
		p.section(s, min(a.above, s.rows-a.shown[i]), a.shown[i])
	}

	line := len(p.buf)
	if a.hidden > 0 && height > 1 {
		p.newLine()
		line = len(p.buf)
		p.text([]byte(a.hiddenText()), faint)
	}
	t.screen.picture = append(t.screen.picture[:0], p.buf[begin:]...)

	// The keys are told of only now: the picture that stays behind in the end has none.
	if line < len(p.buf) {
		p.buf, p.used = p.buf[:line], 0
		p.text([]byte(t.opt.Hint+a.hiddenText()), faint)
	}
	p.endPicture(height)
}

// endPicture erases what is left of the picture before.
func (p *page) endPicture(height int) {
	switch {
	case p.lines < height:
		p.endLine()
		p.buf = append(p.buf, eraseBelow...)
	case p.used < p.limit:
		p.buf = append(p.buf, eraseLine...)
	}
	p.buf = append(p.buf, wrapOn...)
}

// leaveScreen brings back what stood on the terminal before.
func (t *table) leaveScreen() {
	if t.screen.on {
		t.screen.on = false
		t.out.buf = append(t.out.buf, screenOff+cursorShow...)
	}
}

// leavePicture writes the last picture behind that.
func (t *table) leavePicture() {
	if len(t.screen.picture) > 0 {
		t.out.buf = append(t.out.buf, wrapOff...)
		t.out.buf = append(t.out.buf, t.screen.picture...)
		t.out.buf = append(t.out.buf, "\r\n"+wrapOn...)
	}
}

// arrangement is what stands on a screen.
type arrangement struct {
	all      []*section
	sections []*section // those that are shown, and some that find no room
	shown    []int      // rows of each of them
	above    int        // how many rows are above the screen, of a section that has so many
	hidden   int        // rows that are not shown, of all sections
	top      int        // how many rows the whole is scrolled by
	page     int        // rows of the section that has most on the screen
}

// arrange tells what a screen of so many lines shows when it is scrolled down by top
// rows. All objects that find room scroll together; behind their last rows come
// the objects that found none.
func arrange(sections []*section, lines, top int) arrangement {
	a := arrangement{all: sections}
	rest, before := sections, 0
	for {
		a.sections = rest
		a.shown = fit(rest, lines)
		most := 0
		rest = nil
		for i, s := range a.sections {
			if a.shown[i] == 0 {
				rest = append(rest, s)
				continue
			}
			most = max(most, s.rows-a.shown[i])
		}

		a.above = min(top-before, most)
		a.top = before + a.above
		if top <= before+most || len(rest) == 0 || len(rest) == len(a.sections) {
			break
		}
		before += most + 1
	}

	for _, s := range sections {
		a.hidden += s.rows
	}
	for _, n := range a.shown {
		a.hidden -= n
		a.page = max(a.page, n)
	}
	return a
}

// splitTall makes several sections of each that has so many columns that not even one
// row of it would find room.
func splitTall(sections []*section, lines int) (all []*section) {
	const headAndRow = 2
	for _, s := range sections {
		most := lines / headAndRow
		if most < 1 || len(s.blocks) <= most {
			all = append(all, s)
			continue
		}
		for blocks := range slices.Chunk(s.blocks, most) {
			part := *s
			part.blocks = blocks
			all = append(all, &part)
		}
	}
	return all
}

// fit shares lines among the sections: first each gets its heads and one row,
// as far as there is room, then all get one row more in turn. It returns the
// number of rows of each section.
func fit(sections []*section, lines int) []int {
	shown := make([]int, len(sections))
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
	return shown
}

// hiddenText says how many rows are not shown, and of which objects.
func (a *arrangement) hiddenText() string {
	var parts []string
	for _, s := range a.all {
		n := s.rows
		if i := slices.Index(a.sections, s); i >= 0 {
			n -= a.shown[i]
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", n, s.rows, s.columns[0].head))
		}
	}
	return fmt.Sprintf("%d rows not shown: %s", a.hidden, strings.Join(parts, ", "))
}
