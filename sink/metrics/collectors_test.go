package metrics

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCollectors: a list of collectors leaves only their metrics, and filters only the instances that
// they let pass, under windows_exporter's names.
func TestCollectors(t *testing.T) {
	exactly := func(text string) *regexp.Regexp { return regexp.MustCompile("^(?:" + text + ")$") }
	opt := Options{
		Names: []Scheme{WindowsExporter, Own}, Collectors: []string{"net", "physical_disk", "process", "os"},
		Filters: []LabelFilter{
			{Collector: "net", Label: "nic", Include: exactly("eth.*|lo"), Exclude: exactly("eth1")},
			{Collector: "physical_disk", Label: "disk", Include: exactly("0 .*")},
			{Collector: "process", Label: "process", Include: exactly("nginx")},
			{Collector: "logical_disk", Label: "nic", Include: exactly("nothing")},
		},
	}
	got := windowsLines(t, opt,
		made{"Network Interface", []string{"Bytes Total/sec PERF_COUNTER_BULK_COUNT"},
			[]string{"eth0: 1", "eth1: 2", "lo: 3", "aeth0: 4"}, ""},
		made{"PhysicalDisk", []string{"Disk Reads/sec PERF_COUNTER_COUNTER"}, []string{"0 C: D:: 5", "1 E:: 6"}, ""},
		made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "Thread Count PERF_COUNTER_RAWCOUNT"},
			[]string{"nginx: 7 70", "nginx#1: 8 80", "nginx2: 9 90"}, ""},
		made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"10"}, ""},
	)
	got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "winperf_process") })
	want := []string{
		`windows_net_bytes_total{nic="eth0"} 1`, `windows_net_bytes_total{nic="lo"} 3`,
		`windows_physical_disk_reads_total{disk="0"} 5`,
		`windows_process_threads{process="nginx",process_id="7"} 70`,
		`windows_process_threads{process="nginx",process_id="8"} 80`,
		`windows_process_info{process="nginx",process_id="7"} 1`,
		`windows_process_info{process="nginx",process_id="8"} 1`,
		`windows_os_physical_memory_free_bytes{} 10`,
		`winperf_network_interface_bytes_total{name="eth0"} 1`,
		`winperf_network_interface_bytes_total{name="eth1"} 2`,
		`winperf_network_interface_bytes_total{name="lo"} 3`,
		`winperf_network_interface_bytes_total{name="aeth0"} 4`,
		`winperf_physical_disk_disk_reads_total{name="0 C: D:"} 5`,
		`winperf_physical_disk_disk_reads_total{name="1 E:"} 6`,
		`winperf_memory_available_bytes{} 10`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	opt.Collectors = []string{"cpu"}
	opt.Names = nil
	if got := windowsLines(t, opt, made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"},
		[]string{"10"}, ""}); got != nil {
		t.Errorf("cpu: %q", got)
	}
}

// TestCollectorFacts: facts belong to their collectors, and cs to os.
func TestCollectorFacts(t *testing.T) {
	f, n := block(t, at0, made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"1"}, ""})
	for collector, want := range map[string]string{
		"os":     "windows_cs_hostname windows_os_hostname windows_os_info",
		"system": "windows_system_processes_limit",
		"tcp":    "",
	} {
		opt := Options{Names: []Scheme{WindowsExporter}, Collectors: []string{collector}, Facts: testFacts}
		names := map[string]bool{}
		for _, f := range mapped(t, NewMapper(opt), f, n).Families {
			names[f.Name] = true
		}
		for _, name := range strings.Fields(want) {
			if !names[name] {
				t.Errorf("%s has no %s: %v", collector, name, names)
			}
		}
		if names["windows_cpu_logical_processor"] || want == "" && len(names) > 0 {
			t.Errorf("%s has %v", collector, names)
		}
	}
}

// TestCollectorObjects: the objects that collectors read, with the alternatives.
func TestCollectorObjects(t *testing.T) {
	got := CollectorObjects()
	for collector, want := range map[string][]string{
		"cpu": {"Processor Information", "Processor"}, "process": {"Process V2", "Process"},
		"tcp": {"TCPv4", "TCPv6"}, "os": {"NUMA Node Memory", "Memory", "System", "Paging File"},
	} {
		if diff := cmp.Diff(want, got[collector]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", collector, diff)
		}
	}
	for _, none := range []string{"cs", "exporter", "textfile"} {
		if objects, there := got[none]; there {
			t.Errorf("%s reads %q", none, objects)
		}
	}
}

// TestSystemOfCounters: a counter whose meaning depends on the system has the name of its system.
func TestSystemOfCounters(t *testing.T) {
	counters := []string{
		"ID Process PERF_COUNTER_RAWCOUNT", "Handle Count PERF_COUNTER_RAWCOUNT", "User ID PERF_COUNTER_RAWCOUNT",
	}
	values := []string{"a: 7 70 1000", "b: 8 80 8"}
	for system, c := range map[string]struct{ counter, metric, other string }{
		"Linux":   {"User ID", "process.open_file_descriptors", "process.handles"},
		"Windows": {"Priority Base", "process.handles", "process.open_file_descriptors"},
	} {
		counters[2] = c.counter + " PERF_COUNTER_RAWCOUNT"
		got := windowsLines(t, Options{Names: []Scheme{OTel}}, made{"Process", counters, values, ""})
		for _, want := range []string{
			c.metric + `{process.executable.name="a",process.pid="7"} 70`,
			c.metric + `{process.executable.name="b",process.pid="8"} 80`,
		} {
			if !slices.Contains(got, want) || strings.Contains(strings.Join(got, " "), c.other) {
				t.Errorf("%s: %q, want %s and no %s", system, got, want, c.other)
			}
		}
	}
}
