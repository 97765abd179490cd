package screen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/titles"
)

// process is an instance of Process in a test.
type process struct {
	name             string
	id, parent, size uint64
	time             float64
}

// shell is a small machine: a shell with two children, one of which has a child.
var shell = []process{
	{"_Total", 0, 0, 600, 130},
	{"Idle", 0, 0, 0, 70},
	{"init", 1, 0, 100, 1},
	{"bash", 10, 1, 200, 2},
	{"make", 11, 10, 50, 30},
	{"cc", 12, 11, 150, 80},
	{"vi", 13, 10, 100, 17},
}

type measured struct {
	series map[string]*winperf.Series
}

// columns returns one column for each value.
func (m *measured) columns(list []process) []winperf.Column {
	if m.series == nil {
		m.series = map[string]*winperf.Series{}
	}
	var readings []winperf.Reading
	add := func(p process, name string, index uint32, unit counter.Unit, v counter.Value) {
		path := winperf.Path{Object: "Process", Instance: p.name, HasInstance: true, Counter: name}
		s := m.series[path.String()]
		if s == nil {
			s = winperf.NewSeries(path)
			s.ObjectID.Index, s.CounterID.Index, s.Unit = titles.Process, index, unit
			m.series[path.String()] = s
		}
		readings = append(readings, winperf.Reading{Series: s, Value: v})
	}
	for _, p := range list {
		add(p, "ID Process", titles.IDProcess, counter.Count, counter.Int(p.id))
		add(p, "% Processor Time", titles.ProcessorTime, counter.Percent, counter.Float(p.time))
		add(p, "Working Set", titles.WorkingSet, counter.Count, counter.Int(p.size))
		add(p, "Creating Process ID", creatingProcess, counter.Count, counter.Int(p.parent))
	}
	return winperf.ColumnsOf(readings)
}

var begin = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

func clock(t time.Time) string { return t.Format(time.TimeOnly) }

// shown returns a screen of 80 by 24 with a sample.
func shown(list []process) *Screen {
	s := New(Options{Title: "HOST", Time: clock, Interval: time.Second})
	s.Resize(80, 24)
	var m measured
	s.Take(begin, m.columns(list), nil)
	return s
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// text returns what is drawn, without styles.
func text(s *Screen) []string {
	lines := s.Draw()
	for i := range lines {
		lines[i] = strings.TrimRight(escapes.ReplaceAllString(lines[i], ""), " ")
	}
	return lines
}

func press(s *Screen, keys ...string) (last Action) {
	for _, key := range keys {
		typed := key
		if len(key) > 1 {
			typed = ""
		}
		last = s.Press(key, typed)
	}
	return last
}

// names returns the names of the rows.
func names(s *Screen) (all []string) {
	for _, e := range s.entries() {
		if e.row != nil {
			all = append(all, strings.Repeat(" ", e.row.depth)+e.row.name)
		}
	}
	return all
}

func TestOrder(t *testing.T) {
	tests := []struct {
		keys []string
		want string
	}{
		{nil, "cc,make,vi,bash,init"},                                               // by processor time
		{[]string{"s"}, "bash,cc,init,make,vi"},                                     // by name
		{[]string{"s", "s"}, "vi,make,init,cc,bash"},                                // in reverse
		{[]string{"right", "s"}, "vi,cc,make,bash,init"},                            // by id, the largest first
		{[]string{"l", "l", "l", "s"}, "bash,cc,init,vi,make"},                      // by working set; equal rows keep their order
		{[]string{"right", "right", "s"}, "init,bash,vi,make,cc"},                   // by processor time, in reverse
		{[]string{"t"}, "init, bash,  make,   cc,  vi"},                             // siblings by processor time
		{[]string{"t", "s"}, "init, bash,  make,   cc,  vi"},                        // siblings by name
		{[]string{"f", "c", "c", "enter"}, "cc"},                                    // filter
		{[]string{"f", "C", "enter"}, "cc"},                                         // in any case
		{[]string{"f", "x", "backspace", "v", "enter"}, "vi"},                       //
		{[]string{"f", "v", "enter", "esc"}, "cc,make,vi,bash,init"},                // no filter
		{[]string{"f", "v", "esc"}, "cc,make,vi,bash,init"},                         // cancelled
		{[]string{"t", "f", "c", "c", "enter"}, "init, bash,  make,   cc"},          // with ancestors
		{[]string{"f", "z", "enter"}, ""},                                           // none
		{[]string{"right", "right", "right", "right", "s"}, "bash,cc,init,vi,make"}, // the parent's id is hidden
	}
	for _, tt := range tests {
		s := shown(shell)
		press(s, tt.keys...)
		if got := strings.Join(names(s), ","); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.keys, got, tt.want)
		}
	}
}

// TestGiven shows all instances of a path, the total first.
func TestGiven(t *testing.T) {
	s := New(Options{Given: true, Time: clock})
	var m measured
	s.Take(begin, m.columns(shell), nil)
	if got, want := strings.Join(names(s), ","), "_Total,cc,Idle,make,vi,bash,init"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCircle draws processes of a damaged log whose ids form a circle.
func TestCircle(t *testing.T) {
	s := shown([]process{{"a", 1, 2, 0, 3}, {"b", 2, 1, 0, 2}, {"c", 3, 3, 0, 1}})
	press(s, "t")
	if got, want := strings.Join(names(s), ","), "c,a, b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCursor(t *testing.T) {
	tests := []struct {
		keys []string
		want string
	}{
		{nil, "cc"},
		{[]string{"down"}, "make"},
		{[]string{"j", "j", "k"}, "make"},
		{[]string{"end"}, "init"},
		{[]string{"G", "home"}, "cc"},
		{[]string{"pgdown"}, "init"},
		{[]string{"up"}, "cc"},
		{[]string{"/", "i", "enter"}, "vi"},
		{[]string{"/", "i", "enter", "n"}, "init"},
		{[]string{"/", "i", "enter", "n", "n"}, "vi"},
		{[]string{"/", "i", "enter", "N"}, "init"},
		{[]string{"/", "x", "enter"}, "cc"},
		{[]string{"down", "s"}, "make"}, // it stays on its row
	}
	for _, tt := range tests {
		s := shown(shell)
		press(s, tt.keys...)
		if s.row == nil || s.row.name != tt.want {
			t.Errorf("%q: %v, want %s", tt.keys, s.row, tt.want)
		}
	}
}

// TestFollow takes another sample: the cursor stays on its process, or on the first row if it was never
// moved, and ended processes are gone.
func TestFollow(t *testing.T) {
	var m measured
	later := slices.DeleteFunc(slices.Clone(shell), func(p process) bool { return p.name == "cc" })
	for _, tt := range []struct {
		keys []string
		want string
	}{{nil, "make"}, {[]string{"end"}, "init"}, {[]string{"end", "up"}, "bash"}, {[]string{"down", "up"}, "make"}} {
		s := New(Options{Time: clock})
		s.Take(begin, m.columns(shell), nil)
		press(s, tt.keys...)
		s.Take(begin.Add(time.Second), m.columns(later), nil)
		if s.row == nil || s.row.name != tt.want {
			t.Errorf("%q: %v, want %s", tt.keys, s.row, tt.want)
		}
		if got, want := strings.Join(names(s), ","), "make,vi,bash,init"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDraw(t *testing.T) {
	s := shown(shell)
	want := []string{
		"winperf HOST  09:30:00  every 1s",
		"Process   ID Process  % Processor Time  Working Set",
		"cc                12           80.00 %        150 B",
		"make              11           30.00 %         50 B",
		"vi                13           17.00 %        100 B",
		"bash              10            2.00 %        200 B",
		"init               1            1.00 %        100 B",
	}
	if got := text(s)[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if lines := s.Draw(); len(lines) != 24 || !strings.Contains(lines[23], "? help") {
		t.Errorf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
	if cursor := "\x1b[1mcc      \x1b[m"; !strings.HasPrefix(s.Draw()[2], cursor) {
		t.Errorf("the line of the cursor is %q", s.Draw()[2])
	}

	s.Resize(45, 24)
	want = []string{
		"               ID  % Processor  Working",
		"Process   Process         Time      Set",
	}
	if got := text(s)[1:3]; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}

	s.Resize(80, 24)
	press(s, "t")
	if got := text(s)[2:6]; got[1] != "└ bash            10            2.00 %        200 B" ||
		got[2] != "  └ make          11           30.00 %         50 B" {
		t.Errorf("%q", got)
	}
}

// TestSizes draws on terminals of all sizes, with names of all kinds: no line is too wide, and nothing of
// a name reaches the terminal as an escape sequence.
func TestSizes(t *testing.T) {
	hostile := "\x1b[2J\u202e<b>\n" + strings.Repeat("名", 100)
	list := append(slices.Clone(shell), process{hostile, 99, 1, 1 << 40, 1e9})
	for _, keys := range [][]string{nil, {"t"}, {"enter"}, {"d"}, {"?"}, {"/", "\x1b"}, {"right", "right", "right"}} {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 3}, {20, 5}, {80, 24}, {500, 100}} {
			s := shown(list)
			s.opt.Summary = true
			s.Resize(size[0], size[1])
			press(s, keys...)
			lines := s.Draw()
			if len(lines) > max(size[1], 1) {
				t.Errorf("%v %q: %d lines", size, keys, len(lines))
			}
			for _, line := range lines {
				plain := escapes.ReplaceAllString(line, "")
				if safetext.Width(plain) > max(size[0], 1) || safetext.Line(plain) != plain {
					t.Errorf("%v %q: %q", size, keys, line)
				}
			}
		}
	}
}

func TestHistory(t *testing.T) {
	s := New(Options{Time: clock})
	var m measured
	for i := range 4 {
		list := []process{{"busy", 7, 0, 1024, float64(10 * i)}}
		s.Take(begin.Add(time.Duration(i)*time.Second), m.columns(list), nil)
	}
	press(s, "enter")
	lines := text(s)
	for i, want := range []string{
		"busy  % Processor Time",
		"now 30.00 %  minimum 0.00 %  average 15.00 %  maximum 30.00 %  in the last 3s",
	} {
		if lines[i+1] != want {
			t.Errorf("%q, want %q", lines[i+1], want)
		}
	}
	last := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, " 0.00 % │") })
	if last < 0 || lines[last] != " 0.00 % │ ███" {
		t.Errorf("%q", lines)
	}

	press(s, "right", "right", "right")
	if got := text(s)[2]; !strings.HasPrefix(got, "now 1.0 KiB  minimum 1.0 KiB") {
		t.Errorf("the working set: %q", got)
	}
	press(s, "esc")
	if got := text(s)[1]; !strings.HasPrefix(got, "Process") {
		t.Errorf("after Esc: %q", got)
	}
}

func TestBar(t *testing.T) {
	for _, tt := range []struct {
		v      float64
		height int
		want   string // from below
	}{
		{0, 2, "  "}, {16, 2, "██"}, {8, 2, "█ "}, {4, 2, "▄ "}, {12, 2, "█▄"},
	} {
		var got string
		for n := range tt.height {
			got += string(bar(tt.v, 16, tt.height, n))
		}
		if got != tt.want {
			t.Errorf("%v: %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestSpark(t *testing.T) {
	nan := float32(cellOf(counter.NoPrevious).number())
	for _, tt := range []struct {
		values []float32
		width  int
		high   float64
		want   string
	}{
		{[]float32{0, 50, 100}, 3, 100, "▁▅█"},
		{[]float32{0, 50, 100}, 2, 100, "▅█"},
		{[]float32{0, 50}, 4, 100, "  ▁▅"},
		{[]float32{1, nan, 4}, 3, 0, "▃ █"},
		{[]float32{0, 0}, 2, 0, "▁▁"},
	} {
		if got := spark(tt.values, tt.width, tt.high); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.values, got, tt.want)
		}
	}
}

// reading returns a reading of an object that is named only, as in a text log.
func reading(path string, unit counter.Unit, v float64) winperf.Reading {
	p, err := winperf.ParsePath(path)
	if err != nil {
		panic(err)
	}
	s := winperf.NewSeries(p)
	s.Unit = unit
	return winperf.Reading{Series: s, Value: counter.Float(v)}
}

// TestSummary adds up what the machine does, and keeps rates while a new measurement has none.
func TestSummary(t *testing.T) {
	readings := []winperf.Reading{
		reading(`\Processor(0)\% Processor Time`, counter.Percent, 100),
		reading(`\Processor(1)\% Processor Time`, counter.Percent, 0),
		reading(`\Processor(_Total)\% Processor Time`, counter.Percent, 50),
		reading(`\Memory\Available Bytes`, counter.Count, 1<<30),
		reading(`\PhysicalDisk(0)\% Idle Time`, counter.Percent, 90),
		reading(`\PhysicalDisk(1)\% Idle Time`, counter.Percent, 25),
		reading(`\PhysicalDisk(_Total)\% Idle Time`, counter.Percent, 10),
		reading(`\Network Interface(lo)\Bytes Received/sec`, counter.PerSecond, 7),
		reading(`\Network Interface(a)\Bytes Received/sec`, counter.PerSecond, 1000),
		reading(`\Network Interface(b)\Bytes Received/sec`, counter.PerSecond, 500),
	}
	s := New(Options{Summary: true, Time: clock, Interval: time.Second})
	s.Resize(60, 24)
	want := []string{
		"Processors   50.00 %                              ▅  each █▁",
		"Memory      available    1.0 GiB                           █",
		"Disks       busy 1  75.00 %",
		"Networks    in   1.5 kB/s                                  █",
	}
	for range 2 {
		s.Take(begin, nil, winperf.ColumnsOf(readings))
		got := text(s)[1:5]
		for i := range want {
			if !slices.Equal(strings.Fields(got[i])[:3], strings.Fields(want[i])[:3]) {
				t.Errorf("%q, want %q", got[i], want[i])
			}
		}
		for i := range readings {
			readings[i].Status = counter.NoPrevious
		}
	}
	if got := text(s)[1]; !strings.HasSuffix(got, "▅▅") {
		t.Errorf("%q", got)
	}

	s.Take(begin, nil, nil)
	if got := text(s)[1]; got != "no instance; o lists the objects of the source" {
		t.Errorf("without values: %q", got)
	}
}

func TestDefaults(t *testing.T) {
	many := []Counter{{Name: "A"}, {Name: "B"}, {Name: "C"}, {Name: "D"}, {Name: "E"}, {Name: "F"}}
	for _, tt := range []struct {
		object Object
		want   string
	}{
		{Object{Name: "Other", Multi: true, Counters: many}, "A,B,C,D,E"},
		{Object{Name: "Other", Counters: many}, "A,B,C,D,E,F"},
		{Object{Name: "LOGICALDISK", Multi: true, Counters: append(many, Counter{Name: "% free space"})}, "% free space"},
		{Object{Name: "LogicalDisk", Multi: true, Counters: many}, "A,B,C,D,E"}, // none of the well-known ones
	} {
		if got := strings.Join(defaults(&tt.object), ","); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.object.Name, got, tt.want)
		}
	}
}

func cellOf(status counter.Status) *cell { return &cell{status: status} }

func TestAge(t *testing.T) {
	for seconds, want := range map[float64]string{5: "0:05", 65: "1:05", 3600*3 + 427: "3:07:07", 86400*2 + 3600*3 + 420: "2d 03:07"} {
		if got := age(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}

// TestStatus shows the reason for a missing value.
func TestStatus(t *testing.T) {
	s := New(Options{Given: true, Time: clock})
	var m measured
	columns := m.columns(shell)
	columns[1].Status[0] = counter.NoPrevious
	s.Take(begin, columns, nil)
	if got, want := text(s)[2], "_Total             0       no_previous        600 B                    0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSingle shows an object without instances: a row for each counter.
func TestSingle(t *testing.T) {
	s := New(Options{Given: true, Time: clock})
	var readings []winperf.Reading
	for _, r := range []struct {
		name string
		unit counter.Unit
		v    counter.Value
	}{{"Available Bytes", counter.Count, counter.Int(1 << 30)}, {"Pages/sec", counter.PerSecond, counter.Float(2500)}} {
		series := winperf.NewSeries(winperf.Path{Object: "Memory", Counter: r.name})
		series.Unit = r.unit
		readings = append(readings, winperf.Reading{Series: series, Value: r.v})
	}
	s.Take(begin, winperf.ColumnsOf(readings), nil)
	want := []string{"Memory             Value", "Available Bytes  1.0 GiB", "Pages/sec        2.5 k/s"}
	if got := text(s)[1:4]; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}

	press(s, "o")
	s.SetObjects([]Object{{Name: "Memory", Counters: []Counter{
		{Name: "Available Bytes"}, {Name: "Cache Bytes"}, {Name: "Pages/sec", Type: "PERF_COUNTER_COUNTER"}}}})
	press(s, "enter", "end")
	shown := text(s)
	for _, want := range []string{"[x] Available Bytes", "[ ] Cache Bytes", "[x] Pages/sec"} {
		if !slices.ContainsFunc(shown, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(shown, "\n"))
		}
	}
	if !slices.Contains(shown, "(PERF_COUNTER_COUNTER)") {
		t.Errorf("no type in\n%s", strings.Join(shown, "\n"))
	}
}

// TestMouse clicks on a head and on rows.
func TestMouse(t *testing.T) {
	s := shown(shell)
	s.Draw()
	s.Click(12, 1) // ID Process
	if got, want := strings.Join(names(s), ","), "vi,cc,make,bash,init"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.Draw()
	s.Click(45, 4)
	if s.row.name != "make" || s.column != 3 {
		t.Errorf("row %s, column %d", s.row.name, s.column)
	}
	s.Wheel(3)
	if s.row.name != "init" {
		t.Errorf("row %s", s.row.name)
	}
}

// TestMouseTables clicks on the head and on the row of a second table, and below the last row.
func TestMouseTables(t *testing.T) {
	s := New(Options{Given: true, Time: clock})
	var readings []winperf.Reading
	for i, name := range []string{"a", "b"} {
		readings = append(readings, reading(`\First(`+name+`)\C`, counter.Count, float64(i)))
		readings = append(readings, reading(`\Second(`+name+`)\C`, counter.Count, float64(i)))
	}
	s.Take(begin, winperf.ColumnsOf(readings), nil)
	want := []string{"First         C", "a          0.00", "b          1.00", "", "Second        C", "a          0.00"}
	if got := text(s)[1:7]; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}

	s.Click(13, 5) // the head of the second table
	if got := strings.Join(names(s), ","); got != "a,b,b,a" || s.table.object != "First" {
		t.Errorf("%s, the cursor is in %s", got, s.table.object)
	}
	s.Draw()
	s.Click(13, 7)
	s.Click(13, 4)  // between the tables
	s.Click(13, 20) // below
	if s.table.object != "Second" || s.row.name != "a" || s.column != 1 {
		t.Errorf("%s of %s, column %d", s.row.name, s.table.object, s.column)
	}
}

// TestBrowser chooses counters.
func TestBrowser(t *testing.T) {
	s := shown(shell)
	if a := press(s, "o"); a.Kind != Load || a.Text != "" {
		t.Errorf("%+v", a)
	}
	s.SetObjects([]Object{
		{Name: "Memory", Counters: []Counter{{Name: "Available Bytes"}, {Name: "Pages/sec"}}},
		{Name: "Process", Multi: true, Counters: []Counter{
			{Name: "% Processor Time"}, {Name: "ID Process"},
			{Name: "Thread Count", Help: "Number of threads.", Unit: counter.Count, Type: "PERF_COUNTER_RAWCOUNT"},
		}},
		{Name: "Slow", Multi: true, Costly: true},
	})

	press(s, "/", "p", "r", "o", "enter", "enter", "down", "down")
	lines := strings.Join(text(s), "\n")
	for _, want := range []string{
		"[x] % Processor Time", "[x] ID Process", "[ ] Thread Count                          count",
		"Number of threads. (PERF_COUNTER_RAWCOUNT)",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is missing in\n%s", want, lines)
		}
	}

	press(s, "space")
	a := press(s, "enter")
	var paths []string
	for _, p := range a.Paths {
		paths = append(paths, p.String())
	}
	want := `\Process(*)\% Processor Time,\Process(*)\ID Process,\Process(*)\Thread Count,\Process(*)\Creating Process ID`
	if got := strings.Join(paths, ","); a.Kind != Select || got != want {
		t.Errorf("%v %s", a.Kind, got)
	}

	press(s, "o", "G")
	if a := press(s, "enter"); a.Kind != Load || a.Text != "Slow" {
		t.Errorf("%+v", a)
	}
}

// TestFacts shows the command lines of processes: only those of shown rows are read.
func TestFacts(t *testing.T) {
	asked := map[uint64]bool{}
	facts := func(pid uint64) map[string]string {
		asked[pid] = true
		return map[string]string{"Command Line": fmt.Sprintf("run\x1b %d", pid)}
	}
	s := New(Options{Time: clock, Facts: facts, FactNames: []string{"Command Line"}})
	s.Resize(120, 5)
	s.browser.facts = s.opt.FactNames
	var m measured
	s.Take(begin, m.columns(shell), nil)
	if got := text(s)[2]; !strings.HasSuffix(got, `run\x1b 12`) {
		t.Errorf("%q", got)
	}
	if asked[1] || !asked[12] {
		t.Errorf("read are %v", asked)
	}

	s.Resize(120, 24)
	press(s, "d")
	lines := strings.Join(text(s), "\n")
	for _, want := range []string{"Command Line                  run\\x1b 12", "Parent                        make (11)"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is missing in\n%s", want, lines)
		}
	}
}

// TestLogKeys moves in a log; on a live source the same keys do nothing.
func TestLogKeys(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want Action
	}{
		{[]string{"."}, Action{Kind: Step, By: 1}},
		{[]string{","}, Action{Kind: Step, By: -1}},
		{[]string{">"}, Action{Kind: Jump, By: 10}},
		{[]string{"<"}, Action{Kind: Jump, By: -10}},
		{[]string{":", "5", "%", "enter"}, Action{Kind: Seek, Text: "5%"}},
		{[]string{"enter", "."}, Action{Kind: Step, By: 1}}, // also over the history
	} {
		s := shown(shell)
		if a := press(s, tt.keys...); a.Kind != None {
			t.Errorf("%q of a live source: %+v", tt.keys, a)
		}
		s = shown(shell)
		s.opt.Log = true
		if a := press(s, tt.keys...); a.Kind != tt.want.Kind || a.By != tt.want.By || a.Text != tt.want.Text {
			t.Errorf("%q: %+v, want %+v", tt.keys, a, tt.want)
		}
	}
}

func BenchmarkScreen(b *testing.B) {
	var list []process
	for i := range 500 {
		list = append(list, process{fmt.Sprintf("sleep#%d", i), uint64(i + 10), 1, 1 << 20, float64(i % 7)})
	}
	s := New(Options{Time: clock, Summary: true})
	s.Resize(120, 40)
	var m measured
	columns := m.columns(list)
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			s.Take(begin, columns, columns)
		}
	})
	b.Run("draw", func(b *testing.B) {
		for b.Loop() {
			s.Draw()
		}
	})
}

// numbered names the instances of a column as a measurement does: with ids.
type numbered struct {
	counter *winperf.Series
	ids     []uint32
	names   []string
}

func (c *numbered) Counter(int) *winperf.Series { return c.counter }
func (c *numbered) ID(n int) winperf.SeriesID {
	return winperf.SeriesID{Counter: c.counter, Instance: c.ids[n]}
}
func (c *numbered) Series(int) *winperf.Series   { return nil }
func (c *numbered) AllSeries() []*winperf.Series { return nil }
func (c *numbered) Kind(int) counter.Kind        { return counter.KindFloat }
func (c *numbered) Text(int) string              { return "" }
func (c *numbered) Describe(s *winperf.Series, n int) {
	s.Path.Instance, s.Path.Index = c.names[n], 0
	if name, index, is := strings.Cut(c.names[n], "#"); is {
		s.Path.Instance, s.Path.Index = name, int(index[0]-'0')
	}
}

// TestNumbers ends an instance, so that the number in the name of a later one changes. The later one keeps
// its history.
func TestNumbers(t *testing.T) {
	path := winperf.Path{Object: "O", Instance: "*", HasInstance: true, Counter: "C"}
	counters := []*winperf.Series{winperf.NewSeries(path), winperf.NewSeries(path)}
	counters[1].Path.Counter = "D"
	s := New(Options{Given: true, Time: clock})
	take := func(ids []uint32, names ...string) {
		var columns []winperf.Column
		for _, c := range counters {
			col := winperf.Column{Kind: counter.KindInt, Names: &numbered{c, ids, names}}
			for _, id := range ids {
				col.Bits, col.Status = append(col.Bits, uint64(id)), append(col.Status, counter.OK)
			}
			columns = append(columns, col)
		}
		s.Take(begin, columns, nil)
	}

	take([]uint32{0, 2, 3}, "a", "b", "b#1")
	take([]uint32{0, 2, 3}, "a", "b", "b#1")
	take([]uint32{0, 3, 4}, "a", "b", "c")
	for i, want := range []string{"a 0 0 3", "b 3 3 3", "c 4 4 1"} {
		r := s.tables[0].rows[i]
		got := fmt.Sprintf("%s %v %v %d", r.name, r.number(0), r.number(1), len(r.cells[1].past))
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
