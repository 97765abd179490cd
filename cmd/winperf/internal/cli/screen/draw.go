package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// Styles are parameters of the escape sequence Select Graphic Rendition (ECMA-48).
const (
	plain   = ""
	bold    = "1"
	faint   = "2"
	reverse = "7"
	cyan    = "36"
)

// line is a line of limited width with styles.
type line struct {
	b           strings.Builder
	used, limit int
}

func newLine(limit int) *line { return &line{limit: limit} }

// add appends text of safetext.Line and shortens it to the rest of the line.
func (l *line) add(style, text string) {
	text = safetext.Cut(text, l.limit-l.used)
	if text == "" {
		return
	}
	l.used += safetext.Width(text)
	if style == plain {
		l.b.WriteString(text)
		return
	}
	l.b.WriteString("\x1b[" + style + "m" + text + "\x1b[m")
}

func (l *line) padTo(column int) { l.add(plain, strings.Repeat(" ", max(column-l.used, 0))) }

func (l *line) String() string { return l.b.String() }

// right aligns text at the right.
func right(text string, width int) string {
	return strings.Repeat(" ", max(width-safetext.Width(text), 0)) + text
}

func left(text string, width int) string {
	return text + strings.Repeat(" ", max(width-safetext.Width(text), 0))
}

func shorten(text string, width int) string { return safetext.Cut(safetext.Line(text), width) }

// Draw returns the lines of the screen. Their texts are escaped, and no line is wider than the screen.
func (s *Screen) Draw() []string {
	lines := s.head()
	rest := s.height - len(lines) - 1
	if s.overlay != noOverlay && s.number > 0 {
		lines = append(lines, fit(s.overlayLines(rest), rest)...)
	} else {
		lines = append(lines, fit(s.body(rest), rest)...)
	}
	lines = append(lines[:min(len(lines), s.height-1)], s.foot())
	return lines
}

// Last returns the lines that remain on the terminal when the program ends.
func (s *Screen) Last() []string {
	s.overlay = noOverlay
	s.row = nil
	if s.number == 0 {
		return nil
	}
	lines := s.head()
	return append(lines, s.body(max(s.height-len(lines)-1, 0))...)
}

// fit returns exactly n lines.
func fit(lines []string, n int) []string {
	n = max(n, 0)
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

func (s *Screen) head() []string {
	l := newLine(s.width)
	l.add(bold, "winperf ")
	l.add(plain, shorten(s.opt.Title, max(s.width/3, 8))+"  ") // the rest is for the time and the state
	if s.number > 0 {
		l.add(plain, s.opt.Time(s.at))
	}

	switch {
	case s.place.Count > 0:
		l.add(plain, fmt.Sprintf("  sample %d of %d", s.place.Index+1, s.place.Count))
	case !s.opt.Log:
		l.add(plain, fmt.Sprintf("  every %v", s.opt.Interval))
	}

	if s.paused {
		l.add(reverse, " paused ")
	}
	if s.filter != "" {
		l.add(plain, "  filter: "+safetext.Line(s.filter))
	}

	lines := []string{l.String()}
	const least = 16 // lines that leave space for the summary
	if s.opt.Summary && s.number > 0 && s.height >= least {
		lines = append(lines, s.summary.lines(s.width)...)
	}
	return lines
}

func (s *Screen) foot() string {
	l := newLine(s.width)
	switch {
	case s.prompt != nil:
		l.add(bold, s.prompt.label)
		l.add(plain, safetext.Line(s.prompt.text)+"▏")
	case s.note != "":
		l.add(reverse, safetext.Line(s.note))
	default:
		l.add(faint, s.hints())
	}
	return l.String()
}

func (s *Screen) hints() string {
	switch {
	case s.overlay == browserOverlay:
		return s.browser.hints()
	case s.overlay == detailsOverlay:
		return "Esc returns  PgUp PgDn scroll"
	case s.overlay != noOverlay:
		return "Esc returns"
	case s.opt.Log:
		return "? help  q quit  Space play  , . step  < > jump  : time  / search  o counters"
	}
	return "? help  q quit  Space pause  / search  f filter  s sort  t tree  o counters"
}

// body draws the tables.
func (s *Screen) body(height int) []string {
	if s.number == 0 {
		return []string{shorten(s.opt.Waiting, s.width)}
	}
	for _, t := range s.tables {
		s.layOut(t)
	}
	entries := s.entries()
	if len(entries) == 0 {
		text := "no instance; o lists the objects of the source"
		if s.filter != "" {
			text = "no instance matches the filter; Esc shows all"
		}
		return []string{shorten(text, s.width)}
	}

	s.scroll(entries, s.cursor(entries), height)

	var lines []string
	s.drawn = s.drawn[:0]
	add := func(text string, e entry) {
		lines, s.drawn = append(lines, text), append(s.drawn, e)
	}
	first := entries[s.top].table
	for _, text := range s.heads(first) {
		add(text, entry{table: first})
	}
	for _, e := range entries[s.top:min(s.top+max(height, 0), len(entries))] {
		switch {
		case e.row != nil:
			add(s.rowLine(e.table, e.row, e.row == s.row), e)
		case e.head == 0:
			add("", entry{})
		default:
			add(s.heads(e.table)[e.head-1], entry{table: e.table})
		}
	}
	return lines
}

// heads draws the head of a table.
func (s *Screen) heads(t *table) (lines []string) {
	lines = make([]string, t.heads)
	for i := range lines {
		l := newLine(s.width)
		name := t.title()
		if s.machines() > 1 {
			name = `\\` + safetext.Line(t.machine) + `\` + name
		}
		if len(lines) == 2 && i == 0 {
			name = "" // it is on the second line
		}
		l.add(s.headStyle(t, 0), left(shorten(name, t.width), t.width))

		for _, k := range t.shown {
			c := t.columns[k]
			text := c.head
			if len(lines) == 2 {
				above, below := split(c.head)
				text = []string{above, below}[i]
			}
			l.add(reverse, strings.Repeat(" ", gap))
			if c.fact != "" {
				l.add(s.headStyle(t, k+1), left(safetext.Cut(text, c.width), c.width))
			} else {
				l.add(s.headStyle(t, k+1), right(safetext.Cut(text, c.width), c.width))
			}
		}
		l.add(reverse, strings.Repeat(" ", max(s.width-l.used, 0)))
		lines[i] = l.String()
	}

	return lines
}

// headStyle marks the column that orders the rows.
func (s *Screen) headStyle(t *table, column int) string {
	if t.sort == column {
		return reverse + ";" + bold
	}
	return reverse
}

func (s *Screen) machines() int {
	var names []string
	for _, t := range s.tables {
		if !slices.Contains(names, t.machine) {
			names = append(names, t.machine)
		}
	}
	return len(names)
}

func (s *Screen) rowLine(t *table, r *row, cursor bool) string {
	l := newLine(s.width)
	name := r.name
	if r.depth > 0 {
		name = strings.Repeat("  ", r.depth-1) + "└ " + name
	}

	l.add(s.cellStyle(plain, cursor, 0), left(safetext.Cut(name, t.width), t.width))

	for _, k := range t.shown {
		c := t.columns[k]
		text, style := s.cellText(t, r, k)
		switch {
		case c.fact != "" && k == len(t.columns)-1: // to the end of the line
		case c.fact != "":
			text = left(safetext.Cut(text, c.width), c.width)
		default:
			text = right(safetext.Cut(text, c.width), c.width)
		}
		l.add(s.cellStyle(plain, cursor, -1), strings.Repeat(" ", gap))
		l.add(s.cellStyle(style, cursor, k+1), text)
	}

	if cursor {
		l.add(reverse, strings.Repeat(" ", max(s.width-l.used, 0)))
	}
	return l.String()
}

// cellStyle marks the row of the cursor, except the cell itself.
func (s *Screen) cellStyle(style string, cursor bool, column int) string {
	switch {
	case !cursor:
		return style
	case column == s.column:
		return bold
	}
	return reverse
}

// cellText returns the text of a cell: the value, or its status.
func (s *Screen) cellText(t *table, r *row, k int) (text, style string) {
	if fact := t.columns[k].fact; fact != "" {
		return safetext.Line(s.fact(t, r, fact)), plain
	}
	if k >= len(r.cells) {
		return "-", faint
	}
	c := &r.cells[k]
	if c.status != counter.OK {
		return c.status.String(), faint
	}
	return safetext.Line(s.value(t, r, k)), plain
}

func (s *Screen) value(t *table, r *row, k int) string {
	series := &t.columns[k].series
	if t.single {
		series = &r.series
	}
	v := r.cells[k].value
	if series.Unit == counter.Seconds && !s.opt.Exact && isElapsed(series.CounterID.Index) {
		f, _ := v.Float64()
		return age(f)
	}
	return valueText(series, v, s.opt.Exact)
}

const elapsedTime, systemUpTime = 684, 674 // title indices

func isElapsed(title uint32) bool { return title == elapsedTime || title == systemUpTime }

// age returns seconds as 12 s, 1:05, 3:07:09 or 2d 03:07.
func age(seconds float64) string {
	d := time.Duration(seconds) * time.Second
	h, m, sec := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case math.IsNaN(seconds) || seconds > 1e9:
		return fmt.Sprint(seconds)
	case h >= 24:
		return fmt.Sprintf("%dd %02d:%02d", h/24, h%24, m)
	case h > 0:
		return fmt.Sprintf("%d:%02d:%02d", h, m, sec)
	}
	return fmt.Sprintf("%d:%02d", m, sec)
}

// fact returns a text about a process.
func (s *Screen) fact(t *table, r *row, name string) string {
	k, _ := t.processColumns()
	if pid := r.number(k); s.opt.Facts != nil && pid > 0 {
		return cmp.Or(s.opt.Facts(uint64(pid))[name], "-")
	}
	return ""
}
