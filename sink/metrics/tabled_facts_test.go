package metrics

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

var testFacts = Facts{
	Hostname: "web1", Domain: "example.org", FQDN: "web1.example.org",
	Product: "Windows Server 2022 Datacenter", Version: "10.0.20348", Major: "10", Minor: "0", Build: "20348",
	Revision: "2227", Installation: "Server Core",
	Boot: time.UnixMilli(1705000000123), Installed: time.Unix(1600000000, 0), PhysicalMemory: 17179869184, AddressSpace: 1 << 47,
	LogicalProcessors: 8,
	ProcessLimit:      4294967295, TimeZone: "W. Europe Standard Time",
}

// TestFacts: what no counter tells, and that it yields where one does.
func TestFacts(t *testing.T) {
	objects := []made{
		{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"1000"}, ""},
		{"NUMA Node Memory", []string{"Total MBytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"0: 1"}, ""},
	}
	f, n := block(t, at0, objects...)
	set := mapped(t, NewMapper(Options{Names: []Scheme{WindowsExporter}, Facts: testFacts}), f, n)
	unique(t, set)
	want := []string{
		`windows_memory_available_bytes{} 1000`,
		`windows_memory_physical_free_bytes{} 1000`,
		`windows_os_physical_memory_free_bytes{} 1000`,
		`windows_memory_physical_total_bytes{} 1048576`, // that of the sample
		`windows_cs_physical_memory_bytes{} 1048576`,
		`windows_os_visible_memory_bytes{} 1048576`,
		`windows_cpu_logical_processor{} 8`,
		`windows_memory_process_memory_limit_bytes{} 140737488355328`,
		`windows_os_info{build_number="20348",installation_type="Server Core",major_version="10",minor_version="0",` +
			`product="Windows Server 2022 Datacenter",revision="2227",version="10.0.20348"} 1`,
		`windows_os_hostname{domain="example.org",fqdn="web1.example.org",hostname="web1"} 1`,
		`windows_os_install_time_timestamp_seconds{} 1600000000`,
		`windows_system_boot_time_timestamp{} 1705000000.12299991`,
		`windows_system_processes_limit{} 4294967295`,
		`windows_time_current_timestamp_seconds{} 1705526400`,
		`windows_time_timezone{timezone="W. Europe Standard Time"} 1`,
		`windows_cs_logical_processors{} 8`,
		`windows_cs_hostname{domain="example.org",fqdn="web1.example.org",hostname="web1"} 1`,
		`windows_os_time{} 1705526400`,
		`windows_os_timezone{timezone="W. Europe Standard Time"} 1`,
		`windows_system_system_up_time{} 1705000000.12299991`,
		`windows_system_boot_time_timestamp_seconds{} 1705000000.12299991`,
	}
	if diff := cmp.Diff(want, lines(set)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHostValues: each sample has the current values of the host, and none of metrics that counters
// provide or that the tables do not have, or of instances that a filter excludes.
func TestHostValues(t *testing.T) {
	states := []HostValue{
		{"windows_net_nic_info", []Label{{"mac", "02:00"}, {"nic", "eth0"}}, 1},
		{"windows_net_nic_info", []Label{{"mac", "02:01"}, {"nic", "ifb0"}}, 1},
		{"windows_memory_modified_page_list_bytes", nil, 5}, {"windows_unknown", nil, 5},
		{"windows_tcp_connections_state_count", []Label{{"af", "ipv4"}, {"state", "LISTENING"}}, 3},
	}
	memory := made{"Memory", []string{"Modified Page List Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"7"}, ""}
	f, n := block(t, at0, memory)
	mapper := NewMapper(Options{
		Names:      []Scheme{WindowsExporter},
		HostValues: func(buf []HostValue) []HostValue { return append(buf, states...) },
		Filters: []LabelFilter{
			{Collector: "net", Label: "nic", Exclude: regexp.MustCompile("^(?:ifb.*)$")},
			{Collector: "cpu", Label: "state", Exclude: regexp.MustCompile("LISTENING")}, // of another collector
		},
	})
	families := []string{"windows_net_nic_info", "windows_tcp_connections_state_count", "windows_unknown",
		"windows_memory_modified_page_list_bytes", "windows_thermalzone_temperature_celsius"}
	first := []string{
		`windows_memory_modified_page_list_bytes{} 7`, `windows_net_nic_info{mac="02:00",nic="eth0"} 1`,
		`windows_tcp_connections_state_count{af="ipv4",state="LISTENING"} 3`,
	}
	if diff := cmp.Diff(first, lines(mapped(t, mapper, f, n), families...)); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}

	states = []HostValue{{"windows_tcp_connections_state_count", []Label{{"af", "ipv4"}, {"state", "LISTENING"}}, 4}}
	second := []string{first[0], `windows_tcp_connections_state_count{af="ipv4",state="LISTENING"} 4`}
	if diff := cmp.Diff(second, lines(mapped(t, mapper, f, n), families...)); diff != "" {
		t.Errorf("second (-want +got):\n%s", diff)
	}
}

// TestHostValuesUnneeded: the host is read only for collectors that have values of it.
func TestHostValuesUnneeded(t *testing.T) {
	memory := made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"7"}, ""}
	f, n := block(t, at0, memory)
	for _, tt := range []struct {
		names     Scheme
		collector string
		reads     int
	}{
		{WindowsExporter, "tcp", 1}, {WindowsExporter, "os", 0}, {WindowsExporter, "system", 0}, {Own, "tcp", 0},
	} {
		reads := 0
		read := func(buf []HostValue) []HostValue {
			reads++
			return buf
		}
		mapper := NewMapper(Options{Names: []Scheme{tt.names}, Collectors: []string{tt.collector}, HostValues: read})
		mapped(t, mapper, f, n)
		if reads != tt.reads {
			t.Errorf("%v with collector %s: the host is read %d times, want %d", tt.names, tt.collector, reads, tt.reads)
		}
	}
}

// TestLogFacts: the description of a log has the version of Windows and the time zone.
func TestLogFacts(t *testing.T) {
	for _, tt := range []struct {
		is   winperf.LogInfo
		want Facts
	}{
		{winperf.LogInfo{System: "Windows 6.0, build 6000, 32-bit, 1 processor", Zone: "Eastern Standard Time"},
			Facts{Version: "6.0.6000", Major: "6", Minor: "0", Build: "6000", TimeZone: "Eastern Standard Time"}},
		{winperf.LogInfo{System: "winperf 1.0", Zone: "@tzres.dll,-212"}, Facts{}},
		{winperf.LogInfo{System: "Windows 6.0"}, Facts{}},
	} {
		if got := LogFacts(tt.is); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.is, got, tt.want)
		}
	}
}

// TestFactsUnknown: what is not known is absent; the machine's name and an info without labels
// are always there.
func TestFactsUnknown(t *testing.T) {
	f, n := block(t, at0, made{"DNS", []string{"Notify Sent PERF_COUNTER_RAWCOUNT"}, []string{"7"}, ""})
	m := NewMapper(Options{Names: []Scheme{WindowsExporter}, NoLegacy: true})
	want := []string{
		`windows_dns_notify_sent_total{} 7`,
		`windows_os_info{} 1`,
		`windows_os_hostname{fqdn="HOST",hostname="HOST"} 1`,
		`windows_time_current_timestamp_seconds{} 1705526400`,
	}
	if diff := cmp.Diff(want, lines(mapped(t, m, f, n))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// The time is that of each sample, also where nothing else is new.
	later, _ := block(t, at1, made{"DNS", []string{"Notify Sent PERF_COUNTER_RAWCOUNT"}, []string{"7"}, ""})
	got := lines(mapped(t, m, later, n), "windows_time_current_timestamp_seconds")
	if diff := cmp.Diff([]string{`windows_time_current_timestamp_seconds{} 1705526401`}, got); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
}

// TestFactsOfMachines: each machine of a record has its name, and none has the facts of another.
func TestFactsOfMachines(t *testing.T) {
	const other = "block name=\"OTHER\" perftime=1 perffreq=3579545 time100ns=133500000000000000\n"
	object := made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"1000"}, ""}
	a, n := block(t, at0, object)
	b, _ := block(t, other, object)
	m := NewMapper(Options{Names: []Scheme{WindowsExporter}, NoLegacy: true, Facts: testFacts})
	set := mapped(t, m, joined(t, a, b), n)
	unique(t, set)
	want := []string{
		`windows_memory_available_bytes{machine="HOST"} 1000`,
		`windows_memory_available_bytes{machine="OTHER"} 1000`,
		`windows_memory_physical_free_bytes{machine="HOST"} 1000`,
		`windows_memory_physical_free_bytes{machine="OTHER"} 1000`,
		`windows_os_info{machine="HOST"} 1`,
		`windows_os_info{machine="OTHER"} 1`,
		`windows_os_hostname{fqdn="HOST",hostname="HOST",machine="HOST"} 1`,
		`windows_os_hostname{fqdn="OTHER",hostname="OTHER",machine="OTHER"} 1`,
		`windows_time_current_timestamp_seconds{} 1705526400`,
	}
	if diff := cmp.Diff(want, lines(set)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEveryFact: there is a value for every row of facts in the tables, with the labels that the
// row names.
func TestEveryFact(t *testing.T) {
	opt := Options{Facts: testFacts}
	windows, err := newWindowsExporter(&opt)
	if err != nil {
		t.Fatal(err)
	}
	otel, err := newOTel(&opt)
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]Family{}
	for _, f := range slices.Concat(windows.factFamilies([]string{"HOST"}), otel.factFamilies([]string{"HOST"})) {
		families[f.Name] = f.Family
	}

	seen := 0
	for _, b := range slices.Concat(windows.blocks, otel.blocks) {
		if b.Kind != tables.Facts {
			continue
		}
		for _, r := range b.Rows {
			seen++
			if hostHelp[r.Counters[0]] == "" { // TestHostValues and TestWholeTable have those
				checkTold(t, r, families[r.Metric])
			}
		}
	}
	if seen != 43 {
		t.Errorf("%d rows", seen)
	}
}

func checkTold(t *testing.T, r tables.Row, f Family) {
	t.Helper()
	if len(f.Help) < 10 || !strings.HasSuffix(f.Help, ".") || strings.HasPrefix(f.Help, "This is") {
		t.Errorf("%s: the help is %q", r.Metric, f.Help)
	}
	if len(f.Columns) != 1 || f.Columns[0].Rows.Len() != 1 || len(f.Columns[0].Bits) != 1 {
		t.Errorf("%s has no value", r.Metric)
		return
	}
	var got, want []string
	for _, l := range f.Columns[0].Rows.Labels(0) {
		got = append(got, l.Name)
	}
	for _, l := range r.Labels {
		want = append(want, l.Name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || f.Type != tableType(r.Type) {
		t.Errorf("%s of type %v: labels (-want +got):\n%s", r.Metric, f.Type, diff)
	}
}

// TestCollectorOf: the collectors that read objects.
func TestCollectorOf(t *testing.T) {
	of := CollectorOf()
	for object, want := range map[string]string{
		"processor information": "cpu", "Processor": "cpu", "MSSQL$SHOP:Locks": "mssql",
		"SQLServer:Locks": "mssql", "TCPv6": "tcp",
		"NUMA Node Memory": "memory", "Winperf": "",
	} {
		if got := of(object); got != want {
			t.Errorf("%s belongs to %q, want %q", object, got, want)
		}
	}
}
