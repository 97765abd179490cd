package metrics

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/otlptranslator"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// TestNames shows what counters are called.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		object, counter string
		typ             counter.Type
		want            string // the first of its families
	}{
		{"Processor", "% Processor Time", counter.TimerInv100NSec, "winperf_processor_processor_time_inactive_seconds_total"},
		{"Processor", "% User Time", counter.Timer100NSec, "winperf_processor_user_time_seconds_total"},
		{"Processor Information", "Processor Frequency", counter.RawCount, "winperf_processor_information_processor_frequency_hertz"},
		{"PhysicalDisk", "Disk Read Bytes/sec", counter.BulkCount, "winperf_physical_disk_disk_read_bytes_total"},
		{"PhysicalDisk", "Avg. Disk sec/Read", counter.AverageTimer, "winperf_physical_disk_avg_disk_read_seconds"},
		{"PhysicalDisk", "Avg. Disk Bytes/Read", counter.AverageBulk, "winperf_physical_disk_avg_disk_read_bytes"},
		{"PhysicalDisk", "Avg. Disk Queue Length", counter.QueueLen100NS, "winperf_physical_disk_avg_disk_queue_seconds_total"},
		{"PhysicalDisk", "Current Disk Queue Length", counter.RawCount, "winperf_physical_disk_current_disk_queue_length"},
		{"PhysicalDisk", "% Disk Time", counter.Precision100NSTimer, "winperf_physical_disk_disk_time_seconds_total"},
		{"LogicalDisk", "% Free Space", counter.RawFraction, "winperf_logical_disk_free_space_numerator"},
		{"LogicalDisk", "Free Megabytes", counter.RawCount, "winperf_logical_disk_free_bytes"},
		{"LogicalDisk", "Split IO/Sec", counter.CounterCounter, "winperf_logical_disk_split_io_total"},
		{"TCPv4", "Segments/sec", counter.CounterCounter, "winperf_tcpv4_segments_total"},
		{"iSCSI Connections", "KBytes Sent", counter.RawCount, "winperf_iscsi_connections_sent_bytes"},
		{"Memory", "Transition Pages RePurposed/sec", counter.CounterCounter, "winperf_memory_transition_pages_repurposed_total"},
		{"Cache", "Copy Read Hits %", counter.SampleFraction, "winperf_cache_copy_read_hits_total"},
		{"Network Interface", "Bytes Total/sec", counter.BulkCount, "winperf_network_interface_bytes_total"},
		{"Network Interface", "Packets Received Errors", counter.RawCount, "winperf_network_interface_packets_received_errors_total"},
		{"Network Interface", "Current Bandwidth", counter.RawCount, "winperf_network_interface_current_bandwidth_bytes_per_second"},
		{"Process", "Elapsed Time", counter.ElapsedTime, "winperf_process_start_time_seconds"},
		{"Process", "Handle Count", counter.RawCount, "winperf_process_handles"},
		{"Process", "Working Set - Private", counter.LargeRawCount, "winperf_process_working_set_private_bytes"},
		{"Memory", "Commit Limit", counter.LargeRawCount, "winperf_memory_commit_limit_bytes"},
		{"Memory", "System Code Total Bytes", counter.RawCount, "winperf_memory_system_code_total_bytes"},
		{".NET CLR Memory", "# Bytes in all Heaps", counter.LargeRawCount, "winperf_net_clr_memory_in_all_heaps_bytes"},
		{".NET CLR Memory", "# Gen 0 Collections", counter.RawCount, "winperf_net_clr_memory_number_gen_0_collections_total"},
		{".NET CLR Memory", "% Time in GC", counter.RawFraction, "winperf_net_clr_memory_time_in_gc_numerator"},
		{"SQLServer:Memory Manager", "Total Server Memory (KB)", counter.LargeRawCount, "winperf_sqlserver_memory_manager_total_server_memory_bytes"},
		{"MSSQL$PROD:Locks", "Average Wait Time (ms)", counter.AverageBulk, "winperf_sqlserver_locks_average_wait_time_seconds"},
		{"Hyper-V Virtual Machine Health Summary", "Health Ok", counter.RawCount, "winperf_hyper_v_virtual_machine_health_summaries_health_ok"},
		{"Web Service", "Total Get Requests", counter.RawCount, "winperf_web_service_get_requests_total"},
		{"Pressure Stall", "% Some Stalled Time, 10 s Mean", counter.RawFraction, "winperf_pressure_stall_some_stalled_time_10s_mean_numerator"},
		{"Server", "Pool Total", counter.RawCount, "winperf_server_total_pool"},
		{"Server", "Total", counter.RawCount, "winperf_server_total_value"},
		{"Server", "Count", counter.RawCount, "winperf_server_number"},
		{"Server", "Bytes/sec", counter.CounterCounter, "winperf_server_bytes_total"},
		{"Server", "Queue Length", counter.QueueLen, "winperf_server_queue_seconds_total"},
		{"Server", "% Usage", counter.RawCount, "winperf_server_usage_ratio"},
		{"Server", "Logons Per Second", counter.CounterCounter, "winperf_server_logons_total"},
		{"Server", "Logons / sec", counter.CounterCounter, "winperf_server_logons_total"},
		{"Server", "Requests/s", counter.CounterCounter, "winperf_server_requests_total"},
		{"Server", "Bytes/sec", counter.RawCount, "winperf_server_bytes_per_second"},
		{"Server", "KBytes Read/sec", counter.RawCount, "winperf_server_read_bytes_per_second"},
		{"Server", "Calls Per Second", counter.RawCount, "winperf_server_calls_per_second"},
		{"Server", "Remote Speed (Bits/Sec)", counter.RawCount, "winperf_server_remote_speed_bytes_per_second"},
		{"Server", "BITS Download Interval (msec)", counter.RawCount, "winperf_server_bit_download_interval_seconds"},
		{"Server", "Percent Compression Out", counter.RawCount, "winperf_server_compression_out_ratio"},
		{"Server", "CPU Usage %", counter.RawCount, "winperf_server_cpu_usage_ratio"},
		{"Server", "Above 90 % Load", counter.RawCount, "winperf_server_above_90_percent_load"},
		{"Server", "%", counter.RawCount, "winperf_server_percent"},
		{"Server", "Database Cache % Hit", counter.RawFraction, "winperf_server_database_cache_hit_numerator"},
		{"Server", "VLM % Virtual Size", counter.Timer100NSec, "winperf_server_vlm_virtual_size_seconds_total"},
		{"Server", "CurrentQueueSize", counter.RawCount, "winperf_server_current_queue_size"},
		{"Server", "NumberOfActiveConnections", counter.RawCount, "winperf_server_number_of_active_connections"},
		{"Server", "Wait(mSec)", counter.RawCount, "winperf_server_wait_seconds"},
		{".NET CLR Exceptions", "# of Exceps Thrown / sec", counter.CounterCounter,
			"winperf_net_clr_exceptions_number_of_exceps_thrown_total"},
		{"System", "System Up Time", counter.ElapsedTime, "winperf_system_system_start_time_seconds"},
		{"APP_POOL_WAS", "Current Application Pool Uptime", counter.ElapsedTime,
			"winperf_app_pool_was_current_application_pool_start_time_seconds"},
		{"Hyper-V Virtual SMB", "Write Bytes/sec (RDMA)", counter.BulkCount, "winperf_hyper_v_virtual_smb_write_rdma_bytes_total"},
		{"NTDS", "SAM Creations/sec: Includes all requests", counter.CounterCounter,
			"winperf_ntds_sam_creations_includes_all_requests_total"},
		{"Hyper-V Virtual Storage Device", "Read Count", counter.LargeRawCount,
			"winperf_hyper_v_virtual_storage_device_reads_total"},
		{"MSSQL$PROD:Databases", "Bulk Copy Throughput/sec", counter.BulkCount,
			"winperf_sqlserver_databases_bulk_copy_throughput_bytes_total"},
		{"Windows Time Service", "Computed Time Offset", counter.LargeRawCount,
			"winperf_windows_time_service_computed_time_offset_seconds"},
		{"Server", "Uptime", counter.ElapsedTime, "winperf_server_start_time_seconds"},
		{"Server", "Version", counter.CounterText, "winperf_server_version_info"},
		{"Server", "Отказов/sec", counter.CounterCounter, "winperf_server_title_1002_total"},
		{"Sérveur", "Échecs", counter.CounterCounter, "winperf_srveur_checs_total"},
		{"Сервер", "Отказов", counter.CounterCounter, "winperf_object_1000_title_1002_total"},
	} {
		base := ""
		if info, _ := tt.typ.Info(); info.Base != 0 {
			base = fmt.Sprintf(" counter 1004 0x%08X\n", uint32(info.Base))
		}
		values := " 1 2"
		if base == "" {
			values = " 1"
		}
		size := ""
		if tt.typ.IsText() {
			values, size = ` "abc"`, " size=16"
		}
		text := at0 + "object 1000\n" + fmt.Sprintf(" counter 1002 0x%08X%s\n", uint32(tt.typ), size) + base + ` instance "x" :` + values + "\n"
		n := names(t, map[uint32]string{1000: tt.object, 1002: tt.counter, 1004: "Base"})
		set := mapped(t, NewMapper(Options{}), frames(t, text)[0], n)
		if len(set.Families) == 0 || set.Families[0].Name != tt.want {
			t.Errorf("%s\\%s: %v, want %s", tt.object, tt.counter, lines(set), tt.want)
		}
	}
}

// TestHelp shows that a help text is the path of its counter and one sentence.
func TestHelp(t *testing.T) {
	f, n := block(t, at0, made{"O", []string{
		"Free Megabytes PERF_COUNTER_RAWCOUNT", "Handle Count PERF_COUNTER_RAWCOUNT", "KBytes/sec PERF_COUNTER_BULK_COUNT",
		"Pages/sec PERF_COUNTER_COUNTER", "Delay ns PERF_COUNTER_RAWCOUNT", "% Used PERF_COUNTER_RAWCOUNT",
		"Wait (ms) PERF_AVERAGE_BULK", "base PERF_AVERAGE_BASE", "% Free PERF_RAW_FRACTION", "base PERF_RAW_BASE",
	}, []string{"a: 1 2 3 4 5 6 7 8 9 10"}, ""})
	hyper, hyperNames := block(t, at0, made{"Hyper-V Dynamic Memory VM",
		[]string{"Added Memory PERF_COUNTER_RAWCOUNT"}, []string{"a: 1"}, ""})
	got := map[string]bool{mapped(t, NewMapper(Options{}), hyper, hyperNames).Families[0].Help: true}
	for _, f := range mapped(t, NewMapper(Options{}), f, n).Families {
		got[f.Help] = true
	}
	for _, want := range []string{
		`\O(*)\Free Megabytes`, `\O(*)\Wait (ms)`, `\O(*)\% Free`,
		`\Hyper-V Dynamic Memory VM(*)\Added Memory`,
	} {
		if !got[want] {
			t.Errorf("no help %q in %q", want, slices.Sorted(maps.Keys(got)))
		}
	}
}

func TestSentence(t *testing.T) {
	long := strings.Repeat("é", 300)
	for text, want := range map[string]string{
		"": "", "Bytes read.": "Bytes read.", "Memory in RAM. From /proc/PID/statm, resident.": "Memory in RAM.",
		"Avg. Disk Bytes/Read is the average.  It is measured.": "Avg. Disk Bytes/Read is the average.",
		"Load, e.g. of vmstat(8) or e.g. TCP. Next.":            "Load, e.g. of vmstat(8) or e.g. TCP.",
		"One line\nanother line":                                "One line",
		"Version 1.0 of it. 5 is more. Next.":                   "Version 1.0 of it. 5 is more.",
		"  no stop ":                                            "no stop", "ends. ": "ends.", long: long[:2*199] + "…",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

var (
	metricName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	labelName  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	// What promtool says about names: types in them, units that are not base units and
	// abbreviations of units.
	lint = regexp.MustCompile(`_(counter|gauge|summary|histogram|s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d|` +
		`minutes|hours|days|weeks|bits|inches|miles|(kilo|mega|giga|tera|milli|micro|nano)(bytes|seconds))(_|$)`)
)

// check compares a Set with the rules for names.
func check(t *testing.T, set *Set) {
	t.Helper()
	taken, series := map[string]string{}, map[string]bool{}
	for _, f := range set.Families {
		for _, name := range claims(f.Name, f.Type) {
			if other, ok := taken[name]; ok {
				t.Errorf("%s collides with %s", f.Name, other)
			}
			taken[name] = f.Name
		}
		checkFamily(t, &f)
		checkTranslation(t, &f)
		for _, c := range f.Columns {
			if c.Rows.Len() != len(c.Bits) {
				t.Errorf("%s: %d rows, %d values", f.Name, c.Rows.Len(), len(c.Bits))
			}
			for i := range c.Bits {
				key := f.Name + c.Suffix + fmt.Sprintf("%q", c.Rows.Labels(i))
				if series[key] {
					t.Errorf("%s is there twice", key)
				}
				series[key] = true
				checkLabels(t, c.Rows.Labels(i))
			}
		}
	}
}

func checkFamily(t *testing.T, f *Family) {
	t.Helper()
	rest, ends := f.Name, map[Type]string{Counter: "_total", Info: "_info"}
	for _, end := range []string{"_total", "_info", "_sum", "_count", "_bucket", "_created"} {
		if strings.HasSuffix(f.Name, end) != (ends[f.Type] == end) {
			t.Errorf("%s of type %d: bad end", f.Name, f.Type)
		}
	}
	rest = strings.TrimSuffix(rest, "_total")
	switch {
	case !metricName.MatchString(f.Name) || !strings.HasPrefix(f.Name, "winperf_"):
		t.Errorf("%s is no name", f.Name)
	case lint.MatchString(f.Name):
		t.Errorf("%s: %q", f.Name, lint.FindString(f.Name))
	case f.Unit != "" && !strings.HasSuffix(rest, "_"+f.Unit):
		t.Errorf("%s does not end with its unit %s", f.Name, f.Unit)
	case f.Help == "" || f.Object == "":
		t.Errorf("%s: help %q, object %q", f.Name, f.Help, f.Object)
	}
	suffixes := ""
	for _, c := range f.Columns {
		suffixes += c.Suffix
	}
	if f.Type != Summary && suffixes != "" || f.Type == Summary && strings.ReplaceAll(suffixes, "_sum_count", "") != "" {
		t.Errorf("%s of type %d has %q", f.Name, f.Type, suffixes)
	}
}

// checkTranslation reports a name that Prometheus changes when it receives it by OTLP.
func checkTranslation(t *testing.T, f *Family) {
	t.Helper()
	units := map[string]string{
		"seconds": "s", "bytes": "By", "ratio": "1", "hertz": "Hz", "celsius": "Cel", "volts": "V", "watts": "W",
	}
	kinds := map[Type]otlptranslator.MetricType{
		Counter: otlptranslator.MetricTypeMonotonicCounter, Gauge: otlptranslator.MetricTypeGauge,
		Summary: otlptranslator.MetricTypeSummary, Info: otlptranslator.MetricTypeGauge,
	}
	sent := f.Name
	if f.Type == Counter {
		sent = strings.TrimSuffix(sent, "_total")
	}
	namer := otlptranslator.MetricNamer{WithMetricSuffixes: true}
	got, err := namer.Build(otlptranslator.Metric{Name: sent, Unit: units[f.Unit], Type: kinds[f.Type]})
	if err != nil || got != f.Name {
		t.Errorf("%s, sent by OTLP, is %s (%v)", f.Name, got, err)
	}
}

func checkLabels(t *testing.T, labels []Label) {
	t.Helper()
	for i, l := range labels {
		switch {
		case !labelName.MatchString(l.Name), slices.Contains([]string{"instance", "job", "le", "quantile"}, l.Name):
			t.Errorf("label %q", l.Name)
		case l.Value == "":
			t.Errorf("label %s is empty", l.Name)
		case i > 0 && labels[i-1].Name >= l.Name:
			t.Errorf("labels %v are not sorted", labels)
		}
	}
}

// TestNamesOfLogs walks all counters of real logs.
func TestNamesOfLogs(t *testing.T) {
	for _, log := range []string{"PAL_SampleLog.blg", "Tx_BasicPerfCounters.blg"} {
		m := NewMapper(Options{Totals: true})
		eachCycle(t, filepath.Join(data(t), "blg", log), 3, func(c *measure.Cycle) { check(t, mapped(t, m, c.Frame, c.Names)) })
	}
}

// TestNamesOfVista makes every name of Windows Vista an object, and all together counters of
// one object, of each type: many collide, and all get names of their own, whatever
// their order.
func TestNamesOfVista(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(data(t), "names", "vista_en_ZACH-PC_Counter009.multisz.bin"))
	if err != nil {
		t.Fatal(err)
	}
	n, _ := nametable.FromSchema(&winperf.Schema{Names: []winperf.NameTable{{Language: nametable.English, Counter: b}}})
	table, _ := n.Tables(nametable.English)
	var titles []uint32
	for title := range table.All() {
		if title > 1 {
			titles = append(titles, title)
		}
	}
	if len(titles) < 1000 {
		t.Fatalf("only %d names", len(titles))
	}

	for _, typ := range []counter.Type{
		counter.RawCount, counter.CounterCounter, counter.Timer100NSec, counter.ElapsedTime,
	} {
		set := mapped(t, NewMapper(Options{}), frames(t, ofNames(titles, typ))[0], n)
		check(t, set)
		// Free Megabytes, Available KBytes and Available MBytes are conversions; three are ids.
		less := map[counter.Type]int{counter.RawCount: 6, counter.CounterCounter: 3}[typ]
		if len(set.Families) != len(titles)-less {
			t.Errorf("%v: %d families of %d names", typ, len(set.Families), len(titles))
		}
		byTitle := namesByHelp(set)
		turned := slices.Clone(titles)
		slices.Reverse(turned)
		for title, other := range namesByHelp(mapped(t, NewMapper(Options{}), frames(t, ofNames(turned, typ))[0], n)) {
			if !slices.Equal(other, byTitle[title]) {
				t.Errorf("%v: %s is %v in one order, and %v in another", typ, title, byTitle[title], other)
			}
		}
	}

	var text strings.Builder
	text.WriteString(at0)
	for _, title := range titles {
		fmt.Fprintf(&text, "object %d\n counter %d PERF_COUNTER_RAWCOUNT\n instance \"x\" : 1\n", title, titles[0])
	}
	set := mapped(t, NewMapper(Options{}), frames(t, text.String())[0], n)
	check(t, set)
	if len(set.Families) != len(titles) {
		t.Errorf("%d families of %d objects", len(set.Families), len(titles))
	}
}

// ofNames is an object with many counters of one type, as text.
func ofNames(titles []uint32, typ counter.Type) string {
	var b strings.Builder
	b.WriteString(at0 + "object 2\n")
	for _, title := range titles {
		fmt.Fprintf(&b, " counter %d 0x%08X\n", title, uint32(typ))
	}
	return b.String() + ` instance "x" :` + strings.Repeat(" 7", len(titles)) + "\n"
}

// namesByHelp are the names of families by their help, which names the counter.
func namesByHelp(set *Set) map[string][]string {
	all := map[string][]string{}
	for _, f := range set.Families {
		all[f.Help] = append(all[f.Help], f.Name)
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}
