package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

var onceNames = map[uint32]string{
	2: "System", 4: "Memory", 24: "Available Bytes", 1380: "Available KBytes", 1382: "Available MBytes",
	230: "Process", 232: "Thread", 784: "ID Process", 804: "ID Thread", 28: "Page Faults/sec", 146: "Context Switches/sec",
	248: "Processes", 250: "Threads", 260: "Objects", 252: "Events",
}

// Parts of a sample in which each value appears several times. The kilobytes and megabytes differ from the bytes so
// that a value shows its counter.
const (
	onceMemory = "object 4 form=single\n" + onceBytes + onceKB + onceMB + " values : 3000000 2929 2\n"
	onceBytes  = " counter 24 PERF_COUNTER_LARGE_RAWCOUNT\n"
	onceKB     = " counter 1380 PERF_COUNTER_LARGE_RAWCOUNT\n"
	onceMB     = " counter 1382 PERF_COUNTER_LARGE_RAWCOUNT\n"

	onceProcess = "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 28 PERF_COUNTER_COUNTER\n instance \"a\" : 8 5\n"
	onceThread  = "object 232\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 804 PERF_COUNTER_RAWCOUNT\n" +
		" counter 146 PERF_COUNTER_COUNTER\n instance \"0\" parent=230 position=0 : 8 9 6\n"

	onceSystem  = "object 2 form=single\n counter 248 PERF_COUNTER_RAWCOUNT\n counter 250 PERF_COUNTER_RAWCOUNT\n values : 3 40\n"
	onceObjects = "object 260 form=single\n counter 248 PERF_COUNTER_RAWCOUNT\n counter 250 PERF_COUNTER_RAWCOUNT\n" +
		" counter 252 PERF_COUNTER_RAWCOUNT\n values : 3 40 7\n"
)

// TestOneSeries shows that each value of a sample is one series, and that paths still get answers.
func TestOneSeries(t *testing.T) {
	const faults, switches = `winperf_process_page_faults_total{name="a",pid="8"} 5`,
		`winperf_thread_context_switches_total{parent="a",pid="8",tid="9"} 6`
	for name, tt := range map[string]struct {
		text  string
		paths []string
		want  []string
	}{
		"the bytes":          {onceMemory, nil, []string{`winperf_memory_available_bytes{} 3000000`}},
		"in any order":       {"object 4 form=single\n" + onceMB + onceKB + onceBytes + " values : 2 2929 3000000\n", nil, []string{`winperf_memory_available_bytes{} 3000000`}},
		"without bytes":      {"object 4 form=single\n" + onceMB + onceKB + " values : 2 2929\n", nil, []string{`winperf_memory_available_bytes{} 2999296`}},
		"only megabytes":     {"object 4 form=single\n" + onceMB + " values : 2\n", nil, []string{`winperf_memory_available_bytes{} 2097152`}},
		"named megabytes":    {onceMemory, []string{`\Memory\Available MBytes`}, []string{`winperf_memory_available_bytes{} 2097152`}},
		"the best named":     {onceMemory, []string{`\Memory\Available MBytes`, `\Memory\Available KBytes`}, []string{`winperf_memory_available_bytes{} 2999296`}},
		"all by a pattern":   {onceMemory, []string{`\Memory\*`}, []string{`winperf_memory_available_bytes{} 3000000`}},
		"ids":                {onceProcess + onceThread, nil, []string{faults, switches}},
		"ids by a pattern":   {onceProcess + onceThread, []string{`\Process(*)\*`}, []string{faults}},
		"a named id":         {onceProcess + onceThread, []string{`\Process(*)\ID Process`}, []string{`winperf_process_id_process{name="a",pid="8"} 8`}},
		"a named thread id":  {onceProcess + onceThread, []string{`\Thread(*)\ID Thread`}, []string{`winperf_thread_id_thread{parent="a",pid="8",tid="9"} 9`}},
		"Objects and System": {onceObjects + onceSystem, nil, []string{`winperf_objects_events{} 7`, `winperf_system_processes{} 3`, `winperf_system_threads{} 40`}},
		"Objects alone":      {onceObjects, nil, []string{`winperf_objects_events{} 7`, `winperf_objects_processes{} 3`, `winperf_objects_threads{} 40`}},
		"Objects selected":   {onceObjects + onceSystem, []string{`\Objects\*`}, []string{`winperf_objects_events{} 7`, `winperf_objects_processes{} 3`, `winperf_objects_threads{} 40`}},
		"a named repetition": {onceObjects + onceSystem, []string{`\Objects\Threads`, `\System\*`}, []string{`winperf_objects_threads{} 40`, `winperf_system_processes{} 3`, `winperf_system_threads{} 40`}},
	} {
		var sel winperf.Selection
		for _, text := range tt.paths {
			p, err := winperf.ParsePath(text)
			if err != nil {
				t.Fatal(err)
			}
			sel.Paths = append(sel.Paths, p)
		}
		set := mapped(t, NewMapper(Options{Select: sel}), frames(t, at0+tt.text)[0], names(t, onceNames))
		check(t, set)
		got := lines(set)
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestOneDisplayedSeries shows the same for displayed values: a column is omitted if a finer one has all of its rows.
func TestOneDisplayedSeries(t *testing.T) {
	at := winperf.FromFiletime(133500000000000000)
	for name, tt := range map[string]struct{ paths, want []string }{
		"all units": {[]string{`\\H\Memory\Available MBytes`, `\\H\Memory\Available Bytes`, `\\H\Memory\Available KBytes`},
			[]string{`winperf_memory_available_bytes{} 2`}},
		"one unit": {[]string{`\\H\Memory\Available MBytes`}, []string{`winperf_memory_available_bytes{} 1048576`}},
		"a row that only the coarser has": {[]string{`\\H\Thing(a)\Free KB`, `\\H\Thing(a)\Free MB`, `\\H\Thing(b)\Free MB`}, []string{
			`winperf_thing_free_bytes{name="a"} 1024`, `winperf_thing_free_mbytes_bytes{name="a"} 2097152`,
			`winperf_thing_free_mbytes_bytes{name="b"} 3145728`}},
	} {
		var values []any
		for i := range tt.paths {
			values = append(values, i+1)
		}
		set := mapDisplayed(t, NewMapper(Options{}), at, read(t, at, seriesOf(t, tt.paths...), values...))
		check(t, set)
		if got := strings.Join(lines(set), "\n"); got != strings.Join(tt.want, "\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
