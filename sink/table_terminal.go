package sink

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/safetext"
)

// Screen is a table on a terminal (Options.Terminal).
//
// Deprecated: use a library for terminals. It will be removed in the next minor version.
type Screen interface {
	Sink
	// Await shows a line in place of readings, such as the reason for waiting.
	Await(line string) error
	// Scroll moves the visible rows. The next Write shows the result.
	Scroll(m Motion)
	// Leave restores the terminal until the next Write.
	Leave() error
}

// Motion is a movement through rows.
//
// Deprecated: it is for Screen.
type Motion int

// The movements, named like the keys.
const (
	LineUp Motion = iota
	LineDown
	PageUp
	PageDown
	Home
	End
)

// tableScreen is the state of the terminal.
type tableScreen struct {
	on      bool   // the alternate screen is on
	picture []byte // the last one, without the final line end
	top     int    // the number of rows scrolled
	page    int    // the number of rows that a page moves
}

type terminalTable struct{ *table }

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

func (t terminalTable) Leave() error {
	if err := t.out.ready(); err != nil {
		return err
	}
	t.leaveScreen()
	return t.out.flush()
}

func (t *table) beginPicture(width int) page {
	p := page{output: &t.out, terminal: true, limit: width}
	if !t.screen.on {
		t.screen.on = true
		p.buf = append(p.buf, screenOn+cursorHide...)
	}
	p.buf = append(p.buf, wrapOff+cursorHome...)
	return p
}

// draw draws a sample over the previous one, in one write. It never writes below the last line,
// which would scroll the terminal.
func (t *table) draw(title string, sections []*section, width, height int) {
	p := t.beginPicture(width)
	begin := len(p.buf)
	p.newLine()
	p.text([]byte(title), plain)

	a := arrange(sections, height-1, 0)
	if a.hidden > 0 { // one line says so
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

	// The hint is added after the picture is kept, which remains visible after the program ends.
	if line < len(p.buf) {
		p.buf, p.used = p.buf[:line], 0
		p.text([]byte(t.opt.Hint+a.hiddenText()), faint)
	}
	p.endPicture(height)
}

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

// leaveScreen restores the previous content of the terminal.
func (t *table) leaveScreen() {
	if t.screen.on {
		t.screen.on = false
		t.out.buf = append(t.out.buf, screenOff+cursorShow...)
	}
}

// leavePicture writes the last picture below the restored content.
func (t *table) leavePicture() {
	if len(t.screen.picture) > 0 {
		t.out.buf = append(t.out.buf, wrapOff...)
		t.out.buf = append(t.out.buf, t.screen.picture...)
		t.out.buf = append(t.out.buf, "\r\n"+wrapOn...)
	}
}

type arrangement struct {
	all      []*section
	sections []*section // the shown sections, and some that do not fit
	shown    []int      // rows of each section
	above    int        // the number of rows above the screen, in sections that have as many
	hidden   int        // rows not shown, of all sections
	top      int        // the number of rows scrolled in total
	page     int        // the largest number of rows shown of a section
}

// arrange returns the content of a screen with a number of lines, scrolled down by top rows. All
// objects that fit scroll together; the others follow after their last rows.
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

// splitTall splits each section whose blocks are too many to show one row of each.
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

// fit shares lines among the sections: first each gets its heads and one row, if they fit, then all
// get another row in turn. It returns the number of rows of each section.
func fit(sections []*section, lines int) []int {
	shown := make([]int, len(sections))
	separator := 0 // between two sections
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

// hiddenText returns the number of rows not shown, and their objects.
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
