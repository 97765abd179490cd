package serve

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/sink/metrics"
)

// The metrics about collectors are those of the objects that each one reads.
func TestLikeWindowsExporter(t *testing.T) {
	b := builder{self: newSelf("1.2.0")}
	b.likeWindowsExporter([]objectState{
		{Name: "Processor Information", up: true, took: 2 * time.Millisecond},
		{Name: "TCPv6", took: 12300 * time.Microsecond},
		{Name: "Processor", took: time.Millisecond},
		{Name: "Winperf", up: true, took: time.Second}, // that no collector reads
	}, nil)

	build := fmt.Sprintf("[{goarch %s} {goos %s} {goversion %s} {version 1.2.0}]",
		runtime.GOARCH, runtime.GOOS, runtime.Version())
	want := []string{
		"windows_exporter_build_info " + build + " 1",
		"windows_exporter_collector_success [{collector cpu}] 1",
		"windows_exporter_collector_success [{collector tcp}] 0",
		"windows_exporter_collector_timeout [{collector cpu}] 0",
		"windows_exporter_collector_timeout [{collector tcp}] 0",
		"windows_exporter_scrape_duration_seconds [] 123000",
	}
	if diff := cmp.Diff(want, values(b.list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range b.list {
		seconds := strings.HasSuffix(f.Name, "_seconds")
		if ticks := f.Columns[0].Form == metrics.Ticks100ns; ticks != seconds || f.Type != metrics.Gauge {
			t.Errorf("%s has the form %v and the type %v", f.Name, f.Columns[0].Form, f.Type)
		}
	}

	none := builder{self: newSelf("")}
	if none.likeWindowsExporter(nil, nil); len(values(none.list)) != 2 {
		t.Errorf("without objects: %q", values(none.list))
	}
}

// Of a list of collectors each has a result, whether it reads an object, none or a missing one; others have
// none, and neither have collectors without metrics.
func TestEnabledCollectors(t *testing.T) {
	b := builder{self: newSelf("")}
	b.likeWindowsExporter([]objectState{{Name: "Processor", up: true}, {Name: "TCPv4", up: true}},
		[]string{"cpu", "os", "iis", "textfile", "performancecounter"})
	var got []string
	for _, line := range values(b.list) {
		if strings.HasPrefix(line, "windows_exporter_collector_success") {
			got = append(got, strings.Fields(line)[2:]...)
		}
	}
	want := []string{"cpu}]", "1", "os}]", "1", "iis}]", "0", "performancecounter}]", "1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A server with collectors samples their objects only, and serves their metrics only.
func TestCollectors(t *testing.T) {
	src := &fake{}
	e := exporter(t, src, Config{
		Names: []metrics.Scheme{metrics.WindowsExporter}, Collectors: []string{"cpu", "os", "service"},
		Filters: []metrics.LabelFilter{{Collector: "cpu", Label: "core", Exclude: regexp.MustCompile("^1$")}},
	})
	for _, c := range []struct {
		query     string
		status    int
		has, lack string
	}{
		{"", 200, `windows_cpu_interrupts_total{core="0"}`, `windows_cpu_interrupts_total{core="1"}`},
		{"", 200, "windows_os_hostname{", "windows_memory"},
		{"", 200, `windows_exporter_collector_success{collector="cpu"} 1`, "winperf_path_unmatched"},
		{"", 200, `winperf_object_up{object="Processor"} 1`, `winperf_object_up{object="Processor Information"}`},
		{"?collect[]=os&collect[]=os", 200, "windows_os_hostname{", "windows_cpu"},
		{"?collect[]=os", 200, `windows_exporter_collector_success{collector="os"} 1`,
			`windows_exporter_collector_success{collector="cpu"}`},
		{"?collect%5B%5D=cpu", 200, `windows_cpu_interrupts_total{core="0"}`, "windows_os_"},
		{"?collect[]=service", 200, "winperf_build_info", "windows_os_"},
		{"?collect[]=memory", 400, "collector memory is unknown or not enabled\n", ""},
		{"?collect[]=cpu&object=Memory", 400, "collect[] cannot be combined with object or path", ""},
		{"?object=Processor", 200, `windows_cpu_interrupts_total{core="0"}`, "windows_memory"},
		{"?object=Thread", 404, "the filter matches nothing that is served", ""},
	} {
		status, text := scrape(e, "/metrics"+c.query)
		if status != c.status || !strings.Contains(text, c.has) || c.lack != "" && strings.Contains(text, "\n"+c.lack) {
			t.Errorf("%s: status %d\n%s", c.query, status, text)
		}
	}

	both := exporter(t, &fake{}, Config{Names: []metrics.Scheme{metrics.Own, metrics.WindowsExporter}})
	for query, want := range map[string]int{"?collect[]=memory": 200, "?collect[]=service": 200, "?collect[]=x": 400} {
		status, text := scrape(both, "/metrics"+query)
		memory := status != 200 || strings.Contains(text, "\nwindows_memory_available_bytes") == strings.Contains(query, "mem")
		if status != want || !memory || strings.Contains(text, "\nwinperf_memory") {
			t.Errorf("%s: status %d\n%s", query, status, text)
		}
	}
}

// values returns a line for each value.
func values(families []metrics.Family) (lines []string) {
	for _, f := range families {
		for _, c := range f.Columns {
			for i, bits := range c.Bits {
				lines = append(lines, fmt.Sprintf("%s %v %d", f.Name, c.Rows.Labels(i), bits))
			}
		}
	}
	return lines
}

// The table of windows_exporter's names lists the same metrics, with these labels.
func TestExporterRows(t *testing.T) {
	table, err := os.ReadFile("../sink/metrics/internal/tables/windows_core.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // labels by name
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(line, " | ")
		if strings.HasPrefix(line, "windows_exporter_") && !strings.Contains(line, "duration_seconds | G | collector") {
			want[cells[0]] = cells[2]
		}
	}

	b := builder{self: newSelf("1.2.0")}
	b.likeWindowsExporter([]objectState{{Name: "Memory"}}, nil)
	got := map[string]string{}
	for _, f := range b.list {
		got[f.Name] = ""
		for _, l := range f.Columns[0].Rows.Labels(0) {
			if !slices.Contains(strings.Split(want[f.Name], ", "), l.Name) {
				t.Errorf("%s has the label %s, the table has %q", f.Name, l.Name, want[f.Name])
			}
		}
		if len(f.Help) < 10 || !strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s: the help is %q", f.Name, f.Help)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" || len(want) != 4 {
		t.Errorf("(-table +got):\n%s", diff)
	}
}
