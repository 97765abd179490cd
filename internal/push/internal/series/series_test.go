package series_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/push/internal/series"
	"github.com/winperf/winperf/sink/metrics"
)

// Ticks are the nearest float64 of their seconds, as whoever reads them as text has them.
func TestSeconds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		ticks := r.Uint64() >> r.IntN(64)
		c := metrics.Column{Form: metrics.Ticks100ns, Bits: []uint64{ticks}}
		want, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(ticks), big.NewInt(1e7)).Float64()
		if got := series.Float(&c, 0); got != want {
			t.Fatalf("%d ticks are %v, want %v", ticks, got, want)
		}
	}
}

func TestBits(t *testing.T) {
	stale := uint64(0x7ff0000000000002) // what Prometheus takes for the end of a series
	c := metrics.Column{Form: metrics.Float, Bits: []uint64{stale, math.Float64bits(math.Inf(1)), 0}}
	if a, b := series.Bits(&c, 0), series.Bits(&c, 1); a != 0x7ff8000000000001 || b != c.Bits[1] {
		t.Errorf("%x and %x", a, b)
	}
}

func TestMerge(t *testing.T) {
	label := func(pairs ...string) (all []metrics.Label) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, metrics.Label{Name: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	before := label("z", "1")
	got := series.Merge(before, label("b", "row", "d", "\xff"), label("c", "column", "e", ""), label("a", "all", "b", "all", "e", "no"))
	want := label("z", "1", "a", "all", "b", "row", "c", "column", "d", "\uFFFD")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What was made is kept as long as Sets have the rows, and no longer.
func TestCache(t *testing.T) {
	var c series.Cache[int]
	made := 0
	get := func(rows *metrics.Rows, extra, set string) int {
		col := metrics.Column{Rows: rows, Extra: []metrics.Label{{Name: "x", Value: extra}}}
		return *c.Get(&col, []metrics.Label{{Name: "y", Value: set}}, func() int { made++; return made })
	}
	one, two := metrics.NewRows(nil, nil), metrics.NewRows(nil, nil)
	if get(one, "a", "a") != 1 || get(one, "b", "a") != 2 || get(one, "a", "b") != 3 || get(two, "a", "a") != 4 ||
		get(one, "a", "a") != 1 || get(one, "b", "a") != 2 {
		t.Error("rows, columns and Sets are mixed up")
	}
	for range 40 {
		c.Next()
		get(two, "a", "a")
	}
	if get(two, "a", "a") != 4 || get(one, "a", "a") != 5 {
		t.Error("what is used was dropped, or what is not used was kept")
	}
}
