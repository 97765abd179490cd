package metrics

import (
	"testing"

	"github.com/winperf/winperf/frame"
)

// BenchmarkMapTables maps samples of every object of windows_exporter's tables, with two instances
// each, under those names, and next to that under winperf's own. The former are 850 metrics.
func BenchmarkMapTables(b *testing.B) {
	opt := Options{}
	s, err := newWindowsExporter(&opt)
	if err != nil {
		b.Fatal(err)
	}
	objects := tableObjects(s.blocks)
	first, table := blockText(at0, objects...)
	second, _ := blockText(at1, objects...)
	fs, n := frames(b, first, second), names(b, table)
	for _, scheme := range []Scheme{WindowsExporter, Own} {
		b.Run(scheme.String(), func(b *testing.B) {
			m, i := NewMapper(Options{Names: []Scheme{scheme}}), 0
			next := func() frame.Frame { i++; return fs[i%2] }
			values := valuesOf(mapped(b, m, next(), n))
			mapped(b, m, next(), n)
			for b.Loop() {
				mapped(b, m, next(), n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*values), "ns/value")
		})
	}
}

// BenchmarkReadTables reads the tables, which takes place once for a Mapper.
func BenchmarkReadTables(b *testing.B) {
	for b.Loop() {
		NewMapper(Options{Names: []Scheme{WindowsExporter}})
	}
}
