package logs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source"
)

// BenchmarkSummary reads logs of the reference blocks from files: "columns" decodes and
// cooks them and looks at no value, "read" looks at every value and its names, as
// what writes a log does, "summary" makes the figures of all. Bound: read takes
// at least 0.8 of the time of summary.
func BenchmarkSummary(b *testing.B) {
	b.Chdir(b.TempDir())
	for _, reference := range []struct {
		size    perftest.Size
		samples int
		churn   float64 // this part of the instances is replaced with each sample
		name    string
	}{
		{perftest.Small, 600, 0, "small"},
		{perftest.Desktop, 60, 0, "desktop"},
		{perftest.Small, 600, 0.01, "small-churn"},
		{perftest.Desktop, 60, 0.01, "desktop-churn"},
	} {
		log := reference.name + ".capture"
		writeReference(b, log, reference.size, reference.samples, reference.churn)
		logs := []string{log}
		for _, form := range []string{".blg", ".csv"} {
			to := reference.name + form
			convertReference(b, log, to)
			logs = append(logs, to)
		}
		for _, file := range logs {
			b.Run(file+"/columns", func(b *testing.B) { benchmarkRead(b, file, readColumns, nil) })
			b.Run(file+"/read", func(b *testing.B) { benchmarkRead(b, file, readValues, nil) })
			b.Run(file+"/summary", func(b *testing.B) { benchmarkSummary(b, file) })
		}
	}
}

func readColumns(c *measure.Cycle) { c.Columns() }

// readValues looks at every value as a reading.
func readValues(c *measure.Cycle) {
	var s winperf.Series
	for _, col := range c.Columns() {
		for n := range col.Len() {
			col.Describe(&s, n)
			col.Value(n)
		}
	}
}

func benchmarkSummary(b *testing.B, file string) {
	var g *Gatherer
	add := func(c *measure.Cycle) {
		if g == nil {
			g = &Gatherer{}
		}
		g.Add(c)
	}
	benchmarkRead(b, file, add, func() {
		g.Figures(50, 95, 99)
		g = nil
	})
}

// writeReference writes a capture of reference blocks.
func writeReference(b testing.TB, name string, size perftest.Size, samples int, churn float64) {
	b.Helper()
	file, err := os.Create(filepath.Clean(name))
	if err != nil {
		b.Fatal(err)
	}
	w := capture.NewWriter(file, capture.Options{})
	var sample winperf.Sample
	for _, reference := range perftest.Series(size, samples, churn, 1) {
		err := perftest.Fill(&sample, func(raw *winperf.Raw) error {
			raw.Format, raw.Schema = winperf.FormatV1, &winperf.Schema{}
			raw.Bytes = append(raw.Bytes, reference.Bytes...)
			return nil
		})
		if err == nil {
			err = w.Write(&sample)
		}
		if err != nil {
			b.Fatal(err)
		}
		sample.Clear()
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		b.Fatal(err)
	}
}

// openReference opens a log until the test ends.
func openReference(t testing.TB, name string) *Log {
	t.Helper()
	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() }) // it was only read
	return &Log{Name: name, Source: src}
}

// all is everything that a log has.
var all = winperf.Selection{Global: true, Costly: true}

// readReference hands out the samples of a log.
func readReference(t testing.TB, log *Log, each func(*measure.Cycle)) {
	t.Helper()
	for m, err := range Read(t.Context(), []*Log{log}, all, measure.Options{KeepFirst: true}) {
		if err != nil || len(m.Damage) > 0 {
			t.Fatal(err, m.Damage)
		}
		for _, cycle := range m.Cycles {
			each(cycle)
		}
	}
}

// convertReference writes what a log has to another, whose extension names the format.
func convertReference(t testing.TB, from, to string) {
	t.Helper()
	file, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	logs := []*Log{openReference(t, from)}
	opt := Options{Location: time.UTC, Sink: sink.Options{File: true, Location: time.UTC}, Named: true}
	opt.Sink.Columns, err = Columns(t.Context(), logs, all, measure.Options{KeepFirst: true}, func(*Moment) {})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(file, filepath.Ext(to)[1:], opt)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range Read(t.Context(), logs, all, measure.Options{KeepFirst: true}) {
		if err == nil {
			err = w.Write(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// benchmarkRead reads a log again and again, and does something at the end.
func benchmarkRead(b *testing.B, name string, add func(*measure.Cycle), end func()) {
	values := 0
	for b.Loop() {
		readReference(b, openReference(b, name), func(c *measure.Cycle) {
			values += c.Len()
			add(c)
		})
		if end != nil {
			end()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(values), "ns/value")
}
