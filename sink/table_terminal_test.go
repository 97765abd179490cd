package sink

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/safetext"
)

// onScreen returns a terminal table and the screen that shows it and tells its
// size.
func onScreen(width, height int) (Sink, *screen) {
	s := newScreen(width, height)
	return newTable(s, Options{
		Terminal: true,
		Location: time.UTC,
		Size:     func() (int, int) { return s.width, s.height },
	}), s
}

// loads returns the load of processors, _Total first.
func loads(percent ...float64) []winperf.Reading {
	var readings []winperf.Reading
	for i, f := range percent {
		name := "_Total"
		if i > 0 {
			name = fmt.Sprint(i - 1)
		}
		readings = append(readings,
			value(fmt.Sprintf(`\\HOST\Processor(%s)\Number`, name), counter.Int(uint64(100-i)), counter.Count),
			value(fmt.Sprintf(`\\HOST\Processor(%s)\%% Processor Time`, name), counter.Float(f), counter.Percent))
	}
	return readings
}

func show(t *testing.T, s Sink, scr *screen, second int, readings []winperf.Reading, want string) {
	t.Helper()
	at := sampleTime.Add(time.Duration(second) * time.Second)
	if err := s.Write(at, winperf.ColumnsOf(taken(at, readings))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, scr.String()); diff != "" {
		t.Errorf("second %d:\n%s", second, diff)
	}
	if scr.scrolled != 0 {
		t.Errorf("second %d: %d lines scrolled away", second, scr.scrolled)
	}
	if scr.cursor || !scr.wrap {
		t.Errorf("second %d: cursor shown %v, want hidden; wrap %v, want on", second, scr.cursor, scr.wrap)
	}
}

// TestTerminal redraws while rows come and go and the window shrinks and grows.
func TestTerminal(t *testing.T) {
	s, scr := onScreen(40, 8)
	if _, err := io.WriteString(scr, strings.Repeat("what stood there before, to the very end", 8)); err != nil {
		t.Fatal(err)
	}
	scr.scrolled = 0
	show(t, s, scr, 0, loads(5, 1, 2, 3), `2026-03-01 09:30:00.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              5.00
0              99              1.00
1              98              2.00
2              97              3.00
`)
	show(t, s, scr, 1, loads(5, 1, 2), `2026-03-01 09:30:01.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              5.00
0              99              1.00
1              98              2.00
`)
	show(t, s, scr, 2, loads(9, 0, 1, 8, 2, 7, 3), `2026-03-01 09:30:02.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              9.00
2              97              8.00
4              95              7.00
5              94              3.00
3              96              2.00
2 rows not shown: 2 of 7 Processor
`)
	scr.resize(40, 4)
	show(t, s, scr, 3, loads(9, 0, 1, 8, 2, 7, 3), `2026-03-01 09:30:03.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              9.00
6 rows not shown: 6 of 7 Processor
`)
	scr.resize(24, 2)
	show(t, s, scr, 4, loads(9, 0, 1), `2026-03-01 09:30:04.123…
3 rows not shown: 3 of …
`)
	scr.resize(10, 1)
	show(t, s, scr, 5, loads(9, 0, 1), "2026-03-0…\n")
	scr.resize(24, 9)
	show(t, s, scr, 6, loads(9, 0, 1), `2026-03-01 09:30:06.123…
Processor  Number
_Total        100
0              99
1              98
Processor  % Processor …
_Total              9.00
0                   0.00
1                   1.00
`)
	scr.resize(40, 8)
	show(t, s, scr, 7, loads(9, 0, 1), `2026-03-01 09:30:07.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              9.00
0              99              0.00
1              98              1.00
`)
	show(t, s, scr, 8, nil, "2026-03-01 09:30:08.123 +00:00\n")
}

// TestTerminalActive puts rows without a number last, but for totals, which are
// first, and keeps the order of equal ones.
func TestTerminalActive(t *testing.T) {
	s, scr := onScreen(40, 6)
	readings := loads(0, 0, 0, 4, 0)
	for _, row := range []int{0, 1} {
		readings[2*row+1].Status = counter.NoPrevious
		readings[2*row+1].Value = counter.Value{}
	}
	show(t, s, scr, 0, readings, `2026-03-01 09:30:00.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100       no_previous
2              97              4.00
1              98              0.00
2 rows not shown: 2 of 5 Processor
`)
}

// TestTerminalActiveMissing puts rows without the value that they are ordered by last. A counter
// without instances has no column.
func TestTerminalActiveMissing(t *testing.T) {
	s, scr := onScreen(40, 5)
	readings := loads(9, 1, 2, 3)
	columns := winperf.ColumnsOf(slices.Delete(readings, 5, 6)) // the load of processor 1
	columns = append(columns, winperf.Column{Names: perftest.Column(readings[0]).Names})
	if err := s.Write(sampleTime, columns); err != nil {
		t.Fatal(err)
	}

	const want = `2026-03-01 09:30:00.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              9.00
2              97              3.00
2 rows not shown: 2 of 4 Processor
`
	if diff := cmp.Diff(want, scr.String()); diff != "" {
		t.Error(diff)
	}
}

// TestTerminalErrors: a screen that failed is written to no more, and every later call returns the error.
func TestTerminalErrors(t *testing.T) {
	w := &limitedWriter{left: 1, err: syscall.EPIPE}
	s, ok := newTable(w, Options{Terminal: true}).(Screen)
	if !ok {
		t.Fatal("a table on a terminal is no Screen")
	}
	if err := s.Await("waiting"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(sampleTime, winperf.ColumnsOf(loads(1, 2))); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v, want %v", err, syscall.EPIPE)
	}

	w.left = 9
	for _, err := range []error{s.Await("waiting"), s.Leave(), s.Close()} {
		if !errors.Is(err, syscall.EPIPE) || w.left != 9 {
			t.Errorf("later error %v, want %v; %d writes", err, syscall.EPIPE, 9-w.left)
		}
	}
}

// TestTerminalOtherScreen draws on a screen of its own: what was on the terminal
// before is there again in the end, with the last picture below it, and also while the
// program is stopped.
func TestTerminalOtherScreen(t *testing.T) {
	s, scr := onScreen(40, 8)
	if _, err := io.WriteString(scr, "$ winperf watch\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.(Screen).Await("the second sample, 10s after the first"); err != nil {
		t.Fatal(err)
	}
	if got, want := scr.String(), "the second sample, 10s after the first\n"; got != want {
		t.Errorf("while waiting %q, want %q", got, want)
	}
	const picture = `2026-03-01 09:30:01.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              1.00
`
	show(t, s, scr, 1, loads(1), picture)

	if err := s.(Screen).Leave(); err != nil {
		t.Fatal(err)
	}
	if got, want := scr.String(), "$ winperf watch\n"; got != want || !scr.cursor {
		t.Errorf("stopped: %q, want %q; cursor %v", got, want, scr.cursor)
	}
	show(t, s, scr, 1, loads(1), picture)

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := scr.String(), "$ winperf watch\n"+picture; got != want || !scr.cursor || scr.row != 4 {
		t.Errorf("in the end %q, want %q; cursor %v in line %d", got, want, scr.cursor, scr.row)
	}
}

// TestTerminalScroll moves to rows that find no space, and back: all objects scroll
// together, and behind the last rows come the objects that had no line.
func TestTerminalScroll(t *testing.T) {
	s, scr := onScreen(30, 8)
	readings := loads(9, 1, 2, 3, 4, 5)
	readings = append(readings, value(`\\HOST\Memory\Pages`, counter.Int(7), counter.Count))
	readings = append(readings, value(`\\HOST\System\Threads`, counter.Int(8), counter.Count))
	for i := range readings { // one column
		if i%2 == 0 && i < 12 {
			readings[i].Series = readings[i+1].Series
			readings[i].Value, readings[i].Unit = readings[i+1].Value, readings[i+1].Unit
		}
	}

	rows := func() string { // the first words of the lines below the title
		var words []string
		for line := range strings.Lines(scr.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			words = append(words, word)
		}
		return strings.Join(words[1:], ",")
	}
	for _, step := range []struct {
		motions []Motion
		want    string
	}{
		{nil, "Processor,_Total,4,,Memory,7,5"},
		{[]Motion{LineDown}, "Processor,4,3,,Memory,7,5"},
		{[]Motion{LineDown, LineDown}, "Processor,2,1,,Memory,7,5"},
		{[]Motion{End}, "System,8,7"},
		{[]Motion{LineUp}, "Processor,1,0,,Memory,7,5"},
		{[]Motion{PageUp}, "Processor,3,2,,Memory,7,5"},
		{[]Motion{Home, LineUp}, "Processor,_Total,4,,Memory,7,5"},
		{[]Motion{PageDown}, "Processor,3,2,,Memory,7,5"},
	} {
		for _, m := range step.motions {
			s.(Screen).Scroll(m)
		}
		if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
		if got := rows(); got != step.want {
			t.Errorf("%v: %s, want %s\n%s", step.motions, got, step.want, scr)
		}
	}
}

func TestTerminalManyObjects(t *testing.T) {
	s, scr := onScreen(60, 9)
	var readings []winperf.Reading
	for i := range 5 {
		readings = append(readings, value(fmt.Sprintf(`\\HOST\Object %d\Items`, i), counter.Int(1), counter.Count))
	}
	show(t, s, scr, 0, readings, `2026-03-01 09:30:00.123 +00:00  HOST
Object 0  Items
              1

Object 1  Items
              1
3 rows not shown: 1 of 1 Object 2, 1 of 1 Object 3, 1 of 1 …
`)
	if got, want := scr.faintText.String(), "3 rows not shown: 1 of 1 Object 2, 1 of 1 Object 3, 1 of 1 …"; got != want {
		t.Errorf("faint text %q, want %q", got, want)
	}
}

// TestTerminalTall reaches all columns of an object of which no row finds room.
func TestTerminalTall(t *testing.T) {
	s, scr := onScreen(30, 6)
	var readings []winperf.Reading
	for i := range 12 {
		path := fmt.Sprintf(`\\HOST\Object(%d)\A counter %d`, i/6, i%6)
		readings = append(readings, value(path, counter.Int(1), counter.Count))
	}

	seen := map[string]bool{}
	for range 12 {
		if err := s.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			name := fmt.Sprint("A counter ", i)
			seen[name] = seen[name] || strings.Contains(scr.String(), name)
		}
		s.(Screen).Scroll(LineDown)
	}
	for name, shown := range seen {
		if !shown {
			t.Errorf("%s cannot be reached; in the end there is\n%s", name, scr)
		}
	}
}

// TestTerminalClose leaves the cursor below the picture, whether or not that
// fills the screen.
func TestTerminalClose(t *testing.T) {
	for height, scrolled := range map[int]int{6: 0, 5: 0, 4: 1} {
		s, scr := onScreen(40, height)
		if err := s.Write(sampleTime, winperf.ColumnsOf(loads(1, 2))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if scr.scrolled != scrolled || !scr.cursor || scr.column != 0 || scr.row != 4-scrolled {
			t.Errorf("height %d: %d lines scrolled, want %d; cursor shown %v, in line %d, column %d",
				height, scr.scrolled, scrolled, scr.cursor, scr.row, scr.column)
		}
	}
	var out bytes.Buffer
	if err := newTable(&out, Options{Terminal: true}).Close(); err != nil || out.Len() > 0 {
		t.Errorf("without a moment: error %v, output %q", err, out.String())
	}
}

// TestTerminalHint tells of keys only as long as there are some: the picture that stays
// behind has none, and the end of the line that they took.
func TestTerminalHint(t *testing.T) {
	scr := newScreen(40, 4)
	s := newTable(scr, Options{Terminal: true, Location: time.UTC, Hint: "arrows scroll, q ends; ",
		Size: func() (int, int) { return scr.width, scr.height }})
	const picture = `2026-03-01 09:30:00.123 +00:00  HOST
Processor  Number  % Processor Time
_Total        100              9.00
`
	show(t, s, scr, 0, loads(9, 0, 1), picture+"arrows scroll, q ends; 2 rows not shown…\n")

	scr.resize(40, 8)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := scr.String(), picture+"2 rows not shown: 2 of 3 Processor\n"; got != want {
		t.Errorf("in the end %q, want %q", got, want)
	}
}

// TestTerminalUnknownSize assumes 80 by 24 where nothing is known.
func TestTerminalUnknownSize(t *testing.T) {
	for _, size := range []func() (int, int){nil, func() (int, int) { return 0, -1 }} {
		scr := newScreen(80, 24)
		idle := winperf.ColumnsOf(loads(make([]float64, 40)...))
		if err := newTable(scr, Options{Terminal: true, Size: size}).Write(sampleTime, idle); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(scr.String(), "\n"); lines != 24 || scr.scrolled != 0 {
			t.Errorf("%d lines, %d scrolled away; want 24, 0", lines, scr.scrolled)
		}
	}
}

// TestPlainHasNoEscapes checks that nothing of a terminal reaches a pipe, also
// not through names.
func TestPlainHasNoEscapes(t *testing.T) {
	hostile := "\x1b[2J\u009b1m\a\r\n\u202E"
	readings := []winperf.Reading{{
		Series: winperf.NewSeries(winperf.Path{Machine: hostile, Object: hostile, Instance: hostile, HasInstance: true, Counter: hostile}),
		Value:  counter.Text(hostile),
	}}
	readings = append(readings, everyStatus()...)
	got := tableOf(t, 0, Options{}, readings, readings)
	if i := strings.IndexAny(got, "\x1b\u009b\a\r\u202E"); i >= 0 {
		t.Errorf("%q", got[max(i-9, 0):i+9])
	}
}

func TestFit(t *testing.T) {
	for seed := range 500 {
		var sections []*section
		for i := range seed % 5 {
			sections = append(sections, &section{
				rows:   1 + seed*(i+3)%11,
				blocks: make([]block, 1+(seed+i)%3),
			})
		}
		lines := seed%40 - 2
		shown := fit(sections, lines)
		used, separator, next := 0, 0, -1
		for i, s := range sections {
			cost := len(s.blocks)
			if shown[i] > 0 {
				used += separator + cost*(1+shown[i])
				separator = 1
			} else {
				cost += cost + 1
			}
			if shown[i] < s.rows && (next < 0 || cost < next) {
				next = cost // the cheapest row that is not shown
			}
		}
		if used > max(lines, 0) {
			t.Errorf("seed %d: %d lines used of %d", seed, used, lines)
		}
		if next >= 0 && separator == 1 && used+next <= lines {
			t.Errorf("seed %d: %d lines used of %d although a row of %d would fit", seed, used, lines, next)
		}
	}
}

// FuzzTerminal draws two moments of any names into windows of any size, on a
// terminal that agrees about widths and on one that does not. It must never
// scroll nor receive a sequence that is not the table's own.
func FuzzTerminal(f *testing.F) {
	f.Add("Process", "build", "% Processor Time", uint8(80), uint8(24), uint8(40), uint8(10), uint8(5))
	f.Add("対象", "\x1b[2J", "a\u0308\u200d\n", uint8(7), uint8(3), uint8(2), uint8(2), uint8(30))
	f.Fuzz(func(t *testing.T, object, instance, name string, width, height, width2, height2, rows uint8) {
		var readings []winperf.Reading
		for i := range int(rows) {
			for j := range 3 {
				s := winperf.NewSeries(winperf.Path{
					Object: object, Instance: instance, Index: i, HasInstance: i > 0, Counter: fmt.Sprint(name, j),
				})
				readings = append(readings, winperf.Reading{Series: s, Value: counter.Int(uint64(i * j)), Status: counter.Status(j)})
			}
		}
		everyOther := func(r rune) int {
			if r < utf8.RuneSelf {
				return 1
			}
			return 2
		}
		for _, widthOf := range []func(rune) int{safetext.RuneWidth, everyOther} {
			s, scr := onScreen(max(int(width), 2), max(int(height), 1))
			scr.widthOf = widthOf
			for second := range 2 {
				if err := s.Write(sampleTime.Add(time.Duration(second)*time.Second), winperf.ColumnsOf(readings)); err != nil {
					t.Fatal(err)
				}
				if scr.scrolled != 0 || !scr.wrap || scr.cursor {
					t.Fatalf("%d lines scrolled away, wrap %v, cursor %v", scr.scrolled, scr.wrap, scr.cursor)
				}
				s.(Screen).Scroll(End)
				title := safetext.Cut(fmt.Sprintf("2026-03-01 09:30:%02d.123 +00:00", second), scr.width)
				if line, _, _ := strings.Cut(scr.String(), "\n"); widthOf('…') == 1 && line != title {
					t.Fatalf("first line %q, want %q", line, title)
				}
				scr.resize(max(int(width2), 2), max(int(height2), 1))
			}
			if err := s.Close(); err != nil || !scr.cursor || scr.scrolled > 1 {
				t.Fatalf("Close: error %v, cursor %v, %d lines scrolled away", err, scr.cursor, scr.scrolled)
			}
		}
	})
}
