package typed_test

import (
	"math"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure/typed"
	"github.com/winperf/winperf/nametable"
)

// bench is an object of the reference block in two frames.
type bench struct {
	cooker frame.Cooker
	object frame.Object
	names  *nametable.Names

	scratch []uint64 // of fillByHand
}

func newBench(tb testing.TB) *bench {
	b := &bench{}
	pool, frames := frame.Pool{}, [2]frame.Frame{}
	before := frame.Frame{}
	for i, s := range perftest.Series(perftest.Desktop, 2, 0, 1) {
		var err error
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: s.Bytes}
		if frames[i], err = pool.Decode(raw.Sample(), before); err != nil {
			tb.Fatal(err)
		}
		before = frames[i]
	}
	if err := b.cooker.Set(frames[0], frames[1], counter.Options{}); err != nil {
		tb.Fatal(err)
	}
	o, ok := frames[1].Find(winperf.ObjectID{Index: perftest.Thread})
	if !ok {
		tb.Fatal("no threads")
	}
	b.object = o
	b.names, _ = nametable.FromSchema(&winperf.Schema{})
	return b
}

// benchRow is what is wanted of a thread.
type benchRow struct {
	Name    string               `perf:"@instance"`
	Busy    float64              `perf:"#6"`
	Rate    typed.Value[float64] `perf:"#146"`
	Elapsed float64              `perf:"#684"`
	ID      typed.Value[uint32]  `perf:"#804"`
	Start   typed.Value[uint64]  `perf:"#684,raw"`
}

func newFiller(tb testing.TB) *typed.Plan[benchRow] {
	filler, err := typed.NewPlan[benchRow]()
	if err != nil {
		tb.Fatal(err)
	}
	return filler
}

// fillByHand is what one would write for this struct alone.
func fillByHand(dst []benchRow, b *bench, ks [4]int) []benchRow {
	o, pair, n := b.object, b.cooker.Object(b.object), b.object.Len()
	dst = slices.Grow(dst[:0], n)[:n]
	labels := o.Labels()
	for i := range dst {
		dst[i].Name = labels.Full(i)
	}
	c := pair.Column(ks[0])
	for i := range dst {
		if dst[i].Busy = math.NaN(); c.Status[i] == counter.OK {
			dst[i].Busy = math.Float64frombits(c.Bits[i])
		}
	}
	c = pair.Column(ks[1])
	for i := range dst {
		if dst[i].Rate = (typed.Value[float64]{Status: c.Status[i]}); c.Status[i] == counter.OK {
			dst[i].Rate.V = math.Float64frombits(c.Bits[i])
		}
	}
	c = pair.Column(ks[2])
	for i := range dst {
		if dst[i].Elapsed = math.NaN(); c.Status[i] == counter.OK {
			dst[i].Elapsed = math.Float64frombits(c.Bits[i])
		}
	}
	c = pair.Column(ks[3])
	for i := range dst {
		if dst[i].ID = (typed.Value[uint32]{Status: c.Status[i]}); c.Status[i] == counter.OK {
			dst[i].ID.V = uint32(c.Bits[i])
		}
	}
	b.scratch = slices.Grow(b.scratch[:0], n)[:n]
	whole := o.ReadRaw(b.scratch, ks[2], 0)
	for i := range dst {
		dst[i].Start = typed.Value[uint64]{V: b.scratch[i]}
		if !whole {
			if _, ok := o.Raw(i, ks[2]); !ok {
				dst[i].Start.Status = counter.InvalidData
			}
		}
	}
	return dst
}

// positions are those of the counters that benchRow names.
func (b *bench) positions(tb testing.TB) (ks [4]int) {
	for n, title := range []uint32{6, 146, 684, 804} {
		k, ok := b.object.FindCounter(winperf.CounterID{Index: title})
		if !ok {
			tb.Fatalf("no counter %d", title)
		}
		ks[n] = k
	}
	return ks
}

func TestFillAllocatesNothing(t *testing.T) {
	b, filler, rows := newBench(t), newFiller(t), []benchRow(nil)
	run := func() {
		var err error
		if rows, err = filler.Fill(rows, &b.cooker, b.object, b.names); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations to fill %d rows", n, len(rows))
	}
	hand := fillByHand(nil, b, b.positions(t))
	if !slices.Equal(rows, hand) || len(rows) == 0 {
		t.Errorf("%d rows, %d by hand, are not the same", len(rows), len(hand))
	}
}

// BenchmarkTyped fills rows of five counters and the name for every thread of the
// desktop block. Both cook the counters, which is most of the work.
func BenchmarkTyped(b *testing.B) {
	in := newBench(b)
	b.Run("typed", func(b *testing.B) {
		filler := newFiller(b)
		rows, err := filler.Fill(nil, &in.cooker, in.object, in.names) // compiles
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if rows, err = filler.Fill(rows, &in.cooker, in.object, in.names); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
	})
	b.Run("hand", func(b *testing.B) {
		ks := in.positions(b)
		rows := fillByHand(nil, in, ks)
		b.ReportAllocs()
		for b.Loop() {
			rows = fillByHand(rows, in, ks)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
	})
}
