package metrics

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

// TestSelect shows what paths, objects and what is excluded leave of a sample.
func TestSelect(t *testing.T) {
	const text = at0 + "object 238\n counter 6 PERF_COUNTER_BULK_COUNT\n counter 148 PERF_RAW_FRACTION\n counter 150 PERF_RAW_BASE\n" +
		" instance \"0\" : 1 2 3\n instance \"1\" : 4 5 6\n instance \"_Total\" : 7 8 9\n" +
		"object 2 form=single\n counter 44 PERF_COUNTER_RAWCOUNT\n counter 46 PERF_COUNTER_RAWCOUNT\n values : 10 11\n"
	n := names(t, map[uint32]string{238: "Processor", 6: "Interrupts/sec", 148: "% Busy", 150: "Busy Base", 2: "System", 44: "Queue", 46: "Threads"})
	paths := func(texts ...string) (all []winperf.Path) {
		for _, text := range texts {
			p, err := winperf.ParsePath(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		return all
	}
	selection := func(texts ...string) winperf.Selection { return winperf.Selection{Paths: paths(texts...)} }

	const (
		interrupts0, interrupts1, interruptsT = `processor_interrupts_total{name="0"} 1`, `processor_interrupts_total{name="1"} 4`, `processor_interrupts_total{name="_Total"} 7`
		busy0, busy1, busyT                   = `processor_busy_numerator{name="0"} 2`, `processor_busy_numerator{name="1"} 5`, `processor_busy_numerator{name="_Total"} 8`
		of0, of1, ofT                         = `processor_busy_denominator{name="0"} 3`, `processor_busy_denominator{name="1"} 6`, `processor_busy_denominator{name="_Total"} 9`
		queue, threads                        = `system_queue{} 10`, `system_threads{} 11`
	)
	for _, tt := range []struct {
		name string
		opt  Options
		want string
	}{
		{"all", Options{}, strings.Join([]string{interrupts0, interrupts1, busy0, busy1, of0, of1, queue, threads}, "\n")},
		{"totals", Options{Totals: true}, strings.Join([]string{interrupts0, interrupts1, interruptsT, busy0, busy1, busyT, of0, of1, ofT, queue, threads}, "\n")},
		{"a counter of all instances", Options{Select: selection(`\Processor(*)\Interrupts/sec`)}, interrupts0 + "\n" + interrupts1},
		{"one instance of each counter", Options{Select: selection(`\Processor(0)\Interrupts/sec`, `\Processor(1)\% Busy`, `\System\Threads`)},
			strings.Join([]string{interrupts0, busy1, of1, threads}, "\n")},
		{"a total by its name", Options{Select: selection(`\Processor(_total)\% Busy`, `\Processor(1)\% Busy`)}, strings.Join([]string{busy1, busyT, of1, ofT}, "\n")},
		{"a total and the rest", Options{Select: selection(`\Processor(_Total)\*`, `\Processor(*)\Interrupts/sec`)},
			strings.Join([]string{interrupts0, interrupts1, interruptsT, busyT, ofT}, "\n")},
		{"a total by a pattern", Options{Select: selection(`\Processor(_*)\Interrupts/sec`)}, ""},
		{"an object", Options{Select: winperf.Selection{Objects: []winperf.ObjectID{{Index: 2}}}}, queue + "\n" + threads},
		{"a class", Options{Select: winperf.Selection{Global: true}, Exclude: paths(`\Processor(*)\*`)}, queue + "\n" + threads},
		{"the other class", Options{Select: winperf.Selection{Costly: true}}, ""},
		{"without one instance", Options{Exclude: paths(`\Processor(0)\% Busy`, `\System\Queue`)}, strings.Join([]string{interrupts0, interrupts1, busy1, of1, threads}, "\n")},
		{"without one in the middle", Options{Totals: true, Exclude: paths(`\Processor(1)\*`)},
			strings.Join([]string{interrupts0, interruptsT, busy0, busyT, of0, ofT, queue, threads}, "\n")},
		{"instances of what has none", Options{Select: selection(`\System(0)\Queue`, `\System(*)\Threads`)}, threads},
		{"no instance of what has some", Options{Select: selection(`\Processor\Interrupts/sec`, `\System\Queue`)}, queue},
		{"another machine", Options{Select: selection(`\\OTHER\Processor(*)\*`)}, ""},
		{"this machine", Options{Select: selection(`\\host\System\Queue`)}, queue},
		{"by title index", Options{Select: selection(`\#2\#46`)}, threads},
		{"all of nothing", Options{Exclude: paths(`\*(*)\*`)}, ""},
	} {
		m := NewMapper(tt.opt)
		fs := frames(t, text, text)
		for _, f := range fs { // the second finds everything as it was
			got := strings.Join(lines(mapped(t, m, f, n)), "\n")
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(got, "winperf_", "")); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
	}
}

// TestOwnSpecial shows texts, missing values, SQL Server's instances, numbers of components
// that are behind a value, and processes whose names hold their ids.
func TestOwnSpecial(t *testing.T) {
	n := names(t, map[uint32]string{
		10: "Thing", 12: "Version", 14: "Size (KB)", 16: "Wait Time (ms)", 18: "% Load", 20: "Base", 22: "Double",
		30: "MSSQL$PROD:Locks", 32: "Deadlocks/sec", 40: "Process V2", 42: "Process ID", 50: "Temperature", 52: "% Used", 54: "Load in Hundredths",
		60: "SQLServer:Locks", 62: "thing!",
	})
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a text", "object 10\n counter 12 PERF_COUNTER_TEXT size=16\n instance \"x\" : \"1.2\"\n",
			[]string{`winperf_thing_version_info{name="x",text="1.2"} 1`}},
		{"a text without instances", "object 10 form=single\n counter 12 PERF_COUNTER_TEXT size=16\n values : \"1.2\"\n",
			[]string{`winperf_thing_version_info{text="1.2"} 1`}},
		{"missing values", "object 10 missing=auto\n counter 32 PERF_COUNTER_COUNTER\n counter 14 PERF_COUNTER_RAWCOUNT\n instance \"x\" : ?1 3\n instance \"y\" : 2 ?4\n",
			[]string{`winperf_thing_deadlocks_total{name="y"} 2`, `winperf_thing_size_bytes{name="x"} 3072`}},
		{"base units", "object 10\n counter 14 PERF_COUNTER_RAWCOUNT\n counter 16 PERF_COUNTER_RAWCOUNT\n counter 54 PERF_COUNTER_RAWCOUNT\n counter 52 PERF_COUNTER_RAWCOUNT\n instance \"x\" : 3 1500 150 50\n",
			[]string{`winperf_thing_size_bytes{name="x"} 3072`, `winperf_thing_wait_time_seconds{name="x"} 1.5`,
				`winperf_thing_load{name="x"} 1.5`, `winperf_thing_used_ratio{name="x"} 0.5`}},
		{"more than fits into 64 bits", "object 10\n counter 14 PERF_COUNTER_LARGE_RAWCOUNT\n instance \"x\" : 0x8000000000000000\n",
			[]string{`winperf_thing_size_bytes{name="x"} 9.44473296573929043e+21`}},
		{"components behind the value", "object 10\n counter 18 PERF_COUNTER_MULTI_TIMER\n counter 14 PERF_COUNTER_RAWCOUNT offset=20\n instance \"x\" : 7159090 1\n bytes 16 04000000\n",
			[]string{`winperf_thing_load_seconds_total{name="x"} 2`, `winperf_thing_load_components{name="x"} 4`, `winperf_thing_size_bytes{name="x"} 1024`}},
		{"an instance of SQL Server", "object 30\n counter 32 PERF_COUNTER_BULK_COUNT\n instance \"Page\" : 5\n",
			[]string{`winperf_sqlserver_locks_deadlocks_total{name="Page",sql_instance="PROD"} 5`}},
		{"an instance of SQL Server without instances", "object 30 form=single\n counter 32 PERF_COUNTER_BULK_COUNT\n values : 5\n",
			[]string{`winperf_sqlserver_locks_deadlocks_total{sql_instance="PROD"} 5`}},
		{"two instances of SQL Server", "object 30 form=single\n counter 32 PERF_COUNTER_BULK_COUNT\n values : 5\n" +
			"object 60 form=single\n counter 32 PERF_COUNTER_BULK_COUNT\n values : 6\n",
			[]string{`winperf_sqlserver_locks_deadlocks_total{sql_instance="PROD"} 5`,
				`winperf_sqlserver_locks_deadlocks_total{sql_instance="MSSQLSERVER"} 6`}},
		{"two objects of one name", "object 10 form=single\n counter 12 PERF_COUNTER_BULK_COUNT\n values : 5\n" +
			"object 62 form=single\n counter 12 PERF_COUNTER_BULK_COUNT\n values : 6\n",
			[]string{`winperf_thing_version_total{} 5`, `winperf_thing_version_2_total{} 6`}},
		{"names with process ids", "object 40\n counter 42 PERF_COUNTER_RAWCOUNT\n counter 32 PERF_COUNTER_BULK_COUNT\n instance \"svc:12\" : 12 1\n instance \"svc_8\" : 8 2\n instance \"x9\" : 9 3\n instance \":7\" : 7 4\n",
			[]string{`winperf_process_v2_deadlocks_total{name="svc",pid="12"} 1`, `winperf_process_v2_deadlocks_total{name="svc",pid="8"} 2`,
				`winperf_process_v2_deadlocks_total{name="x9",pid="9"} 3`, `winperf_process_v2_deadlocks_total{name=":7",pid="7"} 4`}},
		{"a fraction without a base", "object 10\n counter 18 PERF_RAW_FRACTION\n instance \"x\" : 1\n", nil},
		{"unknown types and headings", "object 10\n counter 18 0x12345678 size=4\n counter 14 PERF_COUNTER_NODATA\n instance \"x\" : 1 -\n", nil},
	} {
		set := mapped(t, NewMapper(Options{}), frames(t, at0+tt.text)[0], n)
		check(t, set)
		if diff := cmp.Diff(tt.want, lines(set)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestTextChanges shows that labels follow a text that changes, and are the same otherwise.
func TestTextChanges(t *testing.T) {
	const text = "object 10\n counter 12 PERF_COUNTER_TEXT size=16\n instance \"x\" : %q\n"
	at := func(s string) string { return at0 + strings.Replace(text, "%q", `"`+s+`"`, 1) }
	fs := frames(t, at("1.2"), at("1.2"), at("1.3"))
	m, n := NewMapper(Options{}), names(t, map[uint32]string{10: "Thing", 12: "Version"})
	first := rowsOf(mapped(t, m, fs[0], n))
	if second := rowsOf(mapped(t, m, fs[1], n)); second != first {
		t.Error("other rows of the same text")
	}
	wantLines(t, mapped(t, m, fs[2], n), `winperf_thing_version_info{name="x",text="1.3"} 1`)
}

// TestNewNames shows that names are taken as they come.
func TestNewNames(t *testing.T) {
	f := frames(t, at0+"object 10\n counter 12 PERF_COUNTER_RAWCOUNT\n instance \"x\" : 1\n")[0]
	m := NewMapper(Options{})
	wantLines(t, mapped(t, m, f, names(t, map[uint32]string{10: "Thing"})), `winperf_thing_number_12{name="x"} 1`)
	wantLines(t, mapped(t, m, f, names(t, map[uint32]string{10: "Thing", 12: "Size"})), `winperf_thing_size{name="x"} 1`)
}

// TestLoneTotals: a total stays where its object has nothing else, and goes where it has.
func TestLoneTotals(t *testing.T) {
	counters := []string{"Reads/sec PERF_COUNTER_BULK_COUNT"}
	f, n := block(t, at0,
		made{"Disk", counters, []string{"_Total: 7"}, ""},
		made{"Processor", counters, []string{"0: 1", "_Total: 1"}, ""},
		made{"Processor Information", counters, []string{"0,_Total: 5", "_Total: 5"}, ""})
	set := mapped(t, NewMapper(Options{LoneTotals: true}), f, n)
	wantLines(t, set,
		`winperf_disk_reads_total{name="_Total"} 7`, `winperf_processor_reads_total{name="0"} 1`,
		`winperf_processor_information_reads_total{name="0,_Total"} 5`,
		`winperf_processor_information_reads_total{name="_Total"} 5`)
	wantLines(t, mapped(t, NewMapper(Options{}), f, n), `winperf_processor_reads_total{name="0"} 1`)

	// How many there are, and what they have together, a total does not tell.
	f, n = block(t, at0,
		made{"Processor", []string{"% Idle Time PERF_100NSEC_TIMER"}, []string{"_Total: 10000000"}, ""},
		made{"NUMA Node Memory", []string{"Total MBytes PERF_COUNTER_RAWCOUNT"}, []string{"_Total: 16"}, ""})
	set = mapped(t, NewMapper(Options{LoneTotals: true, NoLegacy: true, Names: []Scheme{WindowsExporter}}), f, n)
	got := lines(set, "windows_cpu_time_total", "windows_cpu_logical_processor", "windows_memory_physical_total_bytes")
	if diff := cmp.Diff([]string{`windows_cpu_time_total{core="_Total",mode="idle"} 1`}, got); diff != "" {
		t.Error(diff)
	}
}
