package counter

import (
	"math"
	"testing"
	"time"
)

// Samples are written in the letters of the formulas: N raw value, B base, M
// components, D time and TB time base of whichever clock the type uses.
func sample(t Type, n, b, m uint64, d, tb int64) *Sample {
	s := &Sample{Value: n, Base: b, Multi: m}
	switch t.Clock() {
	case TickClock:
		s.PerfTime, s.PerfFreq = d, tb
	case Clock100ns:
		s.Time100ns = d
	case ObjectClock:
		s.ObjectTime, s.ObjectFreq = d, tb
	}
	return s
}

// near reports whether a result agrees with a figure computed by hand.
func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))
}

// TestFormulas holds worked examples of every formula. Those of one sample
// have n0, b0 and d0 of 0.
func TestFormulas(t *testing.T) {
	clamped := Options{Clamp: true}
	capped := Options{Cap100: true}
	type pair [2]uint64
	tests := []struct {
		typ    Type
		n, b   pair
		m      uint64
		d0, d1 int64
		tb     int64
		opt    Options
		want   float64
	}{
		{typ: RawCount, n: pair{0, 4711}, want: 4711},
		{typ: LargeRawCount, n: pair{0, 1 << 40}, want: 1 << 40},
		{typ: RawCountHex, n: pair{0, 0xBEEF}, want: 0xBEEF},
		{typ: rawDec1000, n: pair{0, 1500}, want: 1.5},
		{typ: largeRawDec1000, n: pair{0, 7_000_000_000_250}, want: 7_000_000_000.25},
		{typ: DoubleRaw, n: pair{0, math.Float64bits(-2.5)}, want: -2.5},

		{typ: Delta, n: pair{1000, 1050}, want: 50},
		{typ: LargeDelta, n: pair{5_000_000_000, 5_000_000_300}, want: 300},

		{typ: CounterCounter, n: pair{60_000, 61_500}, d0: 35_000_000, d1: 37_500_000, tb: 2_500_000, want: 1500},
		{typ: CounterCounter, n: pair{0xFFFFFF9C, 0x64}, d0: 1_000_000, d1: 4_000_000, tb: 1_000_000, want: 200.0 / 3},
		{typ: BulkCount, n: pair{8_589_934_592, 9_663_676_416}, d0: 30_000_000, d1: 50_000_000, tb: 10_000_000, want: 536_870_912},
		{typ: BulkCount, n: pair{1_000_000, 1_000_350}, d0: 0, d1: 17_897_725, tb: 3_579_545, want: 70},
		{typ: SampleCounter, n: pair{4500, 4520}, d0: 0, d1: 5_000_000, tb: 2_500_000, want: 10},
		{typ: SampleCounter, n: pair{888, 900}, d0: 0, d1: 20_000_000, tb: 10_000_000, want: 6},

		{typ: Timer, n: pair{6_500_000, 7_500_000}, d0: 10_000_000, d1: 14_000_000, want: 25},
		{typ: Timer, n: pair{0, 3_000_000}, d0: 0, d1: 2_000_000, want: 150},
		{typ: Timer, n: pair{0, 3_000_000}, d0: 0, d1: 2_000_000, opt: capped, want: 100},
		{typ: Timer100NSec, n: pair{30_000_000, 31_250_000}, d0: 5, d1: 10_000_005, want: 12.5},
		{typ: Timer100NSec, n: pair{120_000_000, 145_000_000}, d0: 5, d1: 10_000_005, want: 250},
		{typ: Timer100NSec, n: pair{120_000_000, 145_000_000}, d0: 5, d1: 10_000_005, opt: capped, want: 100},
		{typ: ObjTimeTimer, n: pair{50_000, 52_000}, d0: 60_000, d1: 80_000, want: 10},
		{typ: ObjTimeTimer, n: pair{300, 900}, d0: 2400, d1: 4800, want: 25},

		{typ: TimerInv, n: pair{7, 1_500_007}, d0: 9, d1: 4_000_009, want: 62.5},
		{typ: TimerInv100NSec, n: pair{86_250_000, 95_468_750}, d0: 0, d1: 10_000_000, want: 7.8125},
		{typ: TimerInv100NSec, n: pair{0, 10_020_000}, d0: 0, d1: 10_000_000, want: -0.2},
		{typ: TimerInv100NSec, n: pair{0, 10_020_000}, d0: 0, d1: 10_000_000, opt: clamped, want: 0},
		{typ: TimerInv, n: pair{5, 5}, d0: 0, d1: 10_000_000, opt: capped, want: 100},

		{typ: MultiTimer, n: pair{0, 6_000_000}, m: 4, d0: 0, d1: 10_000_000, tb: 10_000_000, want: 15},
		{typ: MultiTimer, n: pair{0, 6_000_000}, m: 4, d0: 0, d1: 10_000_000, want: 15},
		{typ: MultiTimer, n: pair{0, 3}, m: 2, d0: 0, d1: 20_000_000, tb: 10_000_000, want: 0.0000075},
		{typ: MultiTimer100NSec, n: pair{0, 24_000_000}, m: 4, d0: 0, d1: 10_000_000, want: 60},
		{typ: MultiTimer100NSec, n: pair{0, 5_000_000}, m: 2, d0: 0, d1: 20_000_000, want: 12.5},
		{typ: MultiTimerInv, n: pair{0, 6_000_000}, m: 4, d0: 0, d1: 10_000_000, want: 340},
		{typ: MultiTimerInv100NSec, n: pair{0, 24_000_000}, m: 4, d0: 0, d1: 10_000_000, want: 160},
		{typ: MultiTimerInv100NSec, n: pair{0, 5_000_000}, m: 2, d0: 0, d1: 20_000_000, want: 175},
		{typ: MultiTimerInv100NSec, n: pair{0, 30_000_000}, m: 1, d0: 0, d1: 20_000_000, opt: clamped, want: 0},

		{typ: QueueLen, n: pair{100_000, 700_000}, d0: 200_000, d1: 400_000, want: 3},
		{typ: QueueLen100NS, n: pair{1_000_000, 26_000_000}, d0: 0, d1: 10_000_000, want: 2.5},
		{typ: LargeQueueLen, n: pair{8_000_000_000, 9_000_000_000}, d0: 500_000_000, d1: 2_500_000_000, want: 0.5},
		{typ: ObjTimeQueueLen, n: pair{3000, 4500}, d0: 1000, d1: 2000, want: 1.5},
		{typ: ObjTimeQueueLen, n: pair{0, 4500}, d0: 0, d1: 10, opt: capped, want: 450}, // no percentage

		{typ: RawFraction, n: pair{0, 20}, b: pair{0, 50}, want: 40},
		{typ: RawFraction, n: pair{0, 1536}, b: pair{0, 2048}, want: 75},
		{typ: RawFraction, n: pair{0, 3}, b: pair{0, 2}, opt: capped, want: 100},
		{typ: LargeRawFraction, n: pair{0, 5_497_558_138_880}, b: pair{0, 8_796_093_022_208}, want: 62.5},

		{typ: SampleFraction, n: pair{1000, 1045}, b: pair{2000, 2060}, want: 75},
		{typ: SampleFraction, n: pair{77, 77}, b: pair{500, 510}, want: 0},
		{typ: AverageTimer, n: pair{5_000_000, 5_250_000}, b: pair{100, 105}, tb: 10_000_000, want: 0.005},
		{typ: AverageTimer, n: pair{0, 7_159_090}, b: pair{0, 8}, tb: 3_579_545, want: 0.25},
		{typ: AverageBulk, n: pair{1_048_576, 1_310_720}, b: pair{1000, 1064}, want: 4096},
		{typ: AverageBulk, n: pair{4, 10}, b: pair{3, 5}, want: 3},
		{typ: AverageBulk, n: pair{4, 1004}, b: pair{3, 5}, opt: capped, want: 500}, // no percentage
		{typ: SampleFraction, n: pair{7, 7}, b: pair{5, 5}, want: 0},
		{typ: AverageTimer, n: pair{7, 7}, b: pair{5, 5}, tb: 10, want: 0},
		{typ: AverageBulk, n: pair{7, 7}, b: pair{5, 5}, want: 0},
		{typ: PrecisionSystemTimer, n: pair{10_000_000, 12_500_000}, b: pair{20_000_000, 30_000_000}, want: 25},
		{typ: Precision100NSTimer, n: pair{500_000, 990_000}, b: pair{1_000_000, 2_400_000}, want: 35},
		{typ: PrecisionObjectTimer, n: pair{500_000, 990_000}, b: pair{1_000_000, 2_400_000}, want: 35},

		{typ: ElapsedTime, n: pair{0, 132_999_964_000_000_000}, d1: 133_000_000_000_000_000, tb: 10_000_000, want: 3600},
		{typ: ElapsedTime, n: pair{0, 0}, d1: 7_500_000, tb: 2_500_000, want: 0},
		{typ: ElapsedTime, n: pair{0, 2_500_000}, d1: 7_500_000, tb: 2_500_000, want: 2},
		{typ: ElapsedTime, n: pair{0, 7_500_000}, d1: 7_500_000, tb: 2_500_000, want: 0}, // started just now
	}
	for _, tt := range tests {
		prev := sample(tt.typ, tt.n[0], tt.b[0], 0, tt.d0, tt.tb)
		cur := sample(tt.typ, tt.n[1], tt.b[1], tt.m, tt.d1, tt.tb)
		got := Cook(tt.typ, prev, cur, tt.opt)
		value, ok := got.Value.Float64()
		if got.Status != OK || !ok || !near(value, tt.want) || got.Unit != tt.typ.Unit() {
			t.Errorf("%v %v %v = %v %v (%v), want %v", tt.typ, tt.n, tt.b, got.Value, got.Unit, got.Status, tt.want)
		}
	}
}

// TestIntegersStayIntegers: raw counts and differences keep all 64 bits.
func TestIntegersStayIntegers(t *testing.T) {
	const big = math.MaxUint64 - 1
	tests := []struct {
		typ    Type
		n0, n1 uint64
		want   string
	}{
		{RawCount, 0, 4711, "4711"},
		{RawCountHex, 0, 0xBEEF, "0x0000BEEF"},
		{LargeRawCountHex, 0, big, "0xFFFFFFFFFFFFFFFE"},
		{LargeRawCount, 0, big, "18446744073709551614"},
		{LargeDelta, 1, big, "18446744073709551613"},
		{Delta, 7, 7, "0"},
	}
	for _, tt := range tests {
		got := Cook(tt.typ, &Sample{Value: tt.n0}, &Sample{Value: tt.n1}, Options{})
		if got.Status != OK || got.Value.String() != tt.want || !got.Value.isInteger() {
			t.Errorf("%v: %v (%v), want %s", tt.typ, got.Value, got.Status, tt.want)
		}
	}
}

// TestStatuses holds every reason for which a single value does not come
// about, and which one wins where several hold.
func TestStatuses(t *testing.T) {
	type pair [2]uint64
	type times [2]int64
	tests := []struct {
		name string
		typ  Type
		n, b pair
		m    uint64
		d    times
		tb   int64
		opt  Options
		want Status
	}{
		{"clock unchanged", BulkCount, pair{1, 5}, pair{}, 0, times{7, 7}, 10, Options{}, InvalidData},
		{"clock unchanged, no growth", Timer, pair{5, 5}, pair{}, 0, times{7, 7}, 0, Options{}, InvalidData},
		{"clock unchanged, inverse", TimerInv, pair{5, 5}, pair{}, 0, times{7, 7}, 0, Options{}, InvalidData},
		{"clock unchanged, queue", QueueLen, pair{5, 5}, pair{}, 0, times{7, 7}, 0, Options{}, InvalidData},
		{"clock unchanged, multi", MultiTimer100NSec, pair{5, 6}, pair{}, 2, times{7, 7}, 0, Options{}, InvalidData},
		{"stamp unchanged", PrecisionSystemTimer, pair{5, 6}, pair{3, 3}, 0, times{}, 0, Options{}, InvalidData},
		{"stamp unchanged, no growth", Precision100NSTimer, pair{5, 5}, pair{3, 3}, 0, times{}, 0, Options{}, InvalidData},
		{"no events but growth", AverageBulk, pair{5, 6}, pair{3, 3}, 0, times{}, 0, Options{}, InvalidData},
		{"no events but growth", AverageTimer, pair{5, 6}, pair{3, 3}, 0, times{}, 10, Options{}, InvalidData},
		{"no events but growth", SampleFraction, pair{5, 6}, pair{3, 3}, 0, times{}, 0, Options{}, InvalidData},
		{"no events but a fall", AverageBulk, pair{6, 5}, pair{3, 3}, 0, times{}, 0, Options{}, InvalidData},
		{"no events", AverageBulk, pair{5, 5}, pair{3, 3}, 0, times{}, 0, Options{}, OK},
		{"no events", AverageTimer, pair{5, 5}, pair{3, 3}, 0, times{}, 10, Options{}, OK},
		{"no events", SampleFraction, pair{5, 5}, pair{3, 3}, 0, times{}, 0, Options{}, OK},
		{"no events, bad time base", AverageTimer, pair{5, 5}, pair{3, 3}, 0, times{}, 0, Options{}, NegativeTimebase},
		{"base of zero", RawFraction, pair{0, 5}, pair{}, 0, times{}, 0, Options{}, InvalidData},
		{"base of zero, zero of it", LargeRawFraction, pair{}, pair{}, 0, times{}, 0, Options{}, InvalidData},
		{"no components", MultiTimer, pair{5, 6}, pair{}, 0, times{7, 8}, 10, Options{}, InvalidData},
		{"no components, inverse", MultiTimerInv100NSec, pair{5, 6}, pair{}, 0, times{7, 8}, 0, Options{}, InvalidData},

		{"clock went back", CounterCounter, pair{5, 6}, pair{}, 0, times{8, 7}, 10, Options{}, NegativeDenominator},
		{"clock went back, 100 ns", Timer100NSec, pair{5, 6}, pair{}, 0, times{8, 7}, 0, Options{}, NegativeDenominator},
		{"clock went back, object", ObjTimeQueueLen, pair{5, 6}, pair{}, 0, times{8, 7}, 0, Options{}, NegativeDenominator},
		{"base went back", AverageBulk, pair{5, 6}, pair{1 << 33, 7}, 0, times{}, 0, Options{}, NegativeDenominator},
		{"base went back, no growth", AverageTimer, pair{5, 5}, pair{1 << 33, 7}, 0, times{}, 10, Options{}, NegativeDenominator},
		{"stamp went back", PrecisionObjectTimer, pair{5, 6}, pair{8, 7}, 0, times{}, 0, Options{}, NegativeDenominator},

		{"time base of zero", CounterCounter, pair{5, 6}, pair{}, 0, times{7, 8}, 0, Options{}, NegativeTimebase},
		{"time base below zero", BulkCount, pair{5, 6}, pair{}, 0, times{7, 8}, -1, Options{}, NegativeTimebase},
		{"time base of an average", AverageTimer, pair{5, 6}, pair{3, 4}, 0, times{}, 0, Options{}, NegativeTimebase},
		{"time base of elapsed time", ElapsedTime, pair{0, 5}, pair{}, 0, times{0, 8}, 0, Options{}, NegativeTimebase},
		{"time base not needed", Timer, pair{5, 6}, pair{}, 0, times{7, 8}, -1, Options{}, OK},

		{"fall", LargeDelta, pair{6, 5}, pair{}, 0, times{}, 0, Options{}, NegativeValue},
		{"fall", BulkCount, pair{6, 5}, pair{}, 0, times{7, 8}, 10, Options{}, NegativeValue},
		{"fall", TimerInv100NSec, pair{6, 5}, pair{}, 0, times{7, 8}, 0, Options{}, NegativeValue},
		{"fall", MultiTimerInv, pair{6, 5}, pair{}, 2, times{7, 8}, 0, Options{}, NegativeValue},
		{"fall", AverageBulk, pair{6, 5}, pair{3, 4}, 0, times{}, 0, Options{}, NegativeValue},
		{"started later than now", ElapsedTime, pair{0, 9}, pair{}, 0, times{0, 8}, 10, Options{}, NegativeValue},
		{"time before any start", ElapsedTime, pair{0, 9}, pair{}, 0, times{0, -8}, 10, Options{}, NegativeValue},
		{"not started", ElapsedTime, pair{0, 0}, pair{}, 0, times{0, 8}, 10, Options{}, OK},

		{"clock before time base and value", CounterCounter, pair{6 << 32, 5}, pair{}, 0, times{8, 7}, 0, Options{}, NegativeDenominator},
		{"still clock before time base", CounterCounter, pair{6 << 32, 5}, pair{}, 0, times{7, 7}, 0, Options{}, InvalidData},
		{"time base before value", BulkCount, pair{6, 5}, pair{}, 0, times{7, 8}, 0, Options{}, NegativeTimebase},
		{"base before time base and value", AverageTimer, pair{6, 5}, pair{1 << 33, 7}, 0, times{}, 0, Options{}, NegativeDenominator},
		{"still base before time base", AverageTimer, pair{5, 6}, pair{7, 7}, 0, times{}, 0, Options{}, InvalidData},
		{"time base before value", AverageTimer, pair{6, 5}, pair{3, 4}, 0, times{}, 0, Options{}, NegativeTimebase},
		{"wrapped base, then time base", AverageTimer, pair{6, 5}, pair{0xFFFFFFFF, 4}, 0, times{}, 0, Options{}, NegativeTimebase},
		{"wrapped base, then value", AverageBulk, pair{6, 5}, pair{0xFFFFFFFF, 4}, 0, times{}, 0, Options{}, NegativeValue},
		{"wrapped base, no growth", AverageBulk, pair{6, 6}, pair{0xFFFFFFFF, 4}, 0, times{}, 0, Options{}, OK},
		{"time base before value", ElapsedTime, pair{0, 9}, pair{}, 0, times{0, 8}, -1, Options{}, NegativeTimebase},

		{"infinite", DoubleRaw, pair{0, math.Float64bits(math.Inf(1))}, pair{}, 0, times{}, 0, Options{}, InvalidData},
		{"not a number", DoubleRaw, pair{0, math.Float64bits(math.NaN())}, pair{}, 0, times{}, 0, Options{}, InvalidData},
		{"text", CounterText, pair{}, pair{}, 0, times{}, 0, Options{}, Unsupported},
		{"heading", NoData, pair{}, pair{}, 0, times{}, 0, Options{}, Unsupported},
		{"base", AverageBase, pair{}, pair{}, 0, times{}, 0, Options{}, Unsupported},
		{"histogram", Histogram, pair{}, pair{}, 0, times{}, 0, Options{}, Unsupported},
		{"unknown", 0x12345678, pair{}, pair{}, 0, times{}, 0, Options{}, Unsupported},
	}
	for _, tt := range tests {
		prev := sample(tt.typ, tt.n[0], tt.b[0], 0, tt.d[0], tt.tb)
		cur := sample(tt.typ, tt.n[1], tt.b[1], tt.m, tt.d[1], tt.tb)
		got := Cook(tt.typ, prev, cur, tt.opt)
		if got.Status != tt.want || (got.Value.Kind() != KindNone) != (tt.want == OK) {
			t.Errorf("%v, %s: %v %v, want %v", tt.typ, tt.name, got.Status, got.Value, tt.want)
		}
	}
}

// TestNothingBeforeIsNoChange: a value of 0 without an older one is not unchanged.
func TestNothingBeforeIsNoChange(t *testing.T) {
	if got := Cook(RawCount, nil, &Sample{}, Options{}); got.Status != OK {
		t.Errorf("%+v, want no flags", got)
	}
}

// TestOneSample: with the newer sample alone the two-sample types, and only
// they, miss the older one. Without the newer one there is no instance.
func TestOneSample(t *testing.T) {
	for info := range Types() {
		want := map[int]Status{0: Unsupported, 1: OK, 2: NoPrevious}[info.Samples]
		if info.Type == CounterText {
			want = Unsupported
		}
		cur := sample(info.Type, 10, 20, 2, 100, 10)
		if got := Cook(info.Type, nil, cur, Options{}); got.Status != want {
			t.Errorf("%v: %+v, want %v", info.Type, got, want)
		}
		if got := Cook(info.Type, cur, nil, Options{}); got.Status != NoInstance || got.Value.Kind() != KindNone {
			t.Errorf("%v without newer sample: %+v", info.Type, got)
		}
	}
}

// TestClockStep tells a system time that was set from clocks that agree.
func TestClockStep(t *testing.T) {
	const sec, freq = 10_000_000, 3_000_000
	base := Clocks{PerfTime: 77, PerfFreq: freq, Time100ns: 1 << 57}
	after := func(perf, wall float64) Clocks {
		return Clocks{PerfTime: base.PerfTime + int64(perf*freq), PerfFreq: freq, Time100ns: base.Time100ns + int64(wall*sec)}
	}
	tests := []struct {
		name string
		prev Clocks
		cur  Clocks
		want int64
	}{
		{"they agree", base, after(1, 1), 0},
		{"as far as they are read", base, after(1, 1.05), 0},
		{"just as far as they are read", Clocks{PerfFreq: 1}, Clocks{PerfTime: 1, PerfFreq: 1, Time100ns: 1.1 * sec}, 0},
		{"just beyond that", Clocks{PerfFreq: 1}, Clocks{PerfTime: 1, PerfFreq: 1, Time100ns: 1.1*sec + 1}, sec/10 + 1},
		{"as far as they are true", base, after(3600, 3600+60), 0},
		{"set forward", base, after(1, 3601), 3600 * sec},
		{"set back", base, after(2, 1.5), -sec / 2},
		{"set behind the sample before", base, after(1, -3), -4 * sec},
		{"the performance counter stands still", base, after(0, 1), 0},
		{"the performance counter went back", base, after(-5, 1), 0},
		{"another frequency", base, Clocks{PerfTime: 1e6, PerfFreq: 1, Time100ns: base.Time100ns}, 0},
		{"no frequency", Clocks{}, Clocks{PerfTime: 5, Time100ns: 5}, 0},
		{"a negative frequency", Clocks{PerfFreq: -1}, Clocks{PerfTime: 5, PerfFreq: -1, Time100ns: 5 * sec}, 0},
		{
			"all there is", Clocks{PerfTime: math.MinInt64, PerfFreq: 1, Time100ns: math.MaxInt64},
			Clocks{PerfTime: math.MaxInt64, PerfFreq: 1, Time100ns: math.MinInt64}, 0,
		},
	}
	for _, tt := range tests {
		if got := ClockStep(tt.prev, tt.cur); got < tt.want-64 || got > tt.want+64 { // a float's precision
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestLeast: rates, and nothing else, need two samples that are some time apart.
func TestLeast(t *testing.T) {
	opt := Options{Least: 10 * time.Millisecond}
	tick := func(at int64) Clocks {
		return Clocks{PerfTime: at, PerfFreq: 1e7, Time100ns: at, ObjectTime: at, ObjectFreq: 1e7}
	}
	for info := range Types() {
		if info.Samples == 0 {
			continue
		}
		for at, close := range map[int64]bool{99_999: true, 100_000: false, -1: false} {
			prev, cur := &Sample{Value: 0, Base: 1, Clocks: tick(5)}, &Sample{Value: 1, Base: 2, Multi: 1, Clocks: tick(5 + at)}
			got := Cook(info.Type, prev, cur, opt).Status == TooClose
			if want := close && info.formula.operands()&operandD0 != 0; got != want {
				t.Errorf("%s after %d: too close %v, want %v", info.Name, at, got, want)
			}
		}
	}

	// Where the performance counter says nothing, the clock of the type tells.
	for _, tt := range []struct {
		typ  Type
		cur  Clocks
		want Status
	}{
		{Timer100NSec, Clocks{Time100ns: 5}, TooClose},
		{Timer100NSec, Clocks{Time100ns: 100_000}, OK},
		{Timer100NSec, Clocks{Time100ns: 5, PerfTime: 1, PerfFreq: 1}, OK},
		{Timer100NSec, Clocks{}, InvalidData},
		{Timer, Clocks{PerfTime: 5}, OK}, // no clock has a frequency
	} {
		got := Cook(tt.typ, &Sample{}, &Sample{Clocks: tt.cur}, opt)
		if got.Status != tt.want {
			t.Errorf("%v, %+v: %v, want %v", tt.typ, tt.cur, got.Status, tt.want)
		}
	}
}
