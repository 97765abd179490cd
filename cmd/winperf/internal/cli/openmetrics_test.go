package cli

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// TestOpenMetricsBlocks makes blocks of Prometheus' database of real logs, and finds each value
// in them, and no other.
func TestOpenMetricsBlocks(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		if runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no promtool: Debian has it in prometheus")
	}
	for name, machine := range map[string]string{"PAL_SampleLog.blg": "ZACH-PC", "Tx_BasicPerfCounters.blg": "GEORGIS3"} {
		whose := []metrics.Label{{Name: "instance", Value: machine}, {Name: "job", Value: "winperf"}}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log := filepath.Join(perftest.Data(t), "blg", name)
			cooked, text := filepath.Join(dir, "cooked.csv"), filepath.Join(dir, "log.om")
			run(t, "convert", log, "--path", `\PhysicalDisk(*)\*`, "--path", `\Processor(*)\*`, "-o", cooked)
			for _, from := range []string{log, cooked} {
				run(t, "convert", from, "-o", text, "--overwrite", "--quiet")
				data := filepath.Join(dir, filepath.Base(from)+".data")
				compareBlocks(t, samplesOf(t, from, whose...), dumped(t, text, data))
			}

			names := []metrics.Scheme{metrics.WindowsExporter, metrics.Own}
			run(t, "convert", log, "-o", text, "--overwrite", "--quiet", "--names", "windows_exporter,own")
			compareBlocks(t, samplesNamed(t, log, names, whose...), dumped(t, text, filepath.Join(dir, "names.data")))
		})
	}
}

// One text of raw and displayable values of one counter has its name twice, as a counter and as a gauge: Prometheus
// takes both, and each value is there.
func TestOpenMetricsOfBothKinds(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("no promtool: Debian has it in prometheus")
	}
	dir := t.TempDir()
	log := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	cooked, text := filepath.Join(dir, "cooked.csv"), filepath.Join(dir, "both.om")
	path := []string{"--quiet", "--path", `\TCPv4\Connections Active`}
	run(t, append([]string{"convert", log, "-o", cooked}, path...)...)
	run(t, append([]string{"convert", log, cooked, "-o", text}, path...)...)

	counters, gauges := 0, 0
	for key := range dumped(t, text, filepath.Join(dir, "data")) {
		switch {
		case strings.Contains(key, `"winperf_tcpv4_connections_active_total"`):
			counters++
		case strings.Contains(key, `"winperf_tcpv4_connections_active"`):
			gauges++
		}
	}
	if counters == 0 || counters != gauges {
		t.Errorf("%d of the counter, %d of the gauge", counters, gauges)
	}
}

// samplesOf are the values of a log, by series and time as promtool shows them. All series have more.
func samplesOf(t *testing.T, log string, more ...metrics.Label) map[string]float64 {
	t.Helper()
	return samplesNamed(t, log, nil, more...)
}

// samplesNamed are those of samplesOf under other names.
func samplesNamed(t *testing.T, log string, names []metrics.Scheme, more ...metrics.Label) map[string]float64 {
	t.Helper()
	src, err := source.Open(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()

	samples := map[string]float64{}
	facts := metrics.LogFacts(src.Describe().Log)
	mapper := metrics.NewMapper(metrics.Options{ // as convert does
		Names: names, LoneTotals: true, Facts: facts, Groups: metrics.Grouping{By: metrics.ByName},
	})
	all := winperf.Selection{Global: true, Costly: true}
	for c, err := range measure.Watch(t.Context(), src, all, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		set, err := mapper.Map(c.Frame, c.Names)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range set.Families {
			for i := range f.Columns {
				addSamples(samples, f.Name, &f.Columns[i], set.Time, more)
			}
		}
	}
	return samples
}

func addSamples(to map[string]float64, name string, c *metrics.Column, at time.Time, more []metrics.Label) {
	if !c.Time.IsZero() {
		at = c.Time
	}
	for i, bits := range c.Bits {
		if !c.Has(i) {
			continue
		}
		labels := append([]metrics.Label{{Name: "__name__", Value: name + c.Suffix}}, c.Extra...)
		labels = append(append(labels, c.Rows.Labels(i)...), more...)
		slices.SortFunc(labels, func(a, b metrics.Label) int { return strings.Compare(a.Name, b.Name) })
		var parts []string
		for _, l := range labels {
			if l.Value != "" {
				parts = append(parts, l.Name+"="+strconv.Quote(l.Value))
			}
		}

		value := math.Float64frombits(bits)
		switch c.Form {
		case metrics.Whole:
			value = float64(bits)
		case metrics.Ticks100ns:
			value, _ = new(big.Rat).SetFrac(new(big.Int).SetUint64(bits), big.NewInt(1e7)).Float64()
		}
		to[fmt.Sprintf("{%s} %d", strings.Join(parts, ", "), at.UnixMilli())] = value
	}
}

// dumped makes blocks of a text, and reads what is in them.
func dumped(t *testing.T, text, data string) map[string]float64 {
	t.Helper()
	if out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", text, data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(data, "wal"), 0o700); err != nil { // it wants one
		t.Fatal(err)
	}
	out, err := exec.Command("promtool", "tsdb", "dump", data).Output()
	if err != nil {
		t.Fatal(err)
	}

	samples := map[string]float64{}
	for l := range strings.Lines(string(out)) {
		l = strings.TrimSpace(l)
		second := strings.LastIndexByte(l, ' ')
		first := strings.LastIndexByte(l[:max(second, 0)], ' ')
		if first < 0 {
			t.Fatalf("%q", l)
		}
		value, err := strconv.ParseFloat(l[first+1:second], 64)
		if err != nil {
			t.Fatal(err)
		}
		samples[l[:first]+l[second:]] = value
	}
	return samples
}

func compareBlocks(t *testing.T, want, got map[string]float64) {
	t.Helper()
	wrong := 0
	for key, v := range want {
		if found, ok := got[key]; !ok || math.Float64bits(found) != math.Float64bits(v) {
			if wrong++; wrong < 5 {
				t.Errorf("%s: %v, found %v", key, v, found)
			}
		}
	}
	if len(got) != len(want) || len(want) < 300 || wrong > 0 {
		t.Errorf("%d samples, want %d, %d wrong", len(got), len(want), wrong)
	}
}
