package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// at is a time so many seconds after the start.
func at(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// fill makes a series of values a second apart.
func fill(g *Group, values []float64) *Series {
	s := g.Series(false)
	for i, v := range values {
		s.Add(at(float64(i)), v)
	}
	return s
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestFigures(t *testing.T) {
	g := &Group{}
	f := fill(g, []float64{4, 2, 8, 6}).Figures(0, 25, 26, 50, 100)
	near(t, "mean", f.Mean, 5, 0)
	near(t, "average", f.Average, 5, 0)
	near(t, "deviation", f.Deviation, math.Sqrt(20.0/3), 1e-15)
	if f.Count != 4 || f.Missing != 0 || f.Min != 2 || f.Max != 8 || f.Last != 6 || f.Error != 0 {
		t.Errorf("%+v", f)
	}
	if want := []float64{2, 2, 4, 4, 8}; !slices.Equal(f.Percentiles, want) {
		t.Errorf("percentiles %v, want %v", f.Percentiles, want)
	}
}

func TestFiguresOfLittle(t *testing.T) {
	g := &Group{}
	s := g.Series(true)
	s.Miss(at(0))
	f := s.Figures(50)
	for _, n := range []float64{f.Min, f.Max, f.Mean, f.Average, f.Deviation, f.Last, f.Percentiles[0]} {
		if !math.IsNaN(n) {
			t.Errorf("a number of no value: %+v", f)
		}
	}
	if f.Count != 0 || f.Missing != 1 {
		t.Errorf("%+v", f)
	}

	s.Add(at(1), 3)
	s.Add(at(2), math.NaN())
	s.Add(at(3), math.Inf(1))
	f = s.Figures(50)
	if f.Count != 1 || f.Missing != 3 || f.Average != 3 || f.Percentiles[0] != 3 || !math.IsNaN(f.Deviation) {
		t.Errorf("%+v", f)
	}
}

// TestAverageByTime has a rate of 100 for one second and of 0 for nine.
func TestAverageByTime(t *testing.T) {
	g := &Group{}
	for _, weighted := range []bool{false, true} {
		s := g.Series(weighted)
		s.Pass(at(0))
		s.Add(at(1), 100)
		s.Add(at(10), 0)
		f := s.Figures()
		want := 50.0
		if weighted {
			want = 10
		}
		near(t, "average", f.Average, want, 1e-15)
		near(t, "mean", f.Mean, 50, 0)
	}

	// What came while nobody measured stands for the time since the last reading of its
	// own record only.
	s := g.Series(true)
	s.Pass(at(0))
	s.Add(at(1), 100)
	s.Break()
	s.Pass(at(1000))
	s.Add(at(1003), 0)
	near(t, "average over two records", s.Figures().Average, 25, 1e-15)
}

func TestAbove(t *testing.T) {
	bound := 10.0
	g := &Group{Above: &bound}
	tests := []struct {
		name     string
		weighted bool
		add      func(s *Series)
		count    int
		longest  time.Duration
	}{
		{"never", true, func(s *Series) { s.Add(at(0), 10); s.Add(at(1), 3) }, 0, 0},
		{"a moment", false, func(s *Series) { s.Add(at(0), 1); s.Add(at(5), 11); s.Add(at(6), 1) }, 1, 0},
		{"a rate", true, func(s *Series) {
			s.Add(at(0), 1)
			s.Add(at(5), 11)
			s.Add(at(6), 1)
		}, 1, 5 * time.Second},
		{"the longer one", false, func(s *Series) {
			for i, v := range []float64{11, 11, 1, 11, 11, 11, 1, 11} {
				s.Add(at(float64(i)), v)
			}
		}, 6, 2 * time.Second},
		{"a missing value ends it", false, func(s *Series) {
			s.Add(at(0), 11)
			s.Miss(at(1))
			s.Add(at(2), 11)
			s.Add(at(3), 11)
		}, 3, time.Second},
		{"another record ends it", false, func(s *Series) {
			s.Add(at(0), 11)
			s.Break()
			s.Add(at(90), 11)
			s.Add(at(92), 11)
		}, 3, 2 * time.Second},
		{"a clock that goes back", false, func(s *Series) {
			s.Add(at(50), 11)
			s.Add(at(0), 11)
			s.Add(at(3), 11)
		}, 3, 3 * time.Second},
	}
	for _, tt := range tests {
		s := g.Series(tt.weighted)
		tt.add(s)
		if f := s.Figures(); f.Above != tt.count || f.LongestAbove != tt.longest {
			t.Errorf("%s: %d values, %v, want %d, %v", tt.name, f.Above, f.LongestAbove, tt.count, tt.longest)
		}
	}
}

func TestLastIsTheNewest(t *testing.T) {
	g := &Group{}
	s := g.Series(false)
	s.Add(at(9), 1)
	s.Break()
	s.Add(at(3), 2)
	if f := s.Figures(); f.Last != 1 {
		t.Errorf("last %v", f.Last)
	}
}

// distributions are of values as counters have them, and worse.
var distributions = map[string]func(r *rand.Rand) float64{
	"uniform":     func(r *rand.Rand) float64 { return r.Float64() * 100 },
	"normal":      func(r *rand.Rand) float64 { return r.NormFloat64()*5 + 1e9 },
	"signs":       func(r *rand.Rand) float64 { return r.NormFloat64() },
	"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() * 1e-3 },
	"mostly zero": func(r *rand.Rand) float64 { return math.Floor(r.ExpFloat64()*2) * 4096 },
	"few":         func(r *rand.Rand) float64 { return float64(r.IntN(3)) },
	"decades":     func(r *rand.Rand) float64 { return math.Pow(10, r.Float64()*12-3) },
	"everything":  func(r *rand.Rand) float64 { return math.Float64frombits(r.Uint64()&^(1<<62) | 1<<52) },
	"wide":        func(r *rand.Rand) float64 { return math.Ldexp(1+r.Float64(), r.IntN(2000)-1000) },
}

// TestSketchKeepsItsWord compares percentiles with those of all values.
func TestSketchKeepsItsWord(t *testing.T) {
	percents := []float64{0, 0.1, 1, 5, 25, 50, 75, 90, 95, 99, 99.9, 100}
	for name, draw := range distributions {
		for _, n := range []int{DefaultExact, DefaultExact + 1, 5000, 50_000} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			values := make([]float64, n)
			for i := range values {
				values[i] = draw(r)
			}
			s := fill(&Group{}, values)
			f := s.Figures(percents...)
			slices.Sort(values)
			if exact := n <= DefaultExact; exact != (f.Error == 0) {
				t.Errorf("%s, %d values: error %v", name, n, f.Error)
			}
			if !slices.Contains([]string{"everything", "wide", "decades", "signs"}, name) && f.Error > 0.004 {
				t.Errorf("%s, %d values: error %v", name, n, f.Error)
			}
			for i, p := range percents {
				want := values[rank(p, n)]
				if got := f.Percentiles[i]; !(math.Abs(got-want) <= f.Error*math.Abs(want)*(1+1e-12)+1e-307) {
					t.Errorf("%s, %d values: %v %% is %v, want %v within %v", name, n, p, got, want, f.Error)
				}
			}
			if f.Min != values[0] || f.Max != values[n-1] || f.Count != n {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestSketchIsOrderless has the same values in another order.
func TestSketchIsOrderless(t *testing.T) {
	values := make([]float64, 30_000)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range values {
		values[i] = distributions["wide"](r)
	}
	one := fill(&Group{}, values).Figures(1, 50, 99)
	slices.Reverse(values)
	other := fill(&Group{}, values).Figures(1, 50, 99)
	if !slices.Equal(one.Percentiles, other.Percentiles) {
		t.Errorf("%v and %v", one.Percentiles, other.Percentiles)
	}
}

// TestMomentsBeyond compares average and deviation of many values, far from zero and
// close together, with those that two walks give.
func TestMomentsBeyond(t *testing.T) {
	values := make([]float64, 200_000)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range values {
		values[i] = 1e9 + r.Float64()
	}
	want := momentsOf(values)
	f := fill(&Group{}, values).Figures()
	near(t, "mean", f.Mean, want.mean, 1e-14)
	near(t, "deviation", f.Deviation, want.standard(), 1e-9)
}

func TestMemoryIsBounded(t *testing.T) {
	g := &Group{Memory: 2000}
	var all []*Series
	for range 100 {
		all = append(all, g.Series(false))
	}
	for i := range 3000 {
		for n, s := range all {
			s.Add(at(float64(i)), float64(i*n%9973))
		}
	}
	room := 0
	for _, s := range all {
		room += cap(s.values)
		if n := len(s.beyond.sketch.keys); n > mostBuckets {
			t.Errorf("%d buckets", n)
		}
		if f := s.Figures(); f.Count != 3000 {
			t.Errorf("%d values", f.Count)
		}
	}
	if room > 2000+100*minCapacity || room != g.kept {
		t.Errorf("room for %d values, counted %d", room, g.kept)
	}
}

func TestPercentile(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := 1; n < 200; n++ {
		values := make([]int, n)
		for i := range values {
			values[i] = r.IntN(n)
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, p := range []float64{-5, 0, 10, 50, 95, 100, 120} {
			if got, want := Percentile(values, p), sorted[rank(p, n)]; got != want {
				t.Fatalf("%v %% of %v: %d, want %d", p, sorted, got, want)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	g := &Group{}
	low := fill(g, []float64{1, 2, 3, 4, 5})
	high := fill(g, []float64{11, 12, 13, 14, 15})
	// Of the 252 ways to order five and five values the two extreme ones.
	c := Compare(low, high)
	near(t, "p", c.P(), 2.0/252, 1e-12)
	if got, want := c.Difference(3, 13), "+333.33% (p=0.008 n=5)"; !c.Significant() || got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if c := Compare(low, low); c.Significant() || c.Difference(3, 3) != "~ (p=1.000 n=5)" {
		t.Errorf("the same: %q", c.Difference(3, 3))
	}
	none := Compare(g.Series(false), high)
	if none.Significant() {
		t.Error("no values differ")
	}
	if c := Compare(fill(g, []float64{7, 7, 7}), fill(g, []float64{7, 7})); c.Significant() {
		t.Error("what is always the same differs")
	}
}

// TestCompareMany compares series of which sketches are left.
func TestCompareMany(t *testing.T) {
	draw := func(seed uint64, shift float64) *Series {
		r := rand.New(rand.NewPCG(seed, 1))
		values := make([]float64, 20_000)
		for i := range values {
			values[i] = r.NormFloat64() + shift
		}
		return fill(&Group{}, values)
	}
	if c := Compare(draw(1, 0), draw(2, 0)); c.Significant() {
		t.Errorf("p %v of the same distribution", c.P())
	}
	if c := Compare(draw(1, 0), draw(2, 0.5)); !c.Significant() {
		t.Errorf("p %v of a shift by half a deviation", c.P())
	}
}

func FuzzFigures(f *testing.F) {
	f.Add(uint64(1), 10, 3)
	f.Fuzz(func(t *testing.T, seed uint64, n, exact int) {
		if n < 0 || n > 5000 || exact < 0 {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(seed, seed))
		s := (&Group{Exact: exact}).Series(seed%2 == 0)
		for i := range n {
			s.Add(at(float64(i)), math.Float64frombits(r.Uint64()))
		}
		g := s.Figures(5, 50, 95)
		all := []float64{g.Min, g.Percentiles[0], g.Percentiles[1], g.Percentiles[2], g.Max}
		if g.Count+g.Missing != n || g.Count > 0 && !slices.IsSorted(all) {
			t.Errorf("%+v", g)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	values := make([]float64, 1<<16)
	for i := range values {
		values[i] = r.ExpFloat64() * 100
	}
	for name, n := range map[string]int{"exact": DefaultExact, "sketch": 1 << 16} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fill(&Group{}, values[:n]).Figures(50, 95, 99)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
	}
}

// TestAddAll adds values several at once, and compares what is said of them with what is said
// where each came alone: up to the bounds of a series and of its group, and beyond them.
func TestAddAll(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 2))
		several := Group{Exact: 1 + random.IntN(200), Memory: 1 + random.IntN(2000)}
		alone := Group{Exact: several.Exact, Memory: several.Memory}
		for range 5 {
			a, b := several.Series(seed%3 == 0), alone.Series(seed%3 == 0)
			var now time.Duration
			var all []float64
			for range random.IntN(20) {
				var times []time.Duration
				var values []float64
				for range random.IntN(40) {
					now += time.Second
					times, values = append(times, now), append(values, random.NormFloat64())
				}
				a.AddAll(times, values)
				for i, v := range values {
					b.Add(times[i], v)
				}
				all = append(all, values...)
			}

			got, want := a.Figures(0, 50, 100), b.Figures(0, 50, 100)
			if len(all) == 0 {
				continue
			}
			slices.Sort(all)
			median := all[rank(50, len(all))]
			alike := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y)) }
			if got.Count != want.Count || got.Min != want.Min || got.Max != want.Max || got.Last != want.Last ||
				!alike(got.Average, want.Average) ||
				math.Abs(got.Percentiles[1]-median) > got.Error*math.Abs(median)+1e-12 {
				t.Fatalf("seed %d: %+v, want %+v, median %v", seed, got, want, median)
			}
		}
		if limit := several.Memory + 5*minCapacity; several.kept > limit {
			t.Fatalf("seed %d: room for %d values, at most %d are wanted", seed, several.kept, limit)
		}
	}
}

// TestWhenAndHowMuch: the time of the maximum is the earliest of equal ones, the total of a rate is
// its sum over the time, and each value stands for the time since the reading before it.
func TestWhenAndHowMuch(t *testing.T) {
	g := &Group{}
	s := g.Series(true)
	s.Pass(at(0))
	s.Add(at(1), 2)
	s.Add(at(4), 5)
	s.Miss(at(5))
	s.Add(at(6), 5)
	f := s.Figures()
	if f.MaxAt != at(4) || f.Total != 2*1+5*3+5*1 || f.Present != at(5) {
		t.Errorf("maximum at %v, total %v, present %v", f.MaxAt, f.Total, f.Present)
	}

	// All at once is the same as one by one, and values that are not weighted have no total.
	times, values := []time.Duration{at(1), at(3), at(4), at(8)}, []float64{1, 7, 7, 2}
	for _, all := range []bool{true, false} {
		s := g.Series(false)
		s.Absent(at(0))
		if all {
			s.AddAll(times, values)
		} else {
			for i, v := range values {
				s.Add(times[i], v)
			}
		}
		if f := s.Figures(); f.MaxAt != at(3) || f.Present != at(8) || !math.IsNaN(f.Total) {
			t.Errorf("all at once %v: maximum at %v, present %v, total %v", all, f.MaxAt, f.Present, f.Total)
		}
	}

	// A series that was absent does not stand for that time, and one that has a later reading stays.
	s = g.Series(true)
	s.Add(at(1), 10)
	s.Absent(at(100))
	s.Absent(at(50))
	s.Add(at(102), 10)
	if f := s.Figures(); f.Total != 20 || f.Present != at(2) {
		t.Errorf("absent: total %v, present %v", f.Total, f.Present)
	}
	if f := g.Series(true).Figures(); f.MaxAt != 0 || !math.IsNaN(f.Total) {
		t.Errorf("no value: %+v", f)
	}
}
