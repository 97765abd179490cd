package winperf_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// asked is a source that has a schema, and perhaps knows sooner which objects are costly.
type asked struct {
	winperf.Source
	schema *winperf.Schema
	costly func(context.Context) (*winperf.Schema, error)
}

func (s asked) Describe() winperf.Description                   { return winperf.Description{Costly: s.costly} }
func (s asked) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// The costly objects are those of the whole schema, unless the source knows them sooner.
func TestCostlySchema(t *testing.T) {
	whole, soon := &winperf.Schema{Costly: []uint32{232}}, &winperf.Schema{Costly: []uint32{230}}
	src := asked{schema: whole}
	if got, err := winperf.CostlySchema(t.Context(), src); got != whole || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	no := errors.New("no answer")
	src.costly = func(context.Context) (*winperf.Schema, error) { return soon, no }
	if got, err := winperf.CostlySchema(t.Context(), src); got != soon || !errors.Is(err, no) {
		t.Errorf("%v, %v", got, err)
	}
}

// An object comes from the schema's interface, unless it names another one for it.
func TestInterfaceOf(t *testing.T) {
	s := winperf.Schema{Interface: "registry", Interfaces: map[uint32]string{7: "perflib"}}
	if a, b := s.InterfaceOf(7), s.InterfaceOf(8); a != "perflib" || b != "registry" {
		t.Errorf("interfaces %s and %s", a, b)
	}
}

func TestFiletime(t *testing.T) {
	for _, test := range []struct {
		ft   int64
		want time.Time
	}{
		{0, time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)},
		{1, time.Date(1601, 1, 1, 0, 0, 0, 100, time.UTC)},
		{-1, time.Date(1600, 12, 31, 23, 59, 59, 999_999_900, time.UTC)},
		{116_444_736_000_000_000, time.Unix(0, 0)},
		{116_444_735_999_999_999, time.Unix(0, -100)},
		{116_444_736_012_345_678, time.Unix(1, 234_567_800)},
		{504_911_232_000_000_001, time.Date(3201, 1, 1, 0, 0, 0, 100, time.UTC)},
		{math.MaxInt64, time.Date(30828, 9, 14, 2, 48, 5, 477_580_700, time.UTC)},
		{math.MinInt64, time.Date(-27627, 4, 19, 21, 11, 54, 522_419_200, time.UTC)},
	} {
		got := winperf.FromFiletime(test.ft)
		if !got.Equal(test.want) || got.Location() != time.UTC {
			t.Errorf("FromFiletime(%d) = %v, want %v", test.ft, got, test.want)
		}
		if back := winperf.ToFiletime(test.want); back != test.ft {
			t.Errorf("ToFiletime(%v) = %d, want %d", test.want, back, test.ft)
		}
	}
}

func TestToFiletimeEnds(t *testing.T) {
	first, last := winperf.FromFiletime(math.MinInt64), winperf.FromFiletime(math.MaxInt64)
	for _, test := range []struct {
		t    time.Time
		want int64
	}{
		{last.Add(99), math.MaxInt64},
		{last.Add(100), math.MaxInt64},
		{last.AddDate(1e6, 0, 0), math.MaxInt64},
		{last.Add(-1), math.MaxInt64 - 1},
		{first.Add(99), math.MinInt64},
		{first.Add(100), math.MinInt64 + 1},
		{first.Add(-1), math.MinInt64},
		{first.AddDate(-1e6, 0, 0), math.MinInt64},
		{time.Date(2007, 8, 14, 12, 0, 0, 199, time.FixedZone("EDT", -4*3600)), 128_315_808_000_000_001},
	} {
		if got := winperf.ToFiletime(test.t); got != test.want {
			t.Errorf("ToFiletime(%v) = %d, want %d", test.t, got, test.want)
		}
	}
}

// FuzzFiletime: every FILETIME is a time and comes back, in order.
func FuzzFiletime(f *testing.F) {
	for _, ft := range []int64{0, -1, 1e7, -1e7, math.MaxInt64, math.MinInt64} {
		f.Add(ft)
	}
	f.Fuzz(func(t *testing.T, ft int64) {
		at := winperf.FromFiletime(ft)
		if back := winperf.ToFiletime(at); back != ft {
			t.Errorf("FILETIME %d is %v and comes back as %d", ft, at, back)
		}
		if ft < math.MaxInt64 && winperf.FromFiletime(ft+1).Sub(at) != 100 {
			t.Errorf("FILETIME %d and the next are not 100 ns apart", ft)
		}
	})
}
