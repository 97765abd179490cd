package frame_test

import (
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// BenchmarkDecode decodes samples with the names kept from the one before and
// reads every raw value. BenchmarkWalk is the reference: a hand-written walk
// that makes the same checks and reads every value.
func BenchmarkDecode(b *testing.B) {
	for _, size := range perftest.Sizes {
		b.Run(size.String(), func(b *testing.B) {
			var pool frame.Pool
			block := perftest.Block(size)
			before := frame.Frame{}
			var column []uint64
			var sum uint64
			values := 0
			b.ReportAllocs()
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				f := pool.Get()
				f.Raw().Format, f.Raw().Bytes = winperf.FormatV1, block
				if err := f.Decode(before); err != nil {
					b.Fatal(err)
				}
				s, n, c := readAll(f, column)
				column = c
				sum += s
				values = n
				before.Release()
				before = f
			}
			report(b, values, sum)
		})
	}
}

// readAll reads every raw value of the frame; dst is memory to use.
func readAll(f frame.Frame, dst []uint64) (sum uint64, n int, _ []uint64) {
	for o := range f.Objects() {
		for first, m := range o.Parts() {
			dst = slices.Grow(dst[:0], m)[:m]
			for k := range o.NumCounters() {
				o.ReadRaw(dst, k, first)
				for _, v := range dst {
					sum += v
				}
				n += len(dst)
			}
		}
	}
	return sum, n, dst
}

// BenchmarkWalk is the reference of BenchmarkDecode, over the same blocks.
func BenchmarkWalk(b *testing.B) {
	for _, size := range perftest.Sizes {
		b.Run(size.String(), func(b *testing.B) {
			block := perftest.Block(size)
			var sum uint64
			values := 0
			b.ReportAllocs()
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				s, n, err := perftest.Walk(block)
				if err != nil {
					b.Fatal(err)
				}
				sum += s
				values = n
			}
			report(b, values, sum)
		})
	}
}

// BenchmarkCook matches the instances of two samples, of which one percent of
// the processes differ, and cooks every counter of every object.
func BenchmarkCook(b *testing.B) {
	for _, size := range []perftest.Size{perftest.Desktop, perftest.Huge} {
		b.Run(size.String(), func(b *testing.B) {
			var pool frame.Pool
			var frames []frame.Frame
			before := frame.Frame{}
			for _, s := range perftest.Series(size, 2, 1, 1) {
				before = take(b, &pool, s.Bytes, before)
				frames = append(frames, before)
			}
			var ck frame.Cooker
			values, good := 0, uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				ck.Set(frames[0], frames[1], counter.Options{})
				values, good = 0, 0
				for o := range frames[1].Objects() {
					pair := ck.Object(o)
					for first, n := range pair.Parts() {
						for k := range o.NumCounters() {
							col := pair.Part(k, first, n)
							values += len(col.Bits)
							good += uint64(col.Status[0])
						}
					}
				}
			}
			report(b, values, good)
		})
	}
}

var sink uint64

func report(b *testing.B, values int, sum uint64) {
	sink += sum
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(values), "ns/value")
}
