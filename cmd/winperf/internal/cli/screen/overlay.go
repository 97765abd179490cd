package screen

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

var help = []string{
	"arrows, h j k l     move; PgUp PgDn, Ctrl-B Ctrl-F: a page",
	"Home End, g G       first and last row; Tab: the next object",
	"s, click on a head  sort by the column; again: in reverse",
	"/ n N               search, next, previous",
	"f, Esc              show only names that contain a text; show all",
	"t                   processes as a tree by parent",
	"Enter               history of the cell",
	"d                   details of the instance; PgUp PgDn scroll them",
	"o                   objects and counters, with their help",
	"Space, p            pause; play a log",
	", .                 previous, next sample of a log",
	"< >                 back, forward by a tenth of a log",
	":                   go to a time of a log",
	"q, Ctrl-C           quit",
	"Ctrl-Z              stop the program until fg; not on Windows",
}

func (s *Screen) overlayLines(height int) []string {
	switch s.overlay {
	case historyOverlay:
		return s.history(height)
	case detailsOverlay:
		return s.details(height)
	case browserOverlay:
		return s.browserLines(height)
	}
	var lines []string
	for _, text := range help {
		lines = append(lines, shorten(text, s.width))
	}
	return lines
}

func (s *Screen) pressOverlay(key string) Action {
	if s.overlay == browserOverlay {
		return s.pressBrowser(key)
	}
	switch key {
	case "esc", "q", "enter", "?", "f1", "d":
		s.closeOverlay()
	default:
		page := s.page()
		if by := rowsOf(key, page); s.overlay == detailsOverlay && (by == page || by == -page) {
			s.from += by
		} else if !s.pressMotion(key) {
			return s.pressTime(key)
		}
	}
	return Action{}
}

// closeOverlay shows the tables again.
func (s *Screen) closeOverlay() {
	s.overlay = noOverlay
	s.arrange()
}

// cell returns the cell of the cursor, or of the first column if the cursor is on the name.
func (s *Screen) cell() (t *table, r *row, k int) {
	t, r, k = s.table, s.row, s.column-1
	if k < 0 {
		k = max(t.sort-1, 0)
	}
	return t, r, k
}

// history draws the last values of the cell.
func (s *Screen) history(height int) []string {
	if s.row == nil {
		return []string{shorten("the instance has ended", s.width)}
	}
	t, r, k := s.cell()
	title := newLine(s.width)
	series := t.columns[k].series
	title.add(bold, r.name+"  ")
	if t.single {
		series = r.series
	} else {
		title.add(bold, t.columns[k].head)
	}
	if r.seen != s.number {
		title.add(reverse, " ended ")
	}

	if k >= len(r.cells) || t.columns[k].fact != "" {
		return []string{title.String(), shorten("no history", s.width)}
	}

	past := r.cells[k].past
	low, high, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, v := range past {
		if f := float64(v); !math.IsNaN(f) {
			low, high, sum, n = min(low, f), max(high, f), sum+f, n+1
		}
	}

	if n == 0 || len(s.times) == 0 { // or a jump in a log
		return []string{title.String(), shorten("no value yet", s.width)}
	}
	text := func(f float64) string { return valueText(&series, counter.Float(f), s.opt.Exact) }
	now, _ := s.cellText(t, r, k)
	span := s.times[len(s.times)-1].Sub(s.times[max(len(s.times)-len(past), 0)]).Round(time.Second)
	stats := newLine(s.width)
	stats.add(plain, fmt.Sprintf("now %s  minimum %s  average %s  maximum %s  in the last %v", now,
		text(low), text(sum/float64(n)), text(high), span))
	lines := []string{title.String(), stats.String(), ""}
	return append(lines, chart(past, s.width, height-len(lines)-1, text)...)
}

// chart draws values as bars of several lines, from 0 to the highest value.
func chart(values []float32, width, height int, text func(float64) string) (lines []string) {
	height = max(min(height, 16), 1)
	high := highest(values)
	labels := max(safetext.Width(text(high)), safetext.Width(text(0)))
	values = values[max(len(values)-max(width-labels-2, 0), 0):]
	for n := range height {
		label := ""
		switch n {
		case 0:
			label = text(high)
		case height - 1:
			label = text(0)
		}
		l := newLine(width)
		l.add(faint, right(label, labels)+" │")
		var b strings.Builder
		for _, v := range values {
			b.WriteRune(bar(float64(v), high, height, height-1-n))
		}
		l.add(cyan, b.String())
		lines = append(lines, l.String())
	}

	return lines
}

// bar returns the part of a bar in the n-th line from below.
func bar(v, high float64, height, n int) rune {
	if math.IsNaN(v) || high <= 0 {
		return ' '
	}
	eighths := int(math.Round(v/high*float64(height*8))) - n*8
	switch {
	case eighths <= 0:
		return ' '
	case eighths >= 8:
		return bars[7]
	}
	return bars[eighths-1]
}

// details lists all values of the instance, and facts about a process.
func (s *Screen) details(height int) []string {
	if s.row == nil {
		return []string{shorten("the instance has ended", s.width)}
	}
	t, r := s.table, s.row
	var lines []string
	add := func(name, text string) {
		for i, part := range wrap(text, max(s.width-30, 10)) {
			if i > 0 {
				name = ""
			}
			l := newLine(s.width)
			l.add(faint, left(shorten(name, 28), 28))
			l.padTo(30)
			l.add(plain, part)
			lines = append(lines, l.String())
		}
	}

	path := r.series.Path
	if !t.single {
		path.Counter = "*"
	}
	add("Path", safetext.Line(path.String()))
	if r.seen != s.number {
		add("", "the instance has ended; these are its last values")
	}
	k, parent := t.processColumns()
	if pid := r.number(k); s.opt.Facts != nil && pid > 0 && t.isProcess() {
		facts := s.opt.Facts(uint64(pid))
		for _, name := range s.opt.FactNames {
			if facts[name] != "" {
				add(name, safetext.Line(facts[name]))
			}
		}
	}

	if parent >= 0 {
		add("Parent", t.processName(k, r.number(parent)))
	}
	for k, c := range t.columns {
		if c.fact == "" && !c.hidden {
			text, _ := s.cellText(t, r, k)
			add(c.head, text)
		}
	}

	s.from = max(min(s.from, len(lines)-height), 0)
	return lines[s.from:]
}

// processName returns the name and id of a process that is a row of the table. k is the column of ids.
func (t *table) processName(k int, pid float64) string {
	i := slices.IndexFunc(t.rows, func(r *row) bool { return pid > 0 && r.number(k) == pid })
	if i < 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%.0f)", t.rows[i].name, pid)
}

// wrap divides text into lines at blanks, or within a word that is too long.
func wrap(text string, width int) (lines []string) {
	for safetext.Width(text) > width {
		at, used, blank := 0, 0, 0
		for i, r := range text {
			if used += safetext.RuneWidth(r); used > width {
				break
			}
			at = i + len(string(r))
			if r == ' ' {
				blank = at
			}
		}
		if blank > 0 {
			at = blank
		}
		at = max(at, 1)
		lines, text = append(lines, strings.TrimRight(text[:at], " ")), text[at:]
	}
	return append(lines, text)
}
