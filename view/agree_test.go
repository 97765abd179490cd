package view_test

import (
	"math"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// TestStatisticsAgree: the figures are the ones of winperf summary, for each instance.
func TestStatisticsAgree(t *testing.T) {
	files := []string{writeLog(t, t.TempDir(), 0, 20, block)}
	t.Run("real", func(t *testing.T) { files = append(files, perftest.Data(t, "blg", "PAL_SampleLog.blg")) })
	for _, file := range files {
		v := open(t, file)
		src, err := source.OpenLog(t.Context(), file, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		compared := 0
		for _, path := range []string{`\Process(*)\*`, `\Processor(*)\*`, `\Memory\*`, `\System\*`} {
			var summary logs.Gatherer
			sel, err := winperf.Select(path)
			if err != nil {
				t.Fatal(err)
			}
			for cycle, err := range measure.Watch(t.Context(), src, sel, measure.Options{KeepFirst: true}) {
				if err != nil {
					t.Fatal(err)
				}
				summary.Add(cycle)
			}
			got, err := v.Statistics(t.Context(), view.Request{Paths: []string{path}})
			if err != nil {
				t.Fatal(err)
			}

			rows, figures := summary.Rows(), summary.Figures(50, 95)
			if len(got.Series) != len(rows) {
				t.Fatalf("%s %s: %d series, summary has %d", file, path, len(got.Series), len(rows))
			}
			for i, want := range figures {
				have := got.Series[i]
				near := func(a view.Number, b float64) bool {
					return math.Abs(float64(a)-b) <= 1e-9*math.Abs(b) || math.IsNaN(float64(a)) && math.IsNaN(b)
				}
				// Times are in milliseconds here, which affects the weights of the average.
				average := math.Abs(float64(have.Average)-want.Average) <= 1e-3*math.Abs(want.Average) ||
					math.IsNaN(want.Average)
				if have.Count != want.Count || have.Missing != want.Missing || !near(have.Minimum, want.Min) ||
					!near(have.Maximum, want.Max) || !near(have.Last, want.Last) || !near(have.Deviation, want.Deviation) ||
					!near(have.Median, want.Percentiles[0]) || !near(have.P95, want.Percentiles[1]) || !average {
					t.Errorf("%s of %v: %+v, summary has %+v", have.Path, rows[i].Series, have, want)
				}
				compared++
			}
		}
		if compared < 5 {
			t.Errorf("%d series compared", compared)
		}
	}
}

// TestRepeatedPath: a path that is given twice counts once.
func TestRepeatedPath(t *testing.T) {
	path := `\Processor(*)\% Processor Time`
	chart, err := small(t).Range(t.Context(), view.Request{Paths: []string{path, path}}, view.Steps{})
	if err != nil || len(chart.Series) != 2 {
		t.Errorf("%+v, %v", chart, err)
	}
}
