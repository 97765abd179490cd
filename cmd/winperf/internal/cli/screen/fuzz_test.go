package screen

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// fuzzKeys are the keys that an input selects by its bytes. The others resize, click, and add samples.
var fuzzKeys = []string{
	"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "tab", "shift+tab", "s", "t", "/", "n", "N", "f",
	"enter", "esc", "backspace", "d", "?", "o", "space", ".", "<", ":", "a", "1", "ctrl+z", "q", "l", "h",
}

// FuzzScreen changes a screen in any order: nothing panics, the row of the cursor is visible, and
// the lines fit the screen.
func FuzzScreen(f *testing.F) {
	f.Add([]byte("\x28\x2a\x01\x02\x03"))
	f.Add([]byte{40, 15, 26, 16, 3, 3, 10, 41, 16, 42, 1, 1, 17, 36, 50, 60, 8, 8, 19, 43, 17, 21, 45, 16, 22, 16, 44})
	f.Fuzz(func(t *testing.T, input []byte) {
		s := New(Options{Title: "HOST", Summary: true, Log: true, Time: clock, FactNames: []string{"User"}})
		var m measured
		width, height := 80, 24
		for i, b := range input {
			if int(b) < len(fuzzKeys) {
				press(s, fuzzKeys[b])
			}
			switch n := int(b) - len(fuzzKeys); {
			case n < 0:
			case n < 4:
				width, height = 1+n*i%200, 1+(n+1)*i%50
				s.Resize(width, height)
			case n < 8:
				s.Click(i*n%width, i%height)
			case n == 8:
				s.Restart(i%2 == 0, i%3 == 0)
			case n == 9:
				s.Wheel(i%7 - 3)
			case n == 10:
				s.SetObjects([]Object{{Name: "Process", Multi: true, Counters: []Counter{{Name: "ID Process"}}}, {Name: "O"}})
			default:
				list := slices.Clone(shell[:n%(len(shell)+1)])
				for k := range n % 50 {
					list = append(list, process{fmt.Sprintf("p%d", k*i), uint64(100 + k*i), uint64(k), 1, float64(k * n % 7)})
				}
				columns := m.columns(list)
				if n%3 == 0 {
					more := []winperf.Reading{reading(`\Memory\A`, counter.Count, 1), reading(`\Disk(a)\B`, counter.Count, 1)}
					columns = append(columns, winperf.ColumnsOf(more)...)
				}
				s.Take(begin.Add(time.Duration(i)*time.Second), columns, columns)
			}

			lines := text(s)
			cursor := slices.ContainsFunc(s.drawn, func(e entry) bool { return e.row == s.row })
			if s.row != nil && s.overlay == noOverlay && height-len(s.head()) > 5 && !cursor {
				t.Fatalf("step %d: the row of the cursor is not visible in %q", i, lines)
			}
			if len(lines) > height {
				t.Fatalf("step %d: %d lines of %d", i, len(lines), height)
			}
			for _, line := range lines {
				if safetext.Width(line) > width {
					t.Fatalf("step %d: %q is wider than %d", i, line, width)
				}
			}
		}
	})
}
