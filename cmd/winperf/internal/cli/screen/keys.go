package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
)

// Action is a request of a key that the caller fulfils.
type Action struct {
	Kind  ActionKind
	Paths []winperf.Path // of Select
	Text  string         // of Load, the object; of Seek, the time
	By    int            // of Step, the number of samples; of Jump, in percent of the log
}

// ActionKind is a kind of Action.
type ActionKind int

// The kinds. Load is for the counters of an object in SetObjects, of all objects without a Text.
const (
	None ActionKind = iota
	Quit
	Suspend
	Select
	Load
	Play
	Step
	Jump
	Seek
)

// prompt is a line of text that the user types.
type prompt struct {
	label, text, before string
	changed             func(text string)        // called for each key, and with before at a cancel; or nil
	done                func(text string) Action // called for Enter; or nil
}

func (p *prompt) press(s *Screen, key, text string) Action {
	switch key {
	case "enter":
		s.prompt = nil
		if p.done != nil {
			return p.done(p.text)
		}
		return Action{}
	case "esc", "ctrl+c":
		s.prompt = nil
		p.text = p.before
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case "ctrl+u":
		p.text = ""
	default:
		p.text += text
	}

	if p.changed != nil {
		p.changed(p.text)
	}
	return Action{}
}

// ask begins a prompt.
func (s *Screen) ask(label, text string, changed func(string), done func(string) Action) {
	s.prompt = &prompt{label, text, text, changed, done}
}

// Press handles a key, named as by bubbletea, such as "up", "ctrl+c" or "a". text is the text that the key
// types.
func (s *Screen) Press(key, text string) Action {
	s.note = ""
	if key == "ctrl+z" {
		return Action{Kind: Suspend}
	}
	if s.prompt != nil {
		return s.prompt.press(s, key, text)
	}

	if key == "ctrl+c" || key == "q" && s.overlay == noOverlay {
		return Action{Kind: Quit}
	}
	if s.overlay != noOverlay && s.number > 0 {
		return s.pressOverlay(key)
	}

	if s.pressMotion(key) {
		return Action{}
	}
	switch key {
	case "s":
		s.sortBy(s.table, s.column)
	case "t":
		if s.tree = !s.tree; s.tree && !slices.ContainsFunc(s.tables, (*table).hasParents) {
			s.note = "a tree needs the counters ID Process and Creating Process ID"
		}
		s.arrange()
	case "/":
		s.ask("search: ", "", nil, s.searchFor)
	case "n":
		s.findNext(1)
	case "N":
		s.findNext(-1)
	case "f", "&":
		s.ask("filter: ", s.filter, s.setFilter, nil)
	case "esc":
		s.setFilter("")
	case "enter":
		s.show(historyOverlay)
	case "d":
		s.show(detailsOverlay)
	case "?", "f1":
		s.overlay = helpOverlay
	case "o", "f2":
		return s.openBrowser()
	default:
		return s.pressTime(key)
	}

	return Action{}
}

// rowsOf returns the number of rows by which a key moves, 0 for other keys.
func rowsOf(key string, page int) int {
	const all = 1 << 30
	return map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1,
		"pgup": -page, "ctrl+b": -page, "pgdown": page, "ctrl+f": page,
		"ctrl+u": -page / 2, "ctrl+d": page / 2,
		"home": -all, "g": -all, "end": all, "G": all,
	}[key]
}

// page returns the number of rows on the screen.
func (s *Screen) page() int { return max(s.height-len(s.head())-4, 2) }

// pressMotion moves the cursor, and reports whether the key does.
func (s *Screen) pressMotion(key string) bool {
	columns := map[string]int{"left": -1, "h": -1, "right": 1, "l": 1}
	rows := rowsOf(key, s.page())

	switch {
	case rows != 0:
		s.move(rows)
	case columns[key] != 0:
		s.moveColumn(columns[key])
	case key == "tab":
		s.nextTable(1)
	case key == "shift+tab":
		s.nextTable(-1)
	default:
		return false
	}

	return true
}

// pressTime handles keys that stop the time, or move in a log.
func (s *Screen) pressTime(key string) Action {
	if key == "space" || key == "p" {
		s.paused = !s.paused
		return Action{Kind: Play}
	}
	if !s.opt.Log {
		return Action{}
	}

	switch key {
	case ".", "shift+right":
		return Action{Kind: Step, By: 1}
	case ",", "shift+left":
		return Action{Kind: Step, By: -1}
	case ">":
		return Action{Kind: Jump, By: 10}
	case "<":
		return Action{Kind: Jump, By: -10}
	case ":":
		seek := func(text string) Action { return Action{Kind: Seek, Text: strings.TrimSpace(text)} }
		s.ask("time, such as 15:42, +90s or 50%: ", "", nil, seek)
	}

	return Action{}
}

func (s *Screen) searchFor(text string) Action {
	s.search = text
	s.findNext(1)
	return Action{}
}

func (s *Screen) setFilter(text string) {
	s.filter = text
	s.arrange()
}

func (s *Screen) show(o overlay) {
	if s.row != nil {
		s.overlay, s.from = o, 0
	}
}

func (s *Screen) moveColumn(by int) {
	if s.table == nil {
		return
	}
	for at := s.column + by; at >= 0 && at <= len(s.table.columns); at += by {
		if at == 0 || !s.table.columns[at-1].hidden {
			s.column = at
			return
		}
	}
}

// find moves the cursor to the next row, or with a negative by the previous one, that meets a condition.
func (s *Screen) find(by int, meets func(entry) bool) (found bool) {
	entries := s.entries()
	at := s.cursor(entries)
	for range entries {
		at = (at + by + len(entries)) % len(entries)
		if e := entries[at]; e.row != nil && meets(e) {
			s.moveTo(entries, at)
			s.moved = true
			return true
		}
	}
	return false
}

// nextTable moves the cursor to the first row of the next or previous table.
func (s *Screen) nextTable(by int) {
	table := s.table
	if s.find(by, func(e entry) bool { return e.table != table && e.row == e.table.visible[0] }) {
		s.column = 0
	}
}

// findNext moves the cursor to the next row that contains the search text.
func (s *Screen) findNext(by int) {
	if s.search != "" && !s.find(by, func(e entry) bool { return e.row.contains(s.search) }) {
		s.note = "not found: " + s.search
	}
}

// sortBy orders a table by a column: numbers from the largest, names from A; the second time in reverse.
func (s *Screen) sortBy(t *table, column int) {
	if t == nil {
		return
	}
	if column > 0 && t.columns[column-1].fact != "" {
		s.note = t.columns[column-1].fact + " cannot order the rows: it is read only for visible rows"
		return
	}
	if t.sort == column {
		t.down = !t.down
	} else {
		t.sort, t.down = column, column > 0
	}
	s.arrange()
}

// Click handles the left mouse button: it sorts by a head, or moves the cursor.
func (s *Screen) Click(x, y int) {
	y -= len(s.head())
	if s.overlay != noOverlay || s.prompt != nil || y < 0 || y >= len(s.drawn) || s.drawn[y].table == nil {
		return
	}

	e := s.drawn[y]
	column := s.columnAt(e.table, x)
	entries := s.entries()
	switch at := slices.Index(entries, e); {
	case e.row == nil:
		s.sortBy(e.table, column)
	case at >= 0:
		s.moveTo(entries, at)
		s.column, s.moved = column, true
	}
}

func (s *Screen) columnAt(t *table, x int) int {
	at := t.width
	if x < at {
		return 0
	}
	for _, k := range t.shown {
		if at += gap + t.columns[k].width; x < at {
			return k + 1
		}
	}
	return 0
}

// Wheel handles the mouse wheel.
func (s *Screen) Wheel(by int) {
	if s.overlay == noOverlay {
		s.move(by)
	} else {
		s.pressOverlay(map[bool]string{true: "down", false: "up"}[by > 0])
	}
}
