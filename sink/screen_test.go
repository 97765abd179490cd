package sink

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/safetext"
)

// screen is a small terminal: enough of ECMA-48 to check what the table draws,
// and an error for everything else. Like real ones it keeps the cursor on the
// last column until the next character arrives.
type screen struct {
	width, height int
	cells         [][]string // "" is the right half of a wide character
	row, column   int
	pending       bool // the last column is written, the next character wraps
	wrap, cursor  bool
	faint         bool
	scrolled      int // lines that left at the top
	faintText     strings.Builder
	main          *mainScreen // while the alternate one is on
	widthOf       func(rune) int
}

// mainScreen is what comes back when the alternate screen goes.
type mainScreen struct {
	cells       [][]string
	row, column int
}

func newScreen(width, height int) *screen {
	s := &screen{wrap: true, cursor: true, widthOf: safetext.RuneWidth}
	s.resize(width, height)
	return s
}

// resize keeps what fits, as a terminal that does not reflow.
func (s *screen) resize(width, height int) {
	cells := make([][]string, height)
	for i := range cells {
		cells[i] = blankLine(width)
		if i < len(s.cells) {
			copy(cells[i], s.cells[i])
		}
	}
	s.cells, s.width, s.height = cells, width, height
	s.row, s.column = min(s.row, height-1), min(s.column, width-1)
	s.pending = false
}

func blankLine(width int) []string {
	line := make([]string, width)
	for i := range line {
		line[i] = " "
	}
	return line
}

// Write interprets p, which holds whole sequences.
func (s *screen) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if p[i] == 0x1b {
			n, err := s.sequence(string(p[i:]))
			if err != nil {
				return i, err
			}
			i += n
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if err := s.character(r); err != nil {
			return i, err
		}
		i += size
	}
	return len(p), nil
}

func (s *screen) character(r rune) error {
	switch {
	case r == '\r':
		s.column, s.pending = 0, false
	case r == '\n':
		s.lineFeed()
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return fmt.Errorf("control character %U", r)
	default:
		s.put(r)
	}
	return nil
}

func (s *screen) lineFeed() {
	s.pending = false
	if s.row < s.height-1 {
		s.row++
		return
	}
	s.scrolled++
	s.cells = append(s.cells[1:], blankLine(s.width))
}

func (s *screen) put(r rune) {
	size := min(s.widthOf(r), s.width)
	if s.faint {
		s.faintText.WriteRune(r)
	}
	if size == 0 {
		s.cells[s.row][max(s.column-1, 0)] += string(r)
		return
	}
	if s.wrap && (s.pending || s.column+size > s.width) {
		s.column = 0
		s.lineFeed()
	}
	at := max(min(s.column, s.width-size), 0)
	s.cells[s.row][at] = string(r)
	if size == 2 && at+1 < s.width {
		s.cells[s.row][at+1] = ""
	}
	s.column = min(at+size, s.width-1)
	s.pending = at+size >= s.width
}

// sequence runs the escape sequence at the start of p and returns its length.
func (s *screen) sequence(p string) (int, error) {
	end := strings.IndexAny(p, "HJKhlm")
	if !strings.HasPrefix(p, "\x1b[") || end < 0 {
		return 0, fmt.Errorf("unknown sequence %q", p[:min(len(p), 8)])
	}
	switch known := p[2 : end+1]; known {
	case "H":
		s.row, s.column, s.pending = 0, 0, false
	case "K":
		copy(s.cells[s.row][s.column:], blankLine(s.width))
	case "J":
		copy(s.cells[s.row][s.column:], blankLine(s.width))
		for i := s.row + 1; i < s.height; i++ {
			s.cells[i] = blankLine(s.width)
		}
	case "?25h", "?25l":
		s.cursor = known == "?25h"
	case "?7h", "?7l":
		s.wrap = known == "?7h"
	case "?1049h":
		s.main = &mainScreen{s.cells, s.row, s.column}
		s.cells = nil
		s.resize(s.width, s.height)
	case "?1049l":
		s.cells, s.row, s.column = s.main.cells, s.main.row, s.main.column
		s.main = nil
		s.resize(s.width, s.height)
	case "2m", "22m":
		s.faint = known == "2m"
	default:
		return 0, fmt.Errorf("unknown sequence %s", strconv.Quote(known))
	}
	return end + 1, nil
}

// String returns the lines without blanks at their ends and without blank
// lines at the end.
func (s *screen) String() string {
	var lines []string
	for _, cells := range s.cells {
		lines = append(lines, strings.TrimRight(strings.Join(cells, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
