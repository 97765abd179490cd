package datablock_test

import (
	"testing"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
)

// BenchmarkDecode decodes a block and reads every raw value through the index.
func BenchmarkDecode(b *testing.B) {
	for _, size := range perftest.Sizes {
		b.Run(size.String(), func(b *testing.B) {
			block := perftest.Block(size)
			var ix index.Index
			var sum uint64
			n := 0
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				if err := datablock.Decode(block, &ix, datablock.Options{}); err != nil {
					b.Fatal(err)
				}
				sum, n = sumColumns(&ix)
			}
			reportValues(b, block, sum, n)
		})
	}
}

// BenchmarkWalk reads the same values by a walk written by hand, the reference
// for BenchmarkDecode.
func BenchmarkWalk(b *testing.B) {
	for _, size := range perftest.Sizes {
		b.Run(size.String(), func(b *testing.B) {
			block := perftest.Block(size)
			var walker perftest.Walker
			var sum uint64
			n := 0
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if sum, n, err = walker.Walk(block); err != nil {
					b.Fatal(err)
				}
			}
			reportValues(b, block, sum, n)
		})
	}
}

// reportValues reports the time per value and checks that all were read.
func reportValues(b *testing.B, block []byte, sum uint64, n int) {
	b.Helper()
	if wantSum, want, err := perftest.Walk(block); err != nil || sum != wantSum || n != want {
		b.Fatalf("read %d values, sum %d; want %d, sum %d (%v)", n, sum, want, wantSum, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
}

// sumColumns reads every raw value, some instances at a time, and returns their
// sum and number.
func sumColumns(ix *index.Index) (sum uint64, n int) {
	var column [64]uint64
	for obj := range ix.Objects {
		o := &ix.Objects[obj]
		instances := int(o.InstanceEnd - o.Instance0)
		for first := 0; first < instances; first += len(column) {
			dst := column[:min(len(column), instances-first)]
			for ctr := range int(o.CounterEnd - o.Counter0) {
				ix.Column(dst, obj, ctr, first)
				sum += total(dst)
				n += len(dst)
			}
		}
	}
	return sum, n
}

//go:noinline
func total(s []uint64) (sum uint64) {
	for _, v := range s {
		sum += v
	}
	return sum
}
