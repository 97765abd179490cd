package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// BenchmarkSummary reads logs of the reference blocks from files: "columns" decodes and
// cooks them and looks at no value, "read" hands out every value as a reading, as it is
// for everything that writes a log, "summary" makes the figures of all. Bound: read takes
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
			args := []string{"convert", log, "-o", to}
			if status := Run(b.Context(), args, nil, io.Discard, os.Stderr); status != exitDone {
				b.Fatal("convert failed")
			}
			logs = append(logs, to)
		}
		for _, file := range logs {
			b.Run(file+"/columns", func(b *testing.B) { readReference(b, file, readColumns, nil) })
			b.Run(file+"/read", func(b *testing.B) { readReference(b, file, readValues, nil) })
			b.Run(file+"/summary", func(b *testing.B) { benchmarkSummary(b, file) })
		}
	}
}

func readColumns(c *measure.Cycle) { c.Columns() }

// readValues looks at every value as a reading.
func readValues(c *measure.Cycle) {
	for i := range c.Len() {
		c.At(i)
	}
}

func benchmarkSummary(b *testing.B, file string) {
	var g *gatherer
	add := func(c *measure.Cycle) {
		if g == nil {
			g = newGatherer()
		}
		g.add(c)
	}
	readReference(b, file, add, func() {
		for _, row := range g.all() {
			row.values.Figures(50, 95, 99)
		}
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
	var blocks winperf.Blocks
	for _, reference := range perftest.Series(size, samples, churn, 1) {
		err := perftest.Fill(&sample, &blocks, func(raw *winperf.Raw) error {
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
		sample.Release()
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		b.Fatal(err)
	}
}

// readReference reads a log again and again, and does something at the end.
func readReference(b *testing.B, name string, add func(*measure.Cycle), end func()) {
	values := 0
	for b.Loop() {
		in, err := (&app{}).openInput(b.Context(), name, source.LogOptions{})
		if err != nil {
			b.Fatal(err)
		}
		each := func(c *measure.Cycle) {
			values += c.Len()
			add(c)
		}
		sel := winperf.Selection{Global: true, Costly: true}
		if err := in.walk(b.Context(), sel, measure.Options{KeepFirst: true}, each, func([]error) {}); err != nil {
			b.Fatal(err)
		}
		if end != nil {
			end()
		}
		_ = in.close() // it was only read
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(values), "ns/value")
}
