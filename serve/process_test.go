package serve

import (
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The values about the program are plausible. Package benchref of sink/prometheus compares names, types and labels
// with the client library.
func TestProcess(t *testing.T) {
	runtime.GC()
	e := exporter(t, &fake{}, Config{})
	_, text := scrape(e, "/metrics")
	v := func(name string) float64 {
		f, err := strconv.ParseFloat(value(text, name), 64)
		if err != nil {
			f = math.NaN()
		}
		return f
	}

	now := float64(time.Now().UnixMilli()) / 1e3
	for name, limit := range map[string][2]float64{
		"go_goroutines":                          {2, 1e4},
		"go_threads":                             {2, 1e4},
		"go_sched_gomaxprocs_threads":            {1, 1e4},
		"go_gc_gogc_percent":                     {1, 1e4},
		"go_gc_gomemlimit_bytes":                 {1e6, math.MaxInt64},
		"go_memstats_heap_objects":               {100, 1e9},
		"go_memstats_alloc_bytes":                {1e4, v("go_memstats_alloc_bytes_total")},
		"go_memstats_heap_alloc_bytes":           {v("go_memstats_alloc_bytes"), v("go_memstats_alloc_bytes")},
		"go_memstats_heap_inuse_bytes":           {v("go_memstats_alloc_bytes"), v("go_memstats_heap_sys_bytes")},
		"go_memstats_frees_total":                {1, v("go_memstats_mallocs_total")},
		"go_memstats_sys_bytes":                  {v("go_memstats_heap_sys_bytes"), 1e12},
		"go_memstats_mspan_inuse_bytes":          {1, v("go_memstats_mspan_sys_bytes")},
		"go_memstats_last_gc_time_seconds":       {now - 3600, now + 1},
		"go_gc_duration_seconds_count":           {1, 1e9},
		`go_gc_duration_seconds{quantile="0.5"}`: {0, v(`go_gc_duration_seconds{quantile="1"}`)},
		"go_gc_duration_seconds_sum":             {v(`go_gc_duration_seconds{quantile="0"}`), 1e4},
		"process_cpu_seconds_total":              {1e-9, 1e6},
	} {
		if got := v(name); !(got >= limit[0] && got <= limit[1]) {
			t.Errorf("%s is %v, expected %v to %v", name, got, limit[0], limit[1])
		}
	}
	if value(text, `go_info{version="`+runtime.Version()+`"}`) != "1" {
		t.Error("no go_info")
	}

	// Wine does not count handles.
	known := map[string]int{"linux": 9, "windows": 5}[runtime.GOOS]
	if n := strings.Count(text, "\n# TYPE process_"); n < known {
		t.Errorf("%d metrics process_*, want %d", n, known)
	}
}
