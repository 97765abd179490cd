package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/perftest"
)

// TestRealSummary compares with what perfmon showed of a log of Windows 8: average, least,
// greatest and last of one counter, to all digits that it shows, and with the same figures
// as they are without rounding.
func TestRealSummary(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "Tx_BasicPerfCounters.blg")
	blg := summaryOf(t, file, `\Processor(_Total)\% Processor Time`)
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	const shown = 0.0005
	near("average in perfmon", *blg.Average, 11.527, shown)
	near("minimum in perfmon", *blg.Minimum, 1.569, shown)
	near("maximum in perfmon", *blg.Maximum, 53.908, shown)
	near("last in perfmon", *blg.Last, 32.816, shown)
	near("mean", *blg.Mean, 11.527341637, 1e-9)
	near("minimum", *blg.Minimum, 1.568819282, 1e-9)
	near("maximum", *blg.Maximum, 53.907872443, 1e-9)
	near("last", *blg.Last, 32.815778590, 1e-9)
	if blg.Count != 600 || blg.Missing != 0 || blg.Error != 0 {
		t.Errorf("%+v", blg)
	}

	// The same log in other forms has the same figures.
	dir := t.TempDir()
	for _, name := range []string{"load.csv", "load.capture", "load.blg"} {
		to := filepath.Join(dir, name)
		run(t, "convert", file, "-o", to)
		other := summaryOf(t, to, `\Processor(_Total)\% Processor Time`)
		near(name, *other.Mean, *blg.Mean, 1e-12)
		near(name, *other.Deviation, *blg.Deviation, 1e-12)
		near(name, *other.Percentiles[1].Value, *blg.Percentiles[1].Value, 1e-12)
		if other.Count != 600 {
			t.Errorf("%s: %d values", name, other.Count)
		}
	}
}

// TestRealTop: of a log of Windows the process that used most processor time comes first, not one that
// was there for two samples only, whose average is higher.
func TestRealTop(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	for _, key := range []string{"total", "average", "maximum"} {
		out := run(t, "summary", file, `\Process(*)\% Processor Time`, "--top", "1", "--sort", key, "-o", "jsonl")
		var line struct {
			Path, Unit string
			Total      float64
			TotalUnit  string    `json:"total_unit"`
			When       time.Time `json:"maximum_time"`
		}
		if err := json.Unmarshal(out, &line); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2007, 8, 14, 19, 45, 38, 599e6, time.UTC)
		if line.Path != `\\ZACH-PC\Process(mmc)\% Processor Time` || line.When.Truncate(time.Millisecond) != when {
			t.Errorf("by %s: %s, maximum at %v", key, line.Path, line.When)
		}
		if math.Abs(line.Total-39.84375) > 0.001 || line.TotalUnit != "seconds" {
			t.Errorf("by %s: total %v %s", key, line.Total, line.TotalUnit)
		}
	}
}

// shownSummary is what the test reads of a line.
type shownSummary struct {
	Count, Missing                        int
	Average, Mean, Minimum, Maximum, Last *float64
	Deviation                             *float64
	Percentiles                           []struct{ Value *float64 }
	Error                                 float64 `json:"percentile_error"`
}

// summaryOf returns the line of one counter.
func summaryOf(t *testing.T, log, path string) (line shownSummary) {
	t.Helper()
	out := run(t, "summary", log, "--path", path, "-o", "jsonl")
	if n := bytes.Count(out, []byte("\n")); n != 1 {
		t.Fatalf("%d lines: %s", n, out)
	}
	if err := json.Unmarshal(out, &line); err != nil {
		t.Fatal(err)
	}
	return line
}
