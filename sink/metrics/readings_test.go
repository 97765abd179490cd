package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// read makes readings of paths, with values in their order: nil is none.
func read(t *testing.T, at time.Time, series []*winperf.Series, values ...any) []winperf.Reading {
	t.Helper()
	var list []winperf.Reading
	for i, v := range values {
		r := winperf.Reading{Series: series[i], Time: at}
		switch v := v.(type) {
		case int64:
			r.Value = counter.Int(uint64(v))
		case int:
			r.Value = counter.Int(uint64(v))
		case float64:
			r.Value = counter.Float(v)
		case string:
			r.Value = counter.Text(v)
		default:
			r.Status = counter.InvalidData
		}
		list = append(list, r)
	}
	return list
}

// mapDisplayed maps a sample of displayable values.
func mapDisplayed(t testing.TB, m *Mapper, at time.Time, readings []winperf.Reading) *Set {
	t.Helper()
	var sample winperf.Sample
	perftest.ShowValues(&sample, at, readings)
	f, err := new(frame.Pool).Decode(&sample, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := m.Map(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func seriesOf(t *testing.T, paths ...string) (all []*winperf.Series) {
	t.Helper()
	for _, text := range paths {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, winperf.NewSeries(p))
	}
	return all
}

func TestMapReadings(t *testing.T) {
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	series := seriesOf(t,
		`\\HOST\Processor(_Total)\% Processor Time`, `\\HOST\Processor(0)\% Processor Time`,
		`\\HOST\Process(svchost#2)\IO Read Bytes/sec`, `\\HOST\Memory\Available MBytes`,
		`\\HOST\PhysicalDisk(0 C:)\Avg. Disk sec/Read`, `\\HOST\Thread(svchost/3#1)\Context Switches/sec`,
		`\\HOST\Cache\Copy Read Hits %`, `\\HOST\Server\Name`, `\\HOST\Process(svchost)\Handle Count`,
		`\\HOST\Process(editor)\Handle Count`, `\\HOST\Memory\Available Bytes`,
		`\\HOST\Process(editor)\Elapsed Time`, `\\HOST\System\System Up Time`, `\\HOST\CLR\# of Filters / sec`)
	series[5].Parent = "svchost"
	series[6].Unit = counter.Percent

	m := NewMapper(Options{})
	set := mapDisplayed(t, m, at, read(t, at, series, 12.5, 12.5, 4096.5, 17, 0.25, 3.0, 50.0, "x", 5, 1.5, 17825792,
		3.5, 1e6, 2.0))
	check(t, set)
	wantLines(t, set,
		`winperf_processor_processor_time_ratio{name="0"} 0.125`,
		`winperf_process_io_read_bytes_per_second{index="2",name="svchost"} 4096.5`,
		`winperf_physical_disk_avg_disk_read_seconds{name="0 C:"} 0.25`,
		`winperf_thread_context_switches_per_second{index="1",name="3",parent="svchost"} 3`,
		`winperf_cache_copy_read_hits_ratio{} 0.5`,
		`winperf_process_handles{name="svchost"} 5`, `winperf_process_handles{name="editor"} 1.5`,
		`winperf_memory_available_bytes{} 17825792`,
		`winperf_process_elapsed_time_seconds{name="editor"} 3.5`, `winperf_system_system_up_time_seconds{} 1000000`,
		`winperf_clr_number_of_filters_per_second{} 2`)
	if !set.Time.Equal(at) || len(set.Families[0].Columns[0].Bits) != 1 {
		t.Errorf("time %v", set.Time)
	}

	rows := rowsOf(set)
	later := at.Add(time.Minute)
	set = mapDisplayed(t, m, later, read(t, later, series, nil, nil, nil, nil, nil, nil, nil, nil, int64(1<<60+1), 7, nil,
		nil, nil, nil))
	wantLines(t, set, `winperf_process_handles{name="svchost"} 1152921504606846977`, `winperf_process_handles{name="editor"} 7`)
	if rowsOf(set) != rows {
		t.Error("other rows of the same series")
	}

	set = mapDisplayed(t, m, later, read(t, later, series, nil, nil, nil, nil, nil, nil, nil, nil, 2.5, 7, nil,
		nil, nil, nil))
	wantLines(t, set, `winperf_process_handles{name="svchost"} 2.5`, `winperf_process_handles{name="editor"} 7`)

	series = series[1:]
	set = mapDisplayed(t, m, later, read(t, at, series, 100.0))
	wantLines(t, set, `winperf_processor_processor_time_ratio{name="0"} 1`)
	if c := set.Families[0].Columns[0]; !c.Time.Equal(at) || c.Rows == rows {
		t.Errorf("column of %v", c.Time)
	}
}

// TestMapReadingsChosen shows totals and what paths choose.
func TestMapReadingsChosen(t *testing.T) {
	series := seriesOf(t, `\\A\P(_Total)\% X`, `\\A\P(1)\% X`, `\\A\P(2)\% X`, `\\B\P(1)\% X`)
	var all [4]string
	for i, label := range []string{`machine="A",name="_Total"`, `machine="A",name="1"`, `machine="A",name="2"`, `machine="B",name="1"`} {
		all[i] = fmt.Sprintf("winperf_p_x_ratio{%s} 0.5", label)
	}
	path := func(text string) winperf.Path { return seriesOf(t, text)[0].Path }
	for _, tt := range []struct {
		name string
		opt  Options
		want []string
	}{
		{"all", Options{}, all[1:]},
		{"totals", Options{Totals: true}, all[:]},
		{"totals where there is nothing else", Options{LoneTotals: true}, all[1:]},
		{"a path", Options{Select: winperf.Selection{Paths: []winperf.Path{path(`\\a\p(*)\*`)}}}, all[1:3]},
		{"a total", Options{Select: winperf.Selection{Paths: []winperf.Path{path(`\P(_Total)\% X`), path(`\P(2)\% X`)}}}, []string{all[0], all[2]}},
		{"excluded", Options{Totals: true, Exclude: []winperf.Path{path(`\P(1)\*`)}}, []string{all[0], all[2]}},
		{"nothing", Options{Select: winperf.Selection{Paths: []winperf.Path{path(`\Q(*)\*`)}}}, nil},
	} {
		set := mapDisplayed(t, NewMapper(tt.opt), time.Time{}, read(t, time.Time{}, series, 50., 50., 50., 50.))
		if diff := cmp.Diff(tt.want, lines(set)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestMapReadingsLoneTotals: a total stays where its counter has nothing else.
func TestMapReadingsLoneTotals(t *testing.T) {
	series := seriesOf(t, `\\A\P(_Total)\% X`, `\\A\P(_Total)\% Y`, `\\A\P(0)\% Y`, `\\A\Q(_Total)\% Y`, `\\B\P(_Total)\% Y`)
	set := mapDisplayed(t, NewMapper(Options{LoneTotals: true}), time.Time{}, read(t, time.Time{}, series, 50., 25., 75., 100., 0.))
	wantLines(t, set, `winperf_p_x_ratio{machine="A",name="_Total"} 0.5`, `winperf_p_y_ratio{machine="A",name="0"} 0.75`,
		`winperf_p_y_ratio{machine="B",name="_Total"} 0`, `winperf_q_y_ratio{machine="A",name="_Total"} 1`)
}

// TestMapReadingsOfServers shows two instances of SQL Server, and names that say nothing.
func TestMapReadingsOfServers(t *testing.T) {
	series := seriesOf(t, `\SQLServer:Locks(Page)\Waits/sec`, `\MSSQL$PROD:Locks(Page)\Waits/sec`, `\Сервер\Отказов`, `\Сервер\Отказов/sec`, `\A\B`, `\A\b`)
	set := mapDisplayed(t, NewMapper(Options{}), time.Time{}, read(t, time.Time{}, series, 1., 2., 3., 4., 5., 6.))
	check(t, set)
	wantLines(t, set,
		`winperf_sqlserver_locks_waits_per_second{name="Page",sql_instance="MSSQLSERVER"} 1`,
		`winperf_sqlserver_locks_waits_per_second{name="Page",sql_instance="PROD"} 2`,
		`winperf_object_value{} 3`, `winperf_object_value_per_second{} 4`,
		`winperf_a_letter_bb{} 5`, `winperf_a_letter_bb_2{} 6`)
}

// TestMapReadingsAllocatesNothing maps values of the same series.
func TestMapReadingsAllocatesNothing(t *testing.T) {
	series := seriesOf(t, `\\HOST\Processor(0)\% Processor Time`, `\\HOST\Processor(1)\% Processor Time`)
	var sample winperf.Sample
	perftest.ShowValues(&sample, time.Time{}, read(t, time.Time{}, series, 1., 2.))
	f, err := new(frame.Pool).Decode(&sample, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMapper(Options{})
	if n := testing.AllocsPerRun(10, func() { _, err = m.Map(f, nil) }); n > 0 || err != nil {
		t.Errorf("%v allocations, want none; %v", n, err)
	}
}

// TestMapReadingsTwice reads columns of one name, as a log can have them, and instances of SQL Server
// whose names are the same: each has labels of its own.
func TestMapReadingsTwice(t *testing.T) {
	var list []winperf.Reading
	for i, p := range []winperf.Path{
		{Object: "Process", HasInstance: true, Instance: "a", Counter: "Threads"},
		{Object: "Process", HasInstance: true, Instance: "a", Counter: "Threads"},
		{Object: "Process", HasInstance: true, Instance: "a", Index: 1, Counter: "Threads"},
		{Object: "Process", HasInstance: true, Instance: "a", Counter: "Threads"},
		{Object: "SQLServer:Locks", Counter: "Waits"},
		{Object: "MSSQL$MSSQLSERVER:Locks", Counter: "Waits"},
	} {
		list = append(list, winperf.Reading{Series: &winperf.Series{Path: p}, Value: counter.Int(uint64(i))})
	}
	set := mapDisplayed(t, NewMapper(Options{}), list[0].Time, list)
	check(t, set)
	want := map[string]string{
		`winperf_process_threads [{"name" "a"}] []`:               "0",
		`winperf_process_threads [{"index" "1"} {"name" "a"}] []`: "1",
		`winperf_process_threads [{"index" "2"} {"name" "a"}] []`: "2",
		`winperf_process_threads [{"index" "3"} {"name" "a"}] []`: "3",

		`winperf_sqlserver_locks_waits [{"sql_instance" "MSSQLSERVER"}] []`:               "4",
		`winperf_sqlserver_locks_waits [{"index" "1"} {"sql_instance" "MSSQLSERVER"}] []`: "5",
	}
	all := allSeries(t, set)
	for series, value := range want {
		if !strings.HasPrefix(all[series], "0 "+value+" ") { // the form, and the number
			t.Errorf("%s is %q, want %s", series, all[series], value)
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d series, want %d", len(all), len(want))
	}
}

// Of lines of text each moment has series of its own. What a series is called does not depend on which others a moment
// has, once there was one of another machine, and no two machines have one series.
func TestMapReadingsOfMachines(t *testing.T) {
	both := seriesOf(t, `\\A\P(1)\X`, `\\B\P(1)\X`)
	first, second := both[:1], both[1:]
	m := NewMapper(Options{})
	for i, step := range []struct {
		series []*winperf.Series
		want   []string
	}{
		{nil, nil},
		{first, []string{`winperf_p_x{name="1"} 1`}},
		{second, []string{`winperf_p_x{machine="B",name="1"} 1`}},
		{first, []string{`winperf_p_x{machine="A",name="1"} 1`}},
		{both, []string{`winperf_p_x{machine="A",name="1"} 1`, `winperf_p_x{machine="B",name="1"} 1`}},
		{second, []string{`winperf_p_x{machine="B",name="1"} 1`}},
		{first, []string{`winperf_p_x{machine="A",name="1"} 1`}},
	} {
		values := make([]any, len(step.series))
		for k := range values {
			values[k] = 1.
		}
		set := mapDisplayed(t, m, time.Time{}, read(t, time.Time{}, step.series, values...))
		if diff := cmp.Diff(step.want, lines(set)); diff != "" {
			t.Errorf("moment %d (-want +got):\n%s", i, diff)
		}
	}
}
