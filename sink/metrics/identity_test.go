package metrics

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// lines are the values of a Set, a line each.
func lines(set *Set, families ...string) []string {
	var all []string
	for _, f := range set.Families {
		if len(families) > 0 && !slices.Contains(families, f.Name) {
			continue
		}
		for _, c := range f.Columns {
			for i := range c.Bits {
				if !c.Has(i) {
					continue
				}
				var ls []string
				for _, l := range slices.Concat(c.Rows.Labels(i), c.Extra) {
					ls = append(ls, fmt.Sprintf("%s=%q", l.Name, l.Value))
				}
				text := number(c.Form, c.Bits[i]).Text('g', 18)
				if c.Form == Whole {
					text = fmt.Sprint(c.Bits[i])
				}
				all = append(all, fmt.Sprintf("%s%s{%s} %s", f.Name, c.Suffix, strings.Join(ls, ","), text))
			}
		}
	}
	return all
}

func wantLines(t *testing.T, set *Set, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lines(set)); diff != "" {
		t.Error(diff)
	}
}

// TestCreated shows what is known about the beginning of instances.
func TestCreated(t *testing.T) {
	const counters = "\n counter 684 PERF_ELAPSED_TIME\n"
	for _, tt := range []struct {
		name, object string
		want         []int64 // FILETIMEs, 0 is not known
	}{
		{"by the system's clock", "time=133500000000000000 freq=10000000" + counters +
			` instance "a" : 133400000000000000` + "\n" + ` instance "none" : 0` + "\n" + ` instance "_Total" : 133400000000000000` + "\n",
			[]int64{133400000000000000, 0, 0}},
		{"by a clock of its own", "time=500 freq=100" + counters + ` instance "a" : 200` + "\n" + ` instance "later" : 501` + "\n",
			[]int64{133500000000000000 - 30_000_000, 0}},
		{"by a clock of its own that is as fast as the system's", "time=50000000 freq=10000000" + counters + ` instance "a" : 20000000` + "\n",
			[]int64{133500000000000000 - 30_000_000}},
		{"by a clock without frequency", "time=50000000" + counters + ` instance "a" : 20000000` + "\n", []int64{0}},
		{"before there was a system's clock", "time=9000000000000000000 freq=1" + counters + ` instance "a" : 1` + "\n", []int64{0}},
	} {
		rows := rowsOf(mapped(t, NewMapper(Options{Totals: true}), frames(t, at0+"object 230 "+tt.object)[0], names(t, processNames)))
		for i, want := range tt.want {
			at, ok := rows.Created(i)
			if ok != (want != 0) || ok && winperf.ToFiletime(at) != want {
				t.Errorf("%s: row %d: %v, %v", tt.name, i, at, ok)
			}
		}
	}
}

// TestMapAgain maps one frame twice: nothing is new, and nothing wraps.
func TestMapAgain(t *testing.T) {
	fs := frames(t, at0+processHead+` instance "a" : 4294967290 133400000000000000 8`, at1+processHead+` instance "a" : 10 133400000000000000 8`)
	m, n := NewMapper(Options{}), names(t, processNames)
	mapped(t, m, fs[0], n)
	first := lines(mapped(t, m, fs[1], n))
	if diff := cmp.Diff(first, lines(mapped(t, m, fs[1], n))); diff != "" {
		t.Error(diff)
	}
}

// rowsOf returns the rows of the first column.
func rowsOf(set *Set) *Rows { return set.Families[0].Columns[0].Rows }

// TestRowsStay shows when rows are the same: as long as they stand for the same instances.
func TestRowsStay(t *testing.T) {
	const head = processHead
	a, b := ` instance "a" : 1 133400000000000000 8`+"\n", ` instance "a" : 2 133400000000000001 9`+"\n"
	other := ` instance "a" : 1 133400000000000009 88` + "\n" // the same name and place
	fs := frames(t, at0+head+a+b, at1+head+a+b, at0+head+a+other, at1+head+other+a, at1+head+other+a, at1+head+other)
	m, n := NewMapper(Options{}), names(t, processNames)
	var last *Rows
	var same []bool
	var pids []string
	var created []int64
	for _, f := range fs {
		rows := rowsOf(mapped(t, m, f, n))
		same, last = append(same, rows == last), rows
		text := ""
		for i := range rows.Len() {
			at, _ := rows.Created(i)
			created = append(created, winperf.ToFiletime(at)%100)
			text += fmt.Sprint(rows.Labels(i))
		}
		pids = append(pids, text)
	}
	if diff := cmp.Diff([]bool{false, true, false, false, true, false}, same); diff != "" {
		t.Errorf("same rows: %s", diff)
	}
	const first, second, third = "[{name a} {pid 8}]", "[{name a} {pid 9}]", "[{name a} {pid 88}]"
	if diff := cmp.Diff([]string{first + second, first + second, first + third, third + first, third + first, third}, pids); diff != "" {
		t.Errorf("labels: %s", diff)
	}
	if diff := cmp.Diff([]int64{0, 1, 0, 1, 0, 9, 9, 0, 9, 0, 9}, created); diff != "" {
		t.Errorf("created: %s", diff)
	}
}

// TestNamesOfSchema maps frames without names: those of their schema are read once.
func TestNamesOfSchema(t *testing.T) {
	const text = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n instance \"x\" : 1\n"
	fs := frames(t, at0+text, at1+text)
	m := NewMapper(Options{})
	rows := rowsOf(mapped(t, m, fs[0], nil))
	if rowsOf(mapped(t, m, fs[1], nil)) != rows {
		t.Error("names were read again")
	}
	wantLines(t, mapped(t, m, fs[1], nil), `winperf_number_1000_number_1002_total{name="x"} 1`)
}

// TestRowsChange shows a process under another name, and another thing under the same.
func TestRowsChange(t *testing.T) {
	fs := frames(t, at0+processHead+` instance "a" : 1 133400000000000000 8`, at1+processHead+` instance "b" : 2 133400000000000000 8`)
	m, n := NewMapper(Options{}), names(t, processNames)
	mapped(t, m, fs[0], n)
	if ls := rowsOf(mapped(t, m, fs[1], n)).Labels(0); fmt.Sprint(ls) != "[{name b} {pid 8}]" {
		t.Errorf("labels %v of the process under another name", ls)
	}

	const head = "object 1000 time=133500000000000000 freq=10000000\n counter 684 PERF_ELAPSED_TIME\n"
	fs = frames(t, at0+head+` instance "a" : 133400000000000000`, at1+head+` instance "a" : 133400000000000070`)
	m = NewMapper(Options{})
	mapped(t, m, fs[0], n)
	if at, _ := rowsOf(mapped(t, m, fs[1], n)).Created(0); winperf.ToFiletime(at) != 133400000000000070 {
		t.Errorf("the second began at %v", at)
	}
}

// TestProcessIDWithoutStart shows a process id in labels where nothing tells when the
// process began: what has another id is another one, under the same name too.
func TestProcessIDWithoutStart(t *testing.T) {
	const head = "object 230\n counter 28 PERF_COUNTER_BULK_COUNT\n counter 784 PERF_COUNTER_RAWCOUNT\n"
	fs := frames(t, at0+head+` instance "a" : 1 8`, at1+head+` instance "a" : 2 9`)
	m, n := NewMapper(Options{}), names(t, processNames)
	mapped(t, m, fs[0], n)
	wantLines(t, mapped(t, m, fs[1], n), `winperf_process_page_faults_total{name="a",pid="9"} 2`)
}

// TestRepeatedNames shows instances that nothing but their number tells apart.
func TestRepeatedNames(t *testing.T) {
	const head = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	fs := frames(t,
		at0+head+` instance "x" : 1`+"\n"+` instance "y" : 2`+"\n"+` instance "x" : 3`+"\n"+` instance "" : 4`+"\n",
		at1+head+` instance "y" : 2`+"\n"+` instance "x" : 3`+"\n"+` instance "" : 5`+"\n")
	m, n := NewMapper(Options{}), names(t, map[uint32]string{1000: "Thing", 1002: "Events/sec"})
	wantLines(t, mapped(t, m, fs[0], n),
		`winperf_thing_events_total{name="x"} 1`, `winperf_thing_events_total{name="y"} 2`,
		`winperf_thing_events_total{index="1",name="x"} 3`, `winperf_thing_events_total{} 4`)
	wantLines(t, mapped(t, m, fs[1], n),
		`winperf_thing_events_total{name="y"} 2`, `winperf_thing_events_total{name="x"} 3`, `winperf_thing_events_total{} 5`)
}

// TestObjectMoves shows an object that is elsewhere in the next sample, and one that
// is gone for a while.
func TestObjectMoves(t *testing.T) {
	one := "object 1000\n counter 1002 PERF_COUNTER_COUNTER\n" + ` instance "x" : %d` + "\n"
	two := "object 1100\n counter 1102 PERF_COUNTER_COUNTER\n" + ` instance "x" : %d` + "\n"
	fs := frames(t, at0+fmt.Sprintf(one+two, int64(4294967295), 1), at1+fmt.Sprintf(two+one, 2, 5), at1+fmt.Sprintf(two, 3), at1+fmt.Sprintf(one+two, 6, 4))
	m, n := NewMapper(Options{}), names(t, map[uint32]string{1000: "One", 1002: "Events/sec", 1100: "Two", 1102: "Events/sec"})
	want := [][]string{
		{`winperf_one_events_total{name="x"} 4294967295`, `winperf_two_events_total{name="x"} 1`},
		{`winperf_two_events_total{name="x"} 2`, `winperf_one_events_total{name="x"} 4294967301`},
		{`winperf_two_events_total{name="x"} 3`},
		{`winperf_one_events_total{name="x"} 4294967302`, `winperf_two_events_total{name="x"} 4`},
	}
	for i, f := range fs {
		wantLines(t, mapped(t, m, f, n), want[i]...)
	}
}

// TestObjectIsBack shows an object that some samples lack, as they do when a provider is
// late: instances are matched with those that were there last.
func TestObjectIsBack(t *testing.T) {
	const sys = "object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : 1\n"
	at := func(head, instances string) string {
		if instances == "" {
			return head + sys
		}
		return head + sys + processHead + instances
	}
	const a, b = ` instance "a" : %d 133400000000000000 8` + "\n", ` instance "b" : %d 133400000000000001 12` + "\n"
	fs := frames(t,
		at(at0, fmt.Sprintf(a+b, int64(4294967290), 7)), at(at1, fmt.Sprintf(a+b, 10, 8)), at(at0, ""), at(at1, ""),
		at(at0, fmt.Sprintf(b+a, 9, 20)), at(at1, fmt.Sprintf(b+a, 10, 21)),
		at(at0, ""), strings.Split(at1, "\n")[0]+"\n", at(at0, fmt.Sprintf(b+a, 11, 22)))
	m := NewMapper(Options{})
	n := names(t, map[uint32]string{230: "Process", 28: "Page Faults/sec", 684: "Elapsed Time", 784: "ID Process", 2: "System", 44: "Threads"})
	var got [][]string
	for _, f := range fs {
		got = append(got, lines(mapped(t, m, f, n), "winperf_process_page_faults_total"))
	}
	line := func(name string, v int64) string {
		return fmt.Sprintf("winperf_process_page_faults_total{name=%q,pid=%q} %d", name, map[string]string{"a": "8", "b": "12"}[name], v)
	}
	want := [][]string{
		{line("a", int64(4294967290)), line("b", 7)}, {line("a", 1<<32+10), line("b", 8)}, nil, nil,
		{line("b", 9), line("a", 1<<32+20)}, {line("b", 10), line("a", 1<<32+21)}, nil, nil,
		{line("b", 11), line("a", 22)}, // another object left meanwhile: that is too long ago
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(m.removed.objects) > 0 || !m.removed.last.IsZero() {
		t.Error("a frame is held")
	}
}

// TestObjectIsGone shows that an object that does not come back is forgotten, and its frame
// with it.
func TestObjectIsGone(t *testing.T) {
	fs := frames(t, at0+processHead+` instance "a" : 1 133400000000000000 8`, at1)
	m, n := NewMapper(Options{}), names(t, processNames)
	mapped(t, m, fs[0], n)
	for i := range keepRemoved + 1 {
		mapped(t, m, fs[1], n)
		if held, want := !m.removed.last.IsZero(), i < keepRemoved; held != want {
			t.Fatalf("after %d samples: a frame is held: %v, want %v", i+1, held, want)
		}
	}
}

// TestHealed shows a fraction whose base one sample cuts off, and an object that gets a
// counter that can be shown.
func TestHealed(t *testing.T) {
	n := names(t, map[uint32]string{1000: "Thing", 1002: "% Used", 1004: "Base", 1006: "Size"})
	fs := frames(t,
		at0+"object 1000\n counter 1002 PERF_RAW_FRACTION\n counter 1004 PERF_RAW_BASE\n instance \"x\" size=8 : 1 -\n",
		at1+"object 1000\n counter 1002 PERF_RAW_FRACTION\n counter 1004 PERF_RAW_BASE\n instance \"x\" : 1 2\n")
	m := NewMapper(Options{})
	wantLines(t, mapped(t, m, fs[0], n))
	wantLines(t, mapped(t, m, fs[1], n), `winperf_thing_used_numerator{name="x"} 1`, `winperf_thing_used_denominator{name="x"} 2`)

	fs = frames(t, at0+"object 1000\n counter 1002 0x12345678 size=4\n instance \"x\" : 1\n",
		at1+"object 1000\n counter 1002 0x12345678 size=4\n counter 1006 PERF_COUNTER_RAWCOUNT\n instance \"x\" : 1 2\n")
	m = NewMapper(Options{})
	wantLines(t, mapped(t, m, fs[0], n))
	wantLines(t, mapped(t, m, fs[1], n), `winperf_thing_size{name="x"} 2`)
}

// TestMachines shows a log of two machines.
func TestMachines(t *testing.T) {
	const text = "object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : %d\n"
	a := frames(t, at0+fmt.Sprintf(text, 1))[0]
	b := frames(t, strings.Replace(at0, "HOST", "OTHER", 1)+fmt.Sprintf(text, 2))[0]
	both := joined(t, a, b)
	m, n := NewMapper(Options{}), names(t, map[uint32]string{2: "System", 44: "Threads"})
	wantLines(t, mapped(t, m, a, n), `winperf_system_threads{} 1`)
	wantLines(t, mapped(t, m, both, n), `winperf_system_threads{machine="HOST"} 1`, `winperf_system_threads{machine="OTHER"} 2`)
	wantLines(t, mapped(t, m, a, n), `winperf_system_threads{machine="HOST"} 1`)
	if n := len(mapped(t, m, both, n).Families); n != 1 {
		t.Errorf("%d families, want one", n)
	}

	// The same name, and another type.
	average := frames(t, strings.Replace(at0, "HOST", "OTHER", 1)+
		"object 2 form=single\n counter 44 PERF_AVERAGE_BULK\n counter 46 PERF_AVERAGE_BASE\n values : 3 4\n")[0]
	wantLines(t, mapped(t, NewMapper(Options{}), joined(t, a, average), n), `winperf_system_threads{machine="HOST"} 1`,
		`winperf_system_threads_2_sum{machine="OTHER"} 3`, `winperf_system_threads_2_count{machine="OTHER"} 4`)
}

// TestApart shows objects of another time than their sample.
func TestApart(t *testing.T) {
	const text = "object %d form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : 1\n"
	now := frames(t, at1+fmt.Sprintf(text, 2))[0]
	near := frames(t, strings.Replace(at1, "0010000000", "0009000000", 1)+fmt.Sprintf(text, 4))[0]
	old := frames(t, at0+fmt.Sprintf(text, 6))[0]
	set := mapped(t, NewMapper(Options{}), joined(t, now, near, old), names(t, map[uint32]string{2: "A", 4: "B", 6: "C", 44: "Threads"}))
	for i, want := range []time.Time{{}, {}, winperf.FromFiletime(133500000000000000)} {
		if got := set.Families[i].Columns[0].Time; !got.Equal(want) {
			t.Errorf("%s is of %v, want %v", set.Families[i].Name, got, want)
		}
	}
}

// TestEmptyFrames shows what there is no Set of.
func TestEmptyFrames(t *testing.T) {
	m := NewMapper(Options{})
	f := frames(t, at0+"object 2 form=metadata-single\n counter 44 PERF_COUNTER_RAWCOUNT\n")[0]
	if set := mapped(t, m, f, nil); len(set.Families) > 0 {
		t.Errorf("%v of definitions without values", lines(set))
	}

	var pool frame.Pool
	var all []frame.Frame
	for range 3 {
		f, err := pool.Decode(&winperf.Sample{}, frame.Frame{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	if _, err := m.Map(all[0], nil); !errors.Is(err, winperf.ErrState) {
		t.Errorf("a frame whose memory a later sample uses: %v", err)
	}
}
