package metrics

import (
	"testing"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
)

// series are two samples of a size, with so many percent of the processes replaced.
func series(b testing.TB, size perftest.Size, churn float64) []frame.Frame {
	var blocks [][]byte
	for _, s := range perftest.Series(size, 2, churn, 1) {
		blocks = append(blocks, s.Bytes)
	}
	return decoded(b, blocks...)
}

// BenchmarkMap maps samples with the same instances as the one before. BenchmarkReadColumns
// is the reference: it reads the same columns and does nothing with them.
func BenchmarkMap(b *testing.B) {
	for _, size := range []perftest.Size{perftest.Desktop, perftest.Huge} {
		b.Run(size.String(), func(b *testing.B) { benchmarkMap(b, series(b, size, 0)) })
	}
}

// BenchmarkMapChurn maps samples in which 1 % of the processes are new.
func BenchmarkMapChurn(b *testing.B) { benchmarkMap(b, series(b, perftest.Desktop, 1)) }

func benchmarkMap(b *testing.B, fs []frame.Frame) {
	m, n := NewMapper(Options{Totals: true}), new(nametable.Names)
	count := 0
	for i := range 4 {
		count = valuesOf(mapped(b, m, fs[i%2], n))
	}

	b.ReportAllocs()
	i := 0
	for b.Loop() {
		mapped(b, m, fs[i%2], n)
		i++
	}
	b.ReportMetric(float64(count), "values")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/value")
}

// valuesOf is how many values a Set has.
func valuesOf(set *Set) (n int) {
	for _, f := range set.Families {
		for _, c := range f.Columns {
			n += len(c.Bits)
		}
	}
	return n
}

func BenchmarkReadColumns(b *testing.B) {
	for _, size := range []perftest.Size{perftest.Desktop, perftest.Huge} {
		b.Run(size.String(), func(b *testing.B) {
			fs := series(b, size, 0)
			var memory []uint64
			var sum uint64
			values, i := 0, 0
			for b.Loop() {
				values = 0
				for o := range fs[i%2].Objects() {
					if o.Len() > len(memory) {
						memory = make([]uint64, o.Len())
					}
					for k := range o.NumCounters() {
						o.ReadRaw(memory[:o.Len()], k, 0)
						for _, v := range memory[:o.Len()] {
							sum += v
						}
						values += o.Len()
					}
				}
				i++
			}
			b.ReportMetric(float64(values), "values")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(values), "ns/value")
			_ = sum
		})
	}
}

// TestMapAllocatesNothing maps samples with the same instances.
func TestMapAllocatesNothing(t *testing.T) {
	fs := series(t, perftest.Desktop, 0)
	m, n := NewMapper(Options{}), new(nametable.Names)
	i := 0
	next := func() {
		mapped(t, m, fs[i%2], n)
		i++
	}
	for range 4 {
		next()
	}
	if a := testing.AllocsPerRun(10, next); a > 0 {
		t.Errorf("%v allocations a sample, want none", a)
	}
}
