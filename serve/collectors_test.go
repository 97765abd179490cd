package serve

import (
	"fmt"
	"maps"
	"os"
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
	})

	build := fmt.Sprintf("[{goarch %s} {goos %s} {goversion %s} {version 1.2.0}]",
		runtime.GOARCH, runtime.GOOS, runtime.Version())
	want := []string{
		"windows_exporter_build_info " + build + " 1",
		"windows_exporter_collector_duration_seconds [{collector cpu}] 20000",
		"windows_exporter_collector_duration_seconds [{collector tcp}] 123000",
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
	if none.likeWindowsExporter(nil); len(values(none.list)) != 2 {
		t.Errorf("without objects: %q", values(none.list))
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
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "windows_exporter_") && len(cells) > 2 {
			want[cells[0]] = cells[2]
		}
	}

	b := builder{self: newSelf("1.2.0")}
	b.likeWindowsExporter([]objectState{{Name: "Memory"}})
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
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" || len(want) != 5 {
		t.Errorf("(-table +got):\n%s", diff)
	}
}
