package view_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/usage"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// TestLarge reports the times of requests for a large log, named by WINPERF_LARGE_LOG: how long a page waits
// for its first answers, for a chart of one counter and of 500 instances, and for the next zoom.
func TestLarge(t *testing.T) {
	name := os.Getenv("WINPERF_LARGE_LOG")
	if name == "" {
		t.Skip("WINPERF_LARGE_LOG names no log")
	}
	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	used, _ := usage.Processor()
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		now, _ := usage.Processor()
		const form = "%-40s %8.3f s, processor %.3f s, resident %d MB"
		t.Logf(form, what, time.Since(begin).Seconds(), (now - used).Seconds(), resident(t))
		begin, used = time.Now(), now
	}
	v, err := view.New(t.Context(), []view.Source{{Name: name, Source: src}}, view.Options{})
	step("open", err)
	defer v.Close()
	sources, err := v.Sources(t.Context())
	step("sources", err)
	t.Logf("%+v", sources.Sources[0])
	objects, err := v.Objects(t.Context(), view.Request{})
	step("objects", err)

	one, many, most := "", "", 0
	for _, o := range objects.Objects {
		path := `\` + o.Name + `(*)\` + o.Counters[0].Name
		if o.Instances == nil {
			one = strings.Replace(path, "(*)", "", 1)
		} else if *o.Instances > most && *o.Instances < 1000 {
			many, most = path, *o.Instances
		}
	}
	for _, path := range []string{one, many} {
		r := view.Request{Paths: []string{path}}
		how := view.Steps{Points: 500, Top: 500}
		chart, err := v.Range(t.Context(), r, how)
		step("chart of "+path, err)
		t.Logf("complete %v, %d times, %d series", chart.Complete, len(chart.Times), len(chart.Series))
		for !chart.Complete {
			time.Sleep(100 * time.Millisecond)
			if chart, err = v.Range(t.Context(), r, how); err != nil {
				t.Fatal(err)
			}
		}
		step("complete chart", nil)
		zoom := r
		length := chart.End.Sub(chart.Begin)
		zoom.Begin, zoom.End = chart.Begin.Add(length/2), chart.Begin.Add(length*2/3)
		chart, err = v.Range(t.Context(), zoom, how)
		step("zoom", err)
		t.Logf("complete %v, %d times, step %v", chart.Complete, len(chart.Times), chart.Step)
	}
	_, err = v.Values(t.Context(), view.Request{Paths: []string{many}})
	step("values", err)
	_, err = v.Changed(t.Context(), view.Request{}, "")
	step("changed", err)
	_, err = v.Events(t.Context(), view.Request{})
	step("events", err)
}

// resident returns the resident memory of this program in MB, 0 if unknown.
func resident(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, c := range strings.Fields(string(text))[1] {
		pages = pages*10 + int(c-'0')
	}
	return pages * os.Getpagesize() >> 20
}
