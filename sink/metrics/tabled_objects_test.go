package metrics

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

func parsePath(t testing.TB, text string) winperf.Path {
	t.Helper()
	p, err := winperf.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTableTotals: totals do not come with Options.Totals, only where a path names one.
func TestTableTotals(t *testing.T) {
	cpu := made{"Processor", []string{"% Idle Time PERF_100NSEC_TIMER"}, []string{"0: 10000000",
		"_Total: 20000000"}, ""}
	got := windowsLines(t, Options{Totals: true}, cpu)
	if want := `windows_cpu_time_total{core="0",mode="idle"} 1`; got[0] != want || slices.ContainsFunc(got,
		func(l string) bool {
			return strings.Contains(l, "_Total")
		}) {
		t.Errorf("%q", got)
	}

	opt := Options{Select: winperf.Selection{Paths: []winperf.Path{parsePath(t,
		`\Processor(_Total)\% Idle Time`)}}}
	if got := windowsLines(t, opt, cpu); got[0] != `windows_cpu_time_total{core="_Total",mode="idle"} 2` {
		t.Errorf("asked for: %q", got)
	}
}

// TestTablePaths: of an object of which paths name a counter there is that and no more.
func TestTablePaths(t *testing.T) {
	process := made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "Handle Count PERF_COUNTER_RAWCOUNT"},
		[]string{"a: 4 2", "b: 8 3"}, ""}
	opt := Options{Select: winperf.Selection{Paths: []winperf.Path{parsePath(t, `\Process(b)\Handle Count`)}}}
	want := []string{`windows_process_handles{process="b",process_id="8"} 3`}
	if diff := cmp.Diff(want, windowsLines(t, opt, process)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTableObjects: objects that feed one metric, and those that stand in for another.
func TestTableObjects(t *testing.T) {
	counter := func(object, name, row string) made {
		return made{object, []string{name + " PERF_COUNTER_RAWCOUNT"}, []string{row}, ""}
	}
	got := windowsLines(t, Options{}, counter("TCPv4", "Connections Active", "4"), counter("TCPv6",
		"Connections Active", "6"),
		counter("SQLServer:SQL Statistics", "Batch Requests/sec", "1"), counter("MSSQL$X:SQL Statistics",
			"Batch Requests/sec", "2"),
		counter("Process", "Handle Count", "a: 1"), counter("Process V2", "Handle Count", "a:4: 2"),
		counter("Processor", "% C1 Time", "0: 1"), counter("Processor Information", "% C1 Time", "0,0: 2"),
		counter("DNS", "Notify Sent", "1"), counter("DNS", "Notify Sent", "2"))
	want := []string{
		`windows_tcp_connections_active_total{af="ipv4"} 4`,
		`windows_tcp_connections_active_total{af="ipv6"} 6`,
		`windows_mssql_sqlstats_batch_requests{mssql_instance="MSSQLSERVER"} 1`,
		`windows_mssql_sqlstats_batch_requests{mssql_instance="X"} 2`,
		`windows_process_handles{process="a:4"} 2`,
		`windows_process_info{process="a:4"} 1`,
		`windows_cpu_cstate_seconds_total{core="0,0",state="c1"} 2`,
		`windows_cpu_logical_processor{} 1`,
		`windows_cs_logical_processors{} 1`,
		`windows_dns_notify_sent_total{} 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinuxFigures: what the Linux host counts in other units than Windows.
func TestLinuxFigures(t *testing.T) {
	disk := made{"LogicalDisk", []string{"% Free Space PERF_RAW_FRACTION", "base PERF_RAW_BASE",
		"Free Megabytes PERF_COUNTER_RAWCOUNT"},
		[]string{
			"/: 1048577 2097153 1024", "/full: 0 4096 0", // of kilobytes
			"/data: 1048576 4294967295 8192",         // of 8 KB: shifted three times
			"/unknown: 0 4294967295 0", "C:: 1 10 1", // and of megabytes
		}, ""}
	swap := made{"Paging File", []string{"% Usage PERF_RAW_FRACTION", "base PERF_RAW_BASE"},
		[]string{"/swapfile: 100 1000", "/huge: 1 4000000000"}, ""}
	got := windowsLines(t, Options{}, disk, swap)
	want := []string{
		`windows_logical_disk_free_bytes{volume="/"} 1073741824`,
		`windows_logical_disk_free_bytes{volume="/full"} 0`,
		`windows_logical_disk_free_bytes{volume="/data"} 8589934592`,
		`windows_logical_disk_free_bytes{volume="/unknown"} 0`,
		`windows_logical_disk_free_bytes{volume="C:"} 1048576`,
		`windows_logical_disk_size_bytes{volume="/"} 2147484672`,
		`windows_logical_disk_size_bytes{volume="/full"} 4194304`,
		`windows_logical_disk_size_bytes{volume="/data"} 35184372080640`,
		`windows_logical_disk_size_bytes{volume="C:"} 10485760`,
		`windows_pagefile_limit_bytes{file="/swapfile"} 1024000`,
		`windows_pagefile_free_bytes{file="/swapfile"} 921600`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLegacy: names that newer versions dropped come too, unless they are not wanted.
func TestLegacy(t *testing.T) {
	objects := []made{
		{"System", []string{"System Up Time PERF_ELAPSED_TIME", "Processes PERF_COUNTER_RAWCOUNT"},
			[]string{"133499999000012345 50"}, "time=133500000000000000 freq=10000000"},
		{"Memory", []string{"Commit Limit PERF_COUNTER_LARGE_RAWCOUNT",
			"Committed Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"100 130"}, ""},
	}
	want := []string{
		`windows_system_processes{} 50`,
		`windows_system_boot_time_timestamp{} 1705526300.001`,
		`windows_os_processes{} 50`,
		`windows_system_system_up_time{} 1705526300.001`,
		`windows_system_boot_time_timestamp_seconds{} 1705526300.001`,
		`windows_memory_commit_limit{} 100`,
		`windows_memory_committed_bytes{} 130`,
		`windows_os_virtual_memory_bytes{} 100`,
		`windows_os_virtual_memory_free_bytes{} -30`, // Linux may promise more than there is
	}
	if diff := cmp.Diff(want, windowsLines(t, Options{}, objects...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	legacy, err := tables.Legacy()
	if err != nil {
		t.Fatal(err)
	}
	dropped := map[string]bool{}
	for _, b := range legacy.Blocks {
		for _, r := range b.Rows {
			dropped[r.Metric] = true
		}
	}
	f, n := block(t, at0, objects...)
	set := mapped(t, NewMapper(Options{Names: []Scheme{WindowsExporter}, NoLegacy: true}), f, n)
	if len(set.Families) < 5 {
		t.Errorf("%d families", len(set.Families))
	}
	for _, f := range set.Families {
		if dropped[f.Name] {
			t.Errorf("%s is there though it is not wanted", f.Name)
		}
	}
}

// TestBothNames: winperf's own names and windows_exporter's names are used together, each with
// the rows that it has alone.
func TestBothNames(t *testing.T) {
	f, n := block(t, at0, made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT",
		"Handle Count PERF_COUNTER_RAWCOUNT"},
		[]string{"a: 4 2", "b: 8 3"}, ""})
	only := func(names ...Scheme) []string {
		set := mapped(t, NewMapper(Options{Names: names}), f, n)
		unique(t, set)
		if got, want := set.TextOnly, slices.Contains(names, WindowsExporter); got != want {
			t.Errorf("%v: TextOnly is %v", names, got)
		}
		return lines(set)
	}
	want := slices.Concat(only(Own), only(WindowsExporter), only(OTel))
	if diff := cmp.Diff(want, only(Own, WindowsExporter, OTel)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWindowsUnwraps: counts of 4 bytes go on over 2^32, those of bases too.
func TestWindowsUnwraps(t *testing.T) {
	object := func(faults, base string) made {
		return made{"Processor Information", []string{"Interrupts/sec PERF_COUNTER_COUNTER",
			"% Processor Utility PERF_AVERAGE_BULK",
			"base PERF_AVERAGE_BASE", "Parking Status PERF_COUNTER_RAWCOUNT"},
			[]string{"0,0: " + faults + " 5 " + base + " " + faults}, ""}
	}
	m := NewMapper(Options{Names: []Scheme{WindowsExporter}, NoLegacy: true})
	first, n := block(t, at0, object("4294967295", "4294967290"))
	second, _ := block(t, at1, object("4", "6"))
	mapped(t, m, first, n)
	got := lines(mapped(t, m, second, n), "windows_cpu_interrupts_total", "windows_cpu_processor_rtc_total",
		"windows_cpu_parking_status")
	want := []string{
		`windows_cpu_interrupts_total{core="0,0"} 4294967300`,
		`windows_cpu_parking_status{core="0,0"} 4`,
		`windows_cpu_processor_rtc_total{core="0,0"} 4294967302`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWindowsOfVista compares what the recorded blocks of a Vista machine, and the log of them, become
// with values that were computed by hand of the bytes of the blocks.
func TestWindowsOfVista(t *testing.T) {
	dir := data(t)
	var blocks []string
	for _, object := range []string{
		"Processor_238", "Memory_4", "System_2", "LogicalDisk_236", "PhysicalDisk_234", "NetworkInterface_510",
		"Process_230", "TCPv4_638",
	} {
		blocks = append(blocks, "perfdata:"+filepath.Join(dir, "perfdata", "vista_sample00_"+object+".bin")+"?names="+
			filepath.Join(dir, "names", "vista_en_ZACH-PC_Counter009.tsv"))
	}
	t.Run("blocks", func(t *testing.T) { compareVista(t, blocks...) })
	t.Run("log", func(t *testing.T) { compareVista(t, "log:"+filepath.Join(dir, "blg", "PAL_SampleLog.blg")) })
}

// compareVista compares the first samples of sources that have the Vista machine's objects between them.
func compareVista(t *testing.T, urls ...string) {
	t.Helper()
	got := map[string]bool{}
	for _, url := range urls {
		m := NewMapper(Options{Names: []Scheme{WindowsExporter}})
		eachCycle(t, url, 1, func(c *measure.Cycle) {
			set := mapped(t, m, c.Frame, c.Names)
			unique(t, set)
			for _, l := range lines(set) {
				got[l] = true
			}
		})
	}

	for _, want := range []string{
		`windows_cpu_time_total{core="0",mode="idle"} 1255.875`,            // 12558750000 of 100 ns
		`windows_cpu_time_total{core="0",mode="privileged"} 542.890625`,    // 5428906250
		`windows_cpu_cstate_seconds_total{core="0",state="c1"} 64.5003431`, // 645003431
		`windows_cpu_interrupts_total{core="0"} 2125688`,
		`windows_cpu_dpcs_total{core="0"} 247064`,
		`windows_cpu_logical_processor{} 1`,
		`windows_memory_available_bytes{} 83587072`,
		`windows_memory_physical_free_bytes{} 83587072`,
		`windows_os_virtual_memory_free_bytes{} 941514752`, // 1512824832 - 571310080
		`windows_system_context_switches_total{} 2465574`,
		`windows_system_threads{} 670`,
		`windows_system_boot_time_timestamp{} 1187118436.5`,        // 128315920365000000 is a FILETIME
		`windows_logical_disk_free_bytes{volume="C:"} 57134809088`, // 54488 MB
		`windows_logical_disk_size_bytes{volume="C:"} 75989254144`, // 72469 MB
		`windows_logical_disk_idle_seconds_total{volume="C:"} 1324.1419`,
		`windows_logical_disk_read_latency_seconds_total{volume="C:"} 2461.98219997234264`, // 8812776074 / 3579545
		`windows_logical_disk_avg_read_requests_queued{volume="C:"} 2461.9822`,             // 24619822000 of 100 ns
		`windows_logical_disk_split_ios_total{volume="C:"} 826`,
		`windows_physical_disk_requests_queued{disk="0"} 2`, // of "0 D: C:"
		`windows_net_current_bandwidth_bytes{nic="VIA Rhine II Fast Ethernet Adapter"} 1250000`,
		`windows_process_working_set_bytes{process="System",process_id="4"} 786432`,
		`windows_process_io_bytes_total{process="System",process_id="4",mode="write"} 66240961`,
		`windows_process_cpu_time_total{process="System",process_id="4",mode="privileged"} 45.609375`,
		// 128315920772500000
		`windows_process_start_time_seconds_timestamp{process="smss",process_id="304"} 1187118477`,
		`windows_process_info{creating_process_id="4",process="smss",process_id="304"} 1`,
		`windows_os_hostname{fqdn="ZACH-PC",hostname="ZACH-PC"} 1`,
		`windows_cs_hostname{fqdn="ZACH-PC",hostname="ZACH-PC"} 1`,
		`windows_os_info{} 1`,
		`windows_time_current_timestamp_seconds{} 1187120438.6596596`, // 128315940386596596
	} {
		if !got[want] {
			t.Errorf("there is no %s", want)
		}
	}
}
