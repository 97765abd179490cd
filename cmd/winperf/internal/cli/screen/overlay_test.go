package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEnded shows history and details of a process until they are closed, also after its end, and also if
// the cursor was never moved.
func TestEnded(t *testing.T) {
	later := slices.DeleteFunc(slices.Clone(shell), func(p process) bool { return p.name == "cc" })
	for _, tt := range []struct {
		keys   []string
		list   []process
		want   string // the first line
		closed string // the row of the cursor after Esc
	}{
		{[]string{"enter"}, later, "cc  % Processor Time ended", "make"},
		{[]string{"d"}, later, `Path                          \Process(cc)\*`, "make"},
		{[]string{"down", "up", "enter"}, later, "cc  % Processor Time ended", "make"},
		{[]string{"enter"}, append(slices.Clone(shell), process{"new", 20, 1, 5, 99}), "cc  % Processor Time", "new"},
	} {
		s := New(Options{Time: clock})
		var m measured
		s.Take(begin, m.columns(shell), nil)
		press(s, tt.keys...)
		s.Take(begin.Add(time.Second), m.columns(tt.list), nil)
		if got := text(s)[1]; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.keys, got, tt.want)
		}

		if tt.keys[0] == "d" && !slices.Contains(text(s), "% Processor Time              80.00 %") {
			t.Errorf("the last value is missing in %q", text(s))
		}
		press(s, "esc")
		if s.row == nil || s.row.name != tt.closed {
			t.Errorf("%q: the cursor is on %v, want %s", tt.keys, s.row, tt.closed)
		}
	}
}

// TestEndedJump moves in a log while the history of an ended process is shown.
func TestEndedJump(t *testing.T) {
	s := New(Options{Time: clock, Log: true})
	var m measured
	s.Take(begin, m.columns(shell), nil)
	press(s, "enter")
	s.Take(begin.Add(time.Second), m.columns(shell[:3]), nil)
	s.Restart(true, true)
	if got := text(s)[1:3]; got[0] != "cc  % Processor Time ended" || got[1] != "no value yet" {
		t.Errorf("%q", got)
	}
}

// TestLongDetails scrolls details that are longer than the screen.
func TestLongDetails(t *testing.T) {
	s := shown(shell)
	s.opt.FactNames = []string{"Command Line"}
	s.opt.Facts = func(uint64) map[string]string {
		return map[string]string{"Command Line": strings.Repeat("argument ", 200)}
	}
	press(s, "d")
	if lines := text(s); slices.Contains(lines, "Working Set                   150 B") {
		t.Errorf("all fits the screen: %q", lines)
	}
	press(s, "pgdown", "pgdown", "pgdown")
	if lines := text(s); !slices.Contains(lines, "Working Set                   150 B") {
		t.Errorf("after PgDn: %q", lines)
	}
	press(s, "pgup", "pgup", "pgup")
	if got, want := text(s)[1], `Path                          \Process(cc)\*`; got != want {
		t.Errorf("after PgUp: %q, want %q", got, want)
	}
}

// TestHelpText shows the help of a counter, and marks it if it is cut.
func TestHelpText(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 70)) // five lines of 80 columns
	for _, tt := range []struct {
		help, last string
	}{{words, "word word word word word word"}, {strings.Repeat(words+" ", 3), " …"}} {
		s := shown(shell)
		press(s, "o")
		s.SetObjects([]Object{{Name: "O", Counters: []Counter{{Name: "C", Help: tt.help}}}})
		press(s, "enter")
		lines := text(s)
		lines = lines[:len(lines)-1]
		for lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if got := lines[len(lines)-1]; !strings.HasSuffix(got, tt.last) {
			t.Errorf("%q, want %q at the end", got, tt.last)
		}
	}
}

// TestNotes explains keys that cannot have an effect.
func TestNotes(t *testing.T) {
	s := shown(shell)
	s.browser.facts = []string{"User"}
	var m measured
	s.Take(begin, m.columns(shell), nil)
	press(s, "right", "right", "right", "right", "s")
	if got, want := text(s)[23], "User cannot order the rows: it is read only for visible rows"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	s = New(Options{Time: clock})
	s.Take(begin, m.columns(shell)[:1], nil)
	press(s, "t")
	if got, want := text(s)[23], "a tree needs the counters ID Process and Creating Process ID"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWide uses the columns of the screen that the counters do not need for long names, and shows all
// columns again when the screen becomes wider.
func TestWide(t *testing.T) {
	long := strings.Repeat("long ", 8) + "name"
	s := shown([]process{{long, 7, 1, 1, 1}})
	for _, tt := range []struct {
		width int
		keys  []string
		want  string
	}{
		{72, nil, "long long long long long lon…  "},
		{100, nil, long},
		{30, []string{"right", "right", "right"}, "long lo…"},
		{100, nil, long + "           7            1.00 %          1 B"},
	} {
		s.Resize(tt.width, 24)
		s.Draw()
		press(s, tt.keys...)
		if got := text(s)[2]; !strings.HasPrefix(got, tt.want) && !strings.HasPrefix(text(s)[3], tt.want) {
			t.Errorf("%d columns: %q, want %q", tt.width, got, tt.want)
		}
	}

	if got := fmt.Sprint(s.left); got != "0" {
		t.Errorf("%s columns are scrolled", got)
	}
}

// TestSteady keeps the columns while the user scrolls to longer names.
func TestSteady(t *testing.T) {
	list := make([]process, 40)
	for i := range list {
		list[i] = process{fmt.Sprintf("p%d", i), uint64(i + 1), 1, 1, 1}
	}
	list[39].name = "a process with a long name"
	s := shown(list)
	before := text(s)[1]
	press(s, "end")
	if got := text(s)[1]; got != before {
		t.Errorf("%q, before %q", got, before)
	}
}

// TestTitle shows time, place and state although the name of the log is long.
func TestTitle(t *testing.T) {
	s := New(Options{Title: "/var/log/" + strings.Repeat("long/", 20), Log: true, Time: clock})
	s.Take(begin, nil, nil)
	s.SetPlace(Place{Index: 7528, Count: 7529})
	s.Pause(true)
	if got, want := text(s)[0], "winperf /var/log/long/long/long/l…  09:30:00  sample 7529 of 7529 paused"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
