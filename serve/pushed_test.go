package serve

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
)

// An exporter that is never scraped describes the samples that its program pushes.
func TestAbout(t *testing.T) {
	src := &fake{late: errors.New("late")}
	e := exporter(t, src, Config{Paths: paths(t, `\Memory\*`, `\Processor(*)\*`, `\Absent\*`)})
	sel := winperf.Selection{Paths: e.opt.Paths}
	m := measure.New(src, sel, measure.Options{FramesOnly: true})
	defer m.Close()
	cycle, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, err := metrics.NewMapper(e.Mapping()).Map(cycle.Frame, cycle.Names)
	if err != nil {
		t.Fatal(err)
	}

	e.Taken(nil, errors.New("no sample"))
	e.Taken(cycle, nil)
	if got := e.About(cycle, set, false); got != nil {
		t.Errorf("an old sample has %d metrics", len(got))
	}
	got := map[string]string{}
	for _, f := range e.About(cycle, set, true) {
		if slices.ContainsFunc(f.Columns, isQuantile) {
			t.Errorf("%s has quantiles", f.Name)
		}
		c := f.Columns[0]
		for i := range c.Rows.Len() {
			if !c.Has(i) {
				continue
			}
			value := fmt.Sprint(c.Bits[i])
			if c.Form == metrics.Float {
				value = fmt.Sprint(math.Float64frombits(c.Bits[i]))
			}
			got[fmt.Sprint(f.Name, c.Rows.Labels(i))] = value
		}
	}
	series := 0
	for _, f := range set.Families {
		for k := range f.Columns {
			series += present(&f.Columns[k])
		}
	}

	for name, want := range map[string]string{
		"winperf_samples_total[]":                  "2",
		"winperf_samples_failed_total[]":           "1",
		"winperf_sample_successful[]":              "0", // a provider is late
		"winperf_series[]":                         fmt.Sprint(series),
		"winperf_object_up[{object Memory}]":       "1",
		"winperf_object_up[{object Processor}]":    "1",
		"winperf_object_up[{object Absent}]":       "0",
		`winperf_path_unmatched[{path \Absent\*}]`: "1",
		`winperf_path_unmatched[{path \Memory\*}]`: "",
		"winperf_sample_timestamp_seconds[]":       fmt.Sprint(float64(cycle.Time.UnixMilli()) / 1e3),
	} {
		if got[name] != want {
			t.Errorf("%s is %q, expected %q", name, got[name], want)
		}
	}
}
