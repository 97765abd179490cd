package logs

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// value is a reading with a value.
func value(unit counter.Unit, v counter.Value) winperf.Reading {
	s := winperf.NewSeries(winperf.Path{Object: "O", Counter: "C"})
	s.Unit = unit
	return winperf.Reading{Series: s, Value: v}
}

// without is a reading without a value.
func without(s counter.Status) winperf.Reading {
	r := value(counter.Count, counter.Value{})
	r.Status = s
	return r
}

// TestCompareReadings puts together what sources have by the same path: whatever the machine and the case of letters.
func TestCompareReadings(t *testing.T) {
	at := func(path string, v uint64) winperf.Reading {
		p, err := winperf.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		return winperf.Reading{Series: winperf.NewSeries(p), Value: counter.Int(v)}
	}
	got := CompareReadings([][]winperf.Reading{
		{at(`\\A\O(i)\C`, 100), at(`\\A\O(i#1)\C`, 3), at(`\\A\O\First`, 4)},
		{at(`\\B\O\Second`, 5), at(`\\B\o(I)\c`, 96), at(`\\B\O(i#1)\C`, 3)},
	}, 4)
	want := []struct {
		path       string
		values     int
		difference float64
		differs    bool
		of         [2]bool // the sources that have it
	}{
		{`\O(i)\C`, 2, 4, false, [2]bool{true, true}}, {`\O(i#1)\C`, 2, 0, false, [2]bool{true, true}},
		{`\O\First`, 1, -1, true, [2]bool{true, false}}, {`\O\Second`, 1, -1, true, [2]bool{false, true}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d counters, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := &got[i]
		of := [2]bool{g.Readings[0].Series != nil, g.Readings[1].Series != nil}
		if g.Path != w.path || g.Values != w.values || g.Difference != w.difference || g.Differs != w.differs || of != w.of {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
}

func TestJudge(t *testing.T) {
	n := func(f float64) winperf.Reading { return value(counter.PerSecond, counter.Float(f)) }
	percent := func(f float64) winperf.Reading { return value(counter.Percent, counter.Float(f)) }
	whole := func(v uint64) winperf.Reading { return value(counter.Count, counter.Int(v)) }
	text := func(s string) winperf.Reading { return value(counter.TextUnit, counter.Text(s)) }
	for _, tt := range []struct {
		name       string
		limit      float64
		readings   []winperf.Reading
		difference float64 // -1 is none
		differs    bool
	}{
		{"the same", 0, []winperf.Reading{n(5), n(5)}, 0, false},
		{"within", 5, []winperf.Reading{n(95), n(100)}, 5, false},
		{"beyond", 5, []winperf.Reading{n(94), n(100)}, 6, true},
		{"the farthest of three", 5, []winperf.Reading{n(100), n(98), n(50)}, 50, true},
		{"zero and something", 50, []winperf.Reading{n(0), n(1)}, 100, true},
		{"signs", 100, []winperf.Reading{n(-1), n(1)}, 200, true},
		{"zeros", 0, []winperf.Reading{n(0), n(0)}, 0, false},
		{"points of percentages", 5, []winperf.Reading{percent(0), percent(4)}, 4, false},
		{"points beyond", 5, []winperf.Reading{percent(10), percent(16)}, 6, true},
		{"percent and none", 5, []winperf.Reading{percent(2), n(1)}, 50, true},
		{"64 bits that no decimal tells apart", 0, []winperf.Reading{whole(math.MaxUint64), whole(math.MaxUint64 - 1)}, 0, true},
		{"the same with a tolerance", 1, []winperf.Reading{whole(math.MaxUint64), whole(math.MaxUint64 - 1)}, 0, false},
		{"no overflow", 5, []winperf.Reading{n(math.MaxFloat64), n(-math.MaxFloat64)}, 200, true},
		{"texts", 5, []winperf.Reading{text("a"), text("a")}, -1, false},
		{"other texts", 100, []winperf.Reading{text("a"), text("b")}, -1, true},
		{"a text and a number", 100, []winperf.Reading{text("1"), n(1)}, -1, false},
		{"one has none", 5, []winperf.Reading{n(1), without(counter.NoInstance)}, -1, true},
		{"one has nothing", 5, []winperf.Reading{n(1), {}}, -1, true},
		{"none has any", 5, []winperf.Reading{without(counter.NoObject), without(counter.NoPrevious), {}}, -1, false},
	} {
		c := Comparison{Readings: tt.readings}
		c.evaluate(tt.limit)
		if math.Abs(c.Difference-tt.difference) > 1e-9 || c.Differs != tt.differs {
			t.Errorf("%s: difference %v, differs %v, want %v, %v", tt.name, c.Difference, c.Differs, tt.difference, tt.differs)
		}
	}
}

// TestCompareTolerance compares logs whose values are far apart for some, and little for other
// tolerances, of percentages as of all others: what is tolerated is the change that is shown.
func TestCompareTolerance(t *testing.T) {
	log := func(unit counter.Unit, middle float64) *Gatherer {
		r := value(unit, counter.Value{})
		g := &Gatherer{}
		for i := range 40 {
			at := time.Unix(int64(i), 0)
			r.Time, r.Value = at, counter.Float(middle+float64(i%5-2)*middle/1000)
			g.Add(&measure.Cycle{Time: at, Parts: []int{1}, Sample: &winperf.Sample{}})
			v, _ := r.Value.Float64()
			g.row(r.Series, true).Add(at.Sub(g.origin), v)
		}
		return g
	}
	for _, tt := range []struct {
		before, after, tolerance float64
		text                     string
		want                     bool
	}{
		{10, 11, 5, "+10.00%", true},
		{10, 11, 9.5, "+10.00%", true}, // 9.1 % of the larger one
		{10, 11, 10.5, "+10.00%", false},
		{1, 3, 50, "+200.00%", true}, // of percentages 2 points
		{50, 40, 21, "-20.00%", false},
		{50, 40, 15, "-20.00%", true},
		{0, 1, 1000, "?", true},
		{-10, -11, 15, "+10.00%", false},
	} {
		for _, unit := range []counter.Unit{counter.Percent, counter.PerSecond} {
			sides := []*Gatherer{log(unit, tt.before), log(unit, tt.after)}
			l := Compare(sides, tt.tolerance, []float64{50})[0].Logs[1]
			if l.Matters != tt.want || !strings.HasPrefix(l.Text, tt.text) {
				t.Errorf("%v to %v %v, %v %% tolerated: %s, matters: %v, want %s, %v",
					tt.before, tt.after, unit, tt.tolerance, l.Text, l.Matters, tt.text, tt.want)
			}
		}
	}
}
