package verify

import (
	"testing"

	"github.com/winperf/winperf/counter"
)

// look returns a look at one counter with these raw values of the instances a, b and so on. at is the time of its
// clocks in seconds.
func look(reader string, typ counter.Type, at int64, values ...uint64) *Look {
	info, _ := typ.Info()
	c := &Counter{Type: typ, formula: counter.NewFormula(typ, 0, 0, counter.Options{}), bytes: info.Bytes}
	for i, v := range values {
		c.Names = append(c.Names, string(rune('a'+i)))
		c.Samples = append(c.Samples, counter.Sample{Value: v, Base: uint64(at), Clocks: counter.Clocks{
			PerfTime: at * 100, PerfFreq: 100, Time100ns: at * 1e7, ObjectTime: at * 1e7, ObjectFreq: 1e7,
		}})
	}
	return &Look{Reader: reader, Object: "O", Counters: map[Name]*Counter{{"O", "C"}: c}}
}

// shown returns a look with displayed values.
func shown(reader string, values ...float64) *Look {
	c := &Counter{Values: values}
	for i := range values {
		c.Names = append(c.Names, string(rune('a'+i)))
	}
	return &Look{Reader: reader, Object: "O", Counters: map[Name]*Counter{{"O", "C"}: c}}
}

func only(l *Look) *Counter { return l.Counters[Name{"O", "C"}] }

func TestCompareRaw(t *testing.T) {
	tests := []struct {
		name             string
		typ              counter.Type
		before, b, after uint64
		kind             Kind
		outside          int
	}{
		{"a gauge in between", counter.RawCount, 5, 6, 7, Gauge, 0},
		{"a gauge that fell", counter.RawCount, 7, 6, 5, Gauge, 0},
		{"a gauge above", counter.RawCount, 5, 8, 7, Gauge, 1},
		{"a gauge below", counter.LargeRawCount, 5, 4, 7, Gauge, 1},
		{"a fraction", counter.RawFraction, 5, 5, 5, Gauge, 0},
		{"a total in between", counter.BulkCount, 5, 7, 7, Total, 0},
		{"a total that does not change", counter.BulkCount, 5, 5, 5, Total, 0},
		{"a total above", counter.BulkCount, 5, 8, 7, Total, 1},
		{"a total below", counter.BulkCount, 5, 4, 7, Total, 1},
		{"a total of 4 bytes that wraps", counter.CounterCounter, 1<<32 - 2, 1, 3, Total, 0},
		{"before it wraps", counter.CounterCounter, 1<<32 - 2, 1<<32 - 1, 3, Total, 0},
		{"a program with 8 bytes of it", counter.CounterCounter, 7, 1<<32 + 8, 9, Total, 0},
		{"after it wraps", counter.CounterCounter, 1<<32 - 2, 4, 3, Total, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c Comparison
			b := look("B", tt.typ, 1, tt.b)
			only(b).Timeless = true
			c.Add(look("A", tt.typ, 0, tt.before), b, look("A", tt.typ, 2, tt.after))
			r := c.Results()
			if len(r) != 1 || r[0].Kind != tt.kind || r[0].Compared != 1 || r[0].Outside != tt.outside {
				t.Fatalf("%+v, want %s with %d outside", r, tt.kind, tt.outside)
			}
			if differs := tt.outside > 0 && tt.kind == Total; r[0].Differs != differs {
				t.Errorf("differs %v, want %v", r[0].Differs, differs)
			}
		})
	}
}

// TestCompareRate looks at a counter that grows by 100 a second or is 25 % busy: at 0 and 2, at 10 and 12 by
// the base, at 1 and 11 by the other reader.
func TestCompareRate(t *testing.T) {
	tests := []struct {
		name string
		typ  counter.Type
		raw  func(at int64) uint64
		// The least and the largest value that is possible: 8 to 12 seconds of growth in 12 to 8 seconds.
		least, most float64
	}{
		{"per second", counter.BulkCount, func(at int64) uint64 { return uint64(100 * at) }, 100.0 * 8 / 12, 150},
		{"percent", counter.Timer100NSec, func(at int64) uint64 { return uint64(25e5 * at) }, 25.0 * 8 / 12, 37.5},
		{
			"percent of the rest", counter.TimerInv100NSec, func(at int64) uint64 { return uint64(75e5 * at) },
			100 - 75*12.0/8, 100 - 75*8.0/12,
		},
		{"average", counter.AverageBulk, func(at int64) uint64 { return uint64(100 * at) }, 100.0 * 8 / 12, 150},
		{"growth", counter.LargeDelta, func(at int64) uint64 { return uint64(100 * at) }, 800, 1200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := func(at int64) *Look { return look("A", tt.typ, at, tt.raw(at)) }
			for _, v := range []struct {
				value   float64
				outside int
			}{
				{tt.least - 0.01, 1}, {tt.least + 0.01, 0}, {tt.most - 0.01, 0}, {tt.most + 0.01, 1},
			} {
				var c Comparison
				c.Add(base(0), shown("B", 0), base(2))
				c.Add(base(10), shown("B", v.value), base(12))
				r := c.Results()
				if len(r) != 1 || r[0].Kind != Rate || r[0].Compared != 1 || r[0].Outside != v.outside {
					t.Errorf("%v: %+v, want %d outside", v.value, r, v.outside)
				}
			}

			// A reader of raw values computes over its own clock, here another one.
			var c Comparison
			other := func(at int64) *Look {
				l := look("B", tt.typ, at, tt.raw(at))
				for i := range only(l).Samples {
					s := &only(l).Samples[i]
					s.PerfTime, s.PerfFreq = s.PerfTime*7+3, s.PerfFreq*7
				}
				return l
			}
			c.Add(base(0), other(1), base(2))
			c.Add(base(10), other(11), base(12))
			for _, r := range c.Results() {
				if r.Outside > 0 {
					t.Errorf("%+v", r)
				}
				if r.Kind == Rate && r.Compared != 1 {
					t.Errorf("%d rates", r.Compared)
				}
			}
		})
	}
}

// TestGaugeDiffers: a gauge differs if an instance was never inside.
func TestGaugeDiffers(t *testing.T) {
	var c Comparison
	for pass := range minGauge {
		b := look("B", counter.RawCount, 1, 5, 6, 5)
		if pass == 1 {
			b = look("B", counter.RawCount, 1, 6, 5, 5)
		}
		c.Add(look("A", counter.RawCount, 0, 5, 5, 5), b, look("A", counter.RawCount, 2, 5, 5, 5))
		if r := c.Results(); r[0].Differs {
			t.Fatalf("differs after %d looks: %+v", pass+1, r)
		}
	}
	r := c.Results()[0]
	if r.Compared != 9 || r.Outside != 3 || r.First != "6, expected 5 to 5" || r.Instance != "b" {
		t.Errorf("%+v", r)
	}

	c = Comparison{}
	for range minGauge {
		c.Add(look("A", counter.RawCount, 0, 5, 5), look("B", counter.RawCount, 1, 5, 6), look("A", counter.RawCount, 2, 5, 5))
	}
	if r := c.Results()[0]; !r.Differs || r.Share() != 50 {
		t.Errorf("%+v, want it to differ with 50 %% outside", r)
	}
}

// TestCompareInstances: instances are matched by name, and by id if they have one. Instances that share a name
// are compared only if all three looks list the same ones.
func TestCompareInstances(t *testing.T) {
	named := func(l *Look, names ...string) *Look { only(l).Names = names; return l }
	values := func(reader string, v ...uint64) *Look { return look(reader, counter.RawCount, 0, v...) }
	compared := func(before, b, after *Look) (int, int) {
		var c Comparison
		c.Add(before, b, after)
		if len(c.Results()) == 0 {
			return 0, 0
		}
		return c.Results()[0].Compared, c.Results()[0].Outside
	}

	before := named(values("A", 1, 2, 3), "x", "y", "y#1")
	if n, out := compared(before, named(values("B", 2, 3, 1), "y", "y#1", "x"), before); n != 1 || out != 0 {
		t.Errorf("another order: %d compared, %d outside", n, out)
	}
	if n, out := compared(before, named(values("B", 1, 2, 3), "x", "y", "y#1"), before); n != 3 || out != 0 {
		t.Errorf("the same names: %d compared, %d outside", n, out)
	}
	if n, _ := compared(before, named(values("B", 9), "z"), before); n != 0 {
		t.Errorf("an unknown instance: %d compared", n)
	}

	after := named(values("A", 1, 2, 3), "x", "y", "y#1")
	only(before).ids, only(after).ids = []uint64{10, 11, 12}, []uint64{10, 99, 12}
	if n, _ := compared(before, named(values("B", 1, 2, 3), "x", "y", "y#1"), after); n != 2 {
		t.Errorf("another process of the name: %d compared", n)
	}
}

// TestTypeDiffers: two readers must have the same type of a counter.
func TestTypeDiffers(t *testing.T) {
	var c Comparison
	a := look("A", counter.BulkCount, 0, 1)
	c.Add(a, look("B", counter.RawCount, 0, 1), a)
	if r := c.Results(); len(r) != 1 || !r[0].Differs || r[0].First != "type PERF_COUNTER_RAWCOUNT, A has PERF_COUNTER_BULK_COUNT" {
		t.Errorf("%+v", r)
	}
}

// FuzzLimits: whatever two readers see of a counter that only grows, the rate of one is inside the limits of
// the other.
func FuzzLimits(f *testing.F) {
	f.Add(uint32(0), uint32(5), uint32(1), uint32(100), uint32(3), uint32(2), uint32(1), uint32(1), uint32(1), uint32(1))
	types := []counter.Type{counter.BulkCount, counter.Timer100NSec, counter.AverageBulk, counter.LargeDelta}
	f.Fuzz(func(t *testing.T, n0, g0, g1, g2, g3, g4, t0, t1, t2, t3 uint32) {
		for _, typ := range types {
			n, at := uint64(n0), int64(1)
			var looks []*Look // A, B, A, A, B, A
			for i, grown := range []uint32{g0, g1, g2, g3, g4, 1} {
				looks = append(looks, look([]string{"A", "B", "A"}[i%3], typ, at, n))
				n += uint64(grown % 1e6)
				at += int64([]uint32{t0, t1, t2, t3, t0, t1}[i]%1e6) + 1
			}

			var c Comparison
			c.Add(looks[0], looks[1], looks[2])
			c.Add(looks[3], looks[4], looks[5])
			for _, r := range c.Results() {
				if r.Outside > 0 {
					t.Errorf("%v: %+v", typ, r)
				}
			}
		}
	})
}
