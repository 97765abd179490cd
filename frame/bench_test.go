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
			block = slices.Grow(block, len(block)) // taken and given back without a copy
			before := frame.Frame{}
			var samples [3]winperf.Sample // of the two frames that are valid, and the one that is taken
			taken := 0
			var memory []uint64
			var sum uint64
			values := 0
			cycle := func() {
				sample := &samples[taken%len(samples)]
				taken++
				one := sample.Begin()
				one.Format, one.Bytes = winperf.FormatV1, block
				f, err := pool.Decode(sample, before)
				if err != nil {
					b.Fatal(err)
				}
				var s uint64
				s, values, memory = readAll(f, memory)
				sum += s
				before = f
			}
			for range 3 {
				cycle() // until both frames have their memory
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				cycle()
			}
			report(b, values, sum)
		})
	}
}

// readAll reads every raw value of the frame; memory is what it may use.
func readAll(f frame.Frame, memory []uint64) (sum uint64, n int, _ []uint64) {
	for o := range f.Objects() {
		counters := o.NumCounters()
		memory = slices.Grow(memory[:0], max(2048, counters))
		memory = memory[:cap(memory)]
		for first := 0; first < o.Len() && counters > 0; {
			instances, _ := o.ReadRows(memory, first)
			values := memory[:instances*counters]
			n += len(values)
			sum += sumOf(values)
			first += instances
		}
	}
	return sum, n, memory
}

// sumOf adds four values at a time: one after the other takes a fifth of the time
// of decoding and reading them.
func sumOf(values []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(values) >= 4; values = values[4:] {
		a, b, c, d = a+values[0], b+values[1], c+values[2], d+values[3]
	}
	for _, v := range values {
		a += v
	}
	return a + b + c + d
}

// BenchmarkWalk is the reference of BenchmarkDecode, over the same blocks.
func BenchmarkWalk(b *testing.B) {
	for _, size := range perftest.Sizes {
		b.Run(size.String(), func(b *testing.B) {
			block := perftest.Block(size)
			var walker perftest.Walker
			var sum uint64
			values := 0
			b.ReportAllocs()
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				s, n, err := walker.Walk(block)
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
			var columns []frame.Cooked
			bits, status := make([]uint64, 2_000_000), make([]counter.Status, 2_000_000)
			values, good := 0, uint64(0)
			cook := func() {
				must(b, ck.Set(frames[0], frames[1], counter.Options{}))
				values, good = 0, 0
				for o := range frames[1].Objects() {
					pair, n := ck.Object(o), o.Len()
					columns = columns[:0]
					for k := range o.NumCounters() {
						columns = append(columns, frame.Cooked{K: k, Bits: bits[values:][:n], Status: status[values:][:n]})
						values += n
					}
					pair.Cook(columns)
					for k := range columns {
						good += columns[k].Bits[0] + uint64(columns[k].Status[0])
					}
				}
			}
			cook() // until the cooker has its memory
			b.ReportAllocs()
			for b.Loop() {
				cook()
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
