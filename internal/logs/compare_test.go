package logs

import (
	"math"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
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
		c.judge(tt.limit)
		if math.Abs(c.Difference-tt.difference) > 1e-9 || c.Differs != tt.differs {
			t.Errorf("%s: difference %v, differs %v, want %v, %v", tt.name, c.Difference, c.Differs, tt.difference, tt.differs)
		}
	}
}
