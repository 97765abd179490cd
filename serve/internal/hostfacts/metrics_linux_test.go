package hostfacts

import (
	"context"
	"math"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// TestMetrics: under the names of windows_exporter a Linux host shows what dashboards begin with, and
// facts and counters agree.
func TestMetrics(t *testing.T) {
	ctx := context.Background()
	src, err := source.Open(ctx, "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	loop := measure.New(src, winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
	defer loop.Close()
	cycle, err := loop.Cycle(ctx)
	if err != nil {
		t.Fatal(err)
	}

	facts := facts(winperf.HostFiles{})
	mapper := metrics.NewMapper(metrics.Options{Names: []metrics.Scheme{metrics.WindowsExporter,
		metrics.OTel}, Facts: facts})
	set, err := mapper.Map(cycle.Frame, cycle.Names)
	if err != nil {
		t.Fatal(err)
	}
	values := most(set)
	for _, name := range []string{
		"windows_os_info", "windows_os_hostname", "windows_cs_hostname", "windows_cpu_time_total",
		"windows_cpu_logical_processor",
		"windows_memory_available_bytes", "windows_system_boot_time_timestamp", "windows_process_info",
		"windows_process_start_time_seconds_timestamp", "windows_time_current_timestamp_seconds", "system.cpu.time",
		"process.memory.usage",
	} {
		if values[name] == 0 {
			t.Errorf("%s has no value", name)
		}
	}

	total := values["windows_memory_physical_total_bytes"]
	if free := values["windows_memory_physical_free_bytes"]; total != float64(facts.PhysicalMemory) || free > total {
		t.Errorf("%v bytes of %v are free, want of %v", free, total, facts.PhysicalMemory)
	}
	if boot := values["windows_system_boot_time_timestamp"]; math.Abs(boot-float64(facts.Boot.Unix())) > 1 {
		t.Errorf("booted at %v, want %v", boot, facts.Boot.Unix())
	}
}

// most are the largest values of all families.
func most(set *metrics.Set) map[string]float64 {
	values := map[string]float64{}
	for _, f := range set.Families {
		for _, c := range f.Columns {
			for _, v := range c.Bits {
				value := float64(v)
				switch c.Form {
				case metrics.Ticks100ns:
					value /= 1e7
				case metrics.Float:
					value = math.Float64frombits(v)
				}
				values[f.Name] = max(values[f.Name], value)
			}
		}
	}
	return values
}
