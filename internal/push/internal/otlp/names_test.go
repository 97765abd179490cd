package otlp_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/otlptranslator"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/push/internal/otlp"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// TestNamesAfterTranslation sends all metrics of a log and of this machine. Prometheus' translation of the sent names
// and units gives the names of a scrape.
func TestNamesAfterTranslation(t *testing.T) {
	log := filepath.Join("..", "..", "..", "..", "..", "shared", "data", "blg", "PAL_SampleLog.blg")
	for _, url := range []string{log, "local:"} {
		if _, err := os.Stat(url); url == log && err != nil || url != log && runtime.GOOS != "linux" {
			t.Logf("%s is missing: %v", url, err)
			continue
		}
		set := setOf(t, url)
		sent := translated(t, set)
		for i := range set.Families {
			f := &set.Families[i]
			has := slices.ContainsFunc(f.Columns, func(c metrics.Column) bool { return c.Rows.Len() > 0 && c.Has(0) })
			if has && !sent[f.Name] {
				t.Errorf("%s of type %d, unit %q, has another name after the translation", f.Name, f.Type, f.Unit)
			}
		}
		if len(sent) < 100 {
			t.Errorf("%s: only %d names", url, len(sent))
		}
	}
}

// TestOtherNamesAfterTranslation sends counters of windows_exporter with names that Prometheus would change.
func TestOtherNamesAfterTranslation(t *testing.T) {
	single := metrics.NewRows([][]metrics.Label{nil}, nil)
	set := &metrics.Set{Time: taken}
	for _, name := range []string{
		"windows_mssql_sqlstats_batch_requests", "windows_iis_total_worker_processes_created",
		"windows_hyperv_hypervisor_virtual_processor_total_run_time_total", "windows_cpu_time_total",
	} {
		set.Families = append(set.Families, metrics.Family{
			Name: name, Type: metrics.Counter, Columns: []metrics.Column{{Rows: single, Bits: []uint64{1}}},
		})
	}
	sent := translated(t, set)
	for _, f := range set.Families {
		if !sent[f.Name] {
			t.Errorf("%s is not in %v", f.Name, sent)
		}
	}
}

// setOf returns the metrics of a source under winperf's and windows_exporter's names.
func setOf(t *testing.T, url string) *metrics.Set {
	t.Helper()
	src, err := source.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()

	m := metrics.NewMapper(metrics.Options{Names: []metrics.Scheme{metrics.Own, metrics.WindowsExporter}})
	sel := winperf.Selection{Global: true, Costly: true}
	for cycle, err := range measure.Watch(t.Context(), src, sel, measure.Options{FramesOnly: true}) {
		if err != nil {
			t.Fatal(err)
		}
		set, err := m.Map(cycle.Frame, cycle.Names)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	t.Fatal("no sample")
	return nil
}

// translated returns the names that Prometheus makes of the metrics in the requests of a Set.
func translated(t *testing.T, set *metrics.Set) map[string]bool {
	t.Helper()
	namer := otlptranslator.MetricNamer{WithMetricSuffixes: true}
	names := map[string]bool{}
	d := decoder{t: t}
	send := func(r *otlp.Request) error {
		for _, resource := range d.fields(r.Body)[1] {
			for _, m := range d.fields(d.one(d.fields(resource.Bytes), 2).Bytes)[2] {
				metric := d.fields(m.Bytes)
				var kind otlptranslator.MetricType = otlptranslator.MetricTypeGauge
				switch {
				case len(metric[11]) > 0:
					kind = otlptranslator.MetricTypeSummary
				case d.one(d.fields(d.one(metric, 7).Bytes), 3).Uint == 1:
					kind = otlptranslator.MetricTypeMonotonicCounter
				}
				name, unit := string(d.one(metric, 1).Bytes), string(d.one(metric, 3).Bytes)
				got, err := namer.Build(otlptranslator.Metric{Name: name, Unit: unit, Type: kind})
				if err != nil || strings.Contains(got, "__") {
					t.Errorf("%s: %q, %v", name, got, err)
				}
				names[got] = true
			}
		}
		return nil
	}
	e := otlp.NewEncoder(otlp.Options{})
	if err := e.Encode(set, send); err != nil {
		t.Fatal(err)
	}
	if err := e.Flush(send); err != nil {
		t.Fatal(err)
	}
	return names
}
