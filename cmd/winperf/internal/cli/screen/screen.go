package screen

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/titles"
)

// Options are the properties of a Screen.
type Options struct {
	Title    string        // the machine or log
	Summary  bool          // lines about processors, memory, disks and networks above the tables
	Exact    bool          // numbers with all digits
	Log      bool          // the source is a log
	Interval time.Duration // between samples of a live source
	Given    bool          // the user named the paths; otherwise only processes are rows of Process
	Waiting  string        // text until the first sample
	Time     func(time.Time) string
	// Facts returns texts about a process, such as its command line, by their names in FactNames. It is
	// called only for rows that are shown. Both are nil if the source is not this machine.
	Facts     func(pid uint64) map[string]string
	FactNames []string
}

// Screen is the state of the view.
type Screen struct {
	opt           Options
	width, height int

	at      time.Time
	number  uint64 // of samples
	times   []time.Time
	tables  []*table
	summary summary

	filter string
	tree   bool
	paused bool

	// The cursor.
	table  *table
	row    *row
	column int // 0 is the name
	moved  bool
	top    int     // number of entries scrolled
	left   int     // number of columns scrolled
	drawn  []entry // the entry of each line of the tables on the screen

	overlay overlay
	from    int // the first visible line of the details
	prompt  *prompt
	search  string
	note    string
	browser browser
	place   Place
}

// Place is the position in a log.
type Place struct {
	Index, Count int
}

type overlay int

const (
	noOverlay overlay = iota
	helpOverlay
	historyOverlay
	detailsOverlay
	browserOverlay
)

// New returns a Screen without samples.
func New(opt Options) *Screen {
	return &Screen{opt: opt, width: 80, height: 24, browser: browser{open: -1}}
}

// Resize sets the size of the terminal.
func (s *Screen) Resize(width, height int) { s.width, s.height = max(width, 1), max(height, 1) }

// Restart prepares the screen for the samples of another measurement. Tables remain only with keep;
// histories end with jump, because the next sample does not follow the last one.
func (s *Screen) Restart(keep, jump bool) {
	if !keep {
		s.tables, s.table, s.row, s.column, s.moved, s.top, s.left = nil, nil, nil, 0, false, 0, 0
	}
	for _, t := range s.tables {
		t.restart(jump)
	}
	if jump {
		s.times, s.summary = nil, summary{}
	}
}

// Paused reports whether samples are not shown, or a log does not advance.
func (s *Screen) Paused() bool { return s.paused }

// Pause sets the state that Paused returns.
func (s *Screen) Pause(on bool) { s.paused = on }

// SetPlace sets the position in a log.
func (s *Screen) SetPlace(p Place) { s.place = p }

// Note shows a message instead of the hints, until the next key.
func (s *Screen) Note(text string) { s.note = text }

// Take adds a sample: the columns of the tables, and all columns for the summary.
func (s *Screen) Take(at time.Time, shown, all []winperf.Column) {
	s.number++
	s.at = at
	if len(s.times) == kept {
		s.times = slices.Delete(s.times, 0, 1)
	}

	s.times = append(s.times, at)
	if s.opt.Summary {
		s.summary.take(all)
	}

	for _, t := range s.tables {
		t.current = s.number
	}
	for i := range shown {
		c := &shown[i]
		if c.Len() > 0 {
			t := s.tableOf(c.Counter())
			t.take(c)
			if t.age = 0; !c.Time.IsZero() {
				t.age = at.Sub(c.Time).Seconds()
			}
		}
	}

	for _, t := range s.tables {
		for _, name := range s.browser.facts {
			if t.isProcess() && !slices.ContainsFunc(t.columns, func(c *column) bool { return c.fact == name }) {
				t.columns = append(t.columns, &column{head: name, fact: name})
			}
		}
	}

	s.tables = slices.DeleteFunc(s.tables, func(t *table) bool {
		t.end()
		return len(t.rows) == 0
	})
	s.arrange()
}

func (s *Screen) tableOf(c *winperf.Series) *table {
	i := slices.IndexFunc(s.tables, func(t *table) bool { return t.holds(c) })
	if i >= 0 {
		return s.tables[i]
	}
	t := newTable(c)
	t.current = s.number
	s.tables = append(s.tables, t)
	return t
}

// arrange orders the rows and keeps the cursor on its row, or on the first one until it was moved.
func (s *Screen) arrange() {
	for _, t := range s.tables {
		if t.sort == unsorted && t.isProcess() {
			if k := t.find(titles.ProcessorTime, "% Processor Time"); k >= 0 {
				t.sort, t.down = k+1, true
			}
		}
		if _, parent := t.processColumns(); parent >= 0 && !s.opt.Given {
			t.columns[parent].hidden = !s.browser.chosen
		}
		t.arrange(s.filter, s.tree, !s.opt.Given)
	}

	// History and details stay on their row after its end.
	shown := s.row != nil && (s.overlay == historyOverlay || s.overlay == detailsOverlay)
	if entries := s.entries(); !shown && (s.cursor(entries) < 0 || !s.moved) {
		s.moved = false
		s.moveTo(entries, 0)
	}
}

// entry is a line of the tables: a row, or above the rows of a table a blank line and its head.
type entry struct {
	table *table
	row   *row
	head  int // without a row: 0 for the blank line, otherwise the line of the head from 1
}

// entries returns the lines of all tables. The first head is not among them, because it does not scroll.
func (s *Screen) entries() (all []entry) {
	for _, t := range s.tables {
		if len(t.visible) > 0 && len(all) > 0 {
			for n := range 1 + t.heads {
				all = append(all, entry{table: t, head: n})
			}
		}
		for _, r := range t.visible {
			all = append(all, entry{table: t, row: r})
		}
	}
	return all
}

// cursor returns the position of the cursor's row, or -1.
func (s *Screen) cursor(entries []entry) int {
	return slices.IndexFunc(entries, func(e entry) bool { return e.row != nil && e.row == s.row })
}

// moveTo sets the cursor to a row at or after a position, or before it at the end.
func (s *Screen) moveTo(entries []entry, at int) {
	s.table, s.row = nil, nil
	if len(entries) == 0 {
		return
	}
	at = max(min(at, len(entries)-1), 0)
	for entries[at].row == nil {
		at++ // a row follows each head
	}
	s.table, s.row = entries[at].table, entries[at].row
	s.column = min(s.column, len(s.table.columns))
}

// move moves the cursor by a number of lines.
func (s *Screen) move(by int) {
	entries := s.entries()
	at := max(min(s.cursor(entries)+by, len(entries)-1), 0)
	for at < len(entries) && entries[at].row == nil && by < 0 {
		at--
	}
	s.moveTo(entries, at)
	s.moved = at > 0
}
