package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

const processHead = "object 230 time=133500000000000000 freq=10000000\n counter 28 PERF_COUNTER_COUNTER\n" +
	" counter 684 PERF_ELAPSED_TIME\n counter 784 PERF_COUNTER_RAWCOUNT\n"

var processNames = map[uint32]string{230: "Process", 28: "Page Faults/sec", 684: "Elapsed Time", 784: "ID Process"}

// TestUnwrap follows counts of 4 bytes: over 2^32, from place to place, and to others that
// are where they were.
func TestUnwrap(t *testing.T) {
	const a, b, total = ` instance "a" : %d 133400000000000000 8` + "\n", ` instance "b" : %d 133400000000000001 12` + "\n",
		` instance "_Total" : %d 133500000000000000 0` + "\n"
	fs := frames(t,
		at0+processHead+fmt.Sprintf(a+b+total, int64(4294967290), 100, int64(4294967290)),
		at0+processHead+fmt.Sprintf(a+b+total, 10, 200, 210),                                         // a wraps, and so does the total: that is not known
		at0+processHead+fmt.Sprintf(b+a+total, 300, int64(4294967295), 50),                           // they change places
		at0+processHead+fmt.Sprintf(b+a+total, 20, 20, 40),                                           // a wraps again, b falls: the same process, which is held
		at0+processHead+fmt.Sprintf(strings.Replace(b, "0001 12", "0002 12", 1)+a+total, 50, 30, 80), // another b with its process id
		at0+processHead+fmt.Sprintf(a+total, 31, 31),
	)
	m, n := NewMapper(Options{Totals: true}), names(t, processNames)
	var got [][]string
	for _, f := range fs {
		got = append(got, lines(mapped(t, m, f, n), "winperf_process_page_faults_total"))
	}
	line := func(name, pid string, v int64) string {
		if pid != "" {
			pid = fmt.Sprintf(",pid=%q", pid)
		}
		return fmt.Sprintf("winperf_process_page_faults_total{name=%q%s} %d", name, pid, v)
	}
	want := [][]string{
		{line("a", "8", int64(4294967290)), line("b", "12", 100), line("_Total", "", int64(4294967290))},
		{line("a", "8", 1<<32+10), line("b", "12", 200), line("_Total", "", 210)},
		{line("b", "12", 300), line("a", "8", 1<<32+4294967295), line("_Total", "", 50)},
		{line("b", "12", 300), line("a", "8", 2<<32+20), line("_Total", "", 40)},
		{line("b", "12", 50), line("a", "8", 2<<32+30), line("_Total", "", 80)},
		{line("a", "8", 2<<32+31), line("_Total", "", 31)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestUnwrapBeside follows counts of a part that is sampled independently, as long as
// there is nothing newer and only names change.
func TestUnwrapBeside(t *testing.T) {
	const sys = "object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n values : 1\n"
	const a, b = ` instance "a" : %d 133400000000000000 8` + "\n", ` instance "b" : %d 133400000000000001 12` + "\n"
	fs := frames(t, at0+sys, at0+processHead+fmt.Sprintf(a+b, int64(4294967295), 7), at1+processHead+fmt.Sprintf(b+a, 8, 1))
	var before frame.Frame
	m, n := NewMapper(Options{}), names(t, processNames)
	var got []string
	for i, beside := range []frame.Frame{fs[1], fs[2], fs[2], fs[2]} {
		f := decodedSample(t, &winperf.Sample{Parts: []winperf.Part{
			{Block: blockOf(frames(t, at0+sys)[0])}, {Block: blockOf(beside), Independent: true},
		}}, before)
		if before = f; i == 2 {
			n = names(t, processNames)
		}
		got = lines(mapped(t, m, f, n), "winperf_process_page_faults_total")
	}
	want := []string{
		`winperf_process_page_faults_total{name="b",pid="12"} 8`, `winperf_process_page_faults_total{name="a",pid="8"} 4294967297`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestUnwrapMissing follows a count that one sample lacks.
func TestUnwrapMissing(t *testing.T) {
	const text = "object 1000 missing=auto\n counter 1002 PERF_COUNTER_COUNTER\n instance \"x\" : %s\n"
	m, n := NewMapper(Options{}), names(t, map[uint32]string{1000: "Thing", 1002: "Events/sec"})
	want := [][]string{
		{`winperf_thing_events_total{name="x"} 4294967295`}, {`winperf_thing_events_total{name="x"} 4294967301`},
		nil, {`winperf_thing_events_total{name="x"} 4294967302`},
	}
	values := []string{"4294967295", "5", "?9", "6"}
	var texts []string
	for _, v := range values {
		texts = append(texts, at0+fmt.Sprintf(text, v))
	}
	for i, f := range frames(t, texts...) {
		wantLines(t, mapped(t, m, f, n), want[i]...)
	}
}
