package cli

import (
	"math"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// TestGather has processes that come and go, some with the name and the place of one that
// ended, and compares the rows with what its readings say one by one.
func TestGather(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Chdir(t.TempDir())
	writeReference(t, "churn.capture", perftest.Desktop, 6, 5)
	in, err := (&app{}).openInput(t.Context(), "churn.capture", source.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.src.Close()

	g := newGatherer()
	want := map[string][]float64{}
	missing := 0
	add := func(cycle *measure.Cycle) {
		g.add(cycle)
		for _, r := range cycle.Readings() {
			name := r.String()
			if p := r.Path; r.Key != "" {
				p.Instance, p.Index = "", 0
				name = p.String() + "\x00" + r.Key
			}
			f, number := r.Value.Float64()
			switch {
			case r.Status == counter.OK && number && !math.IsNaN(f) && !math.IsInf(f, 0):
				want[name] = append(want[name], f)
			case r.Status != counter.NoPrevious && !namesNothing(r.Status):
				missing++
			}
		}
	}
	sel := winperf.Selection{Global: true, Costly: true}
	if err := in.walk(t.Context(), sel, measure.Options{KeepFirst: true}, add, func([]error) {}); err != nil {
		t.Fatal(err)
	}

	found, ended := 0, 0
	for _, row := range g.rows {
		f := row.values.Figures(50)
		missing -= f.Missing
		values := want[g.name(row.series)]
		if f.Count != len(values) {
			t.Fatalf("%v: %d values, want %d", row.series, f.Count, len(values))
		}
		if len(values) == 0 {
			continue
		}
		found++
		if len(values) < 5 {
			ended++
		}
		if f.Min != slices.Min(values) || f.Max != slices.Max(values) || f.Last != values[len(values)-1] {
			t.Fatalf("%v: %+v, want those of %v", row.series, f, values)
		}
	}
	if found != len(want) || missing != 0 || ended == 0 {
		t.Errorf("%d rows with values, want %d, %d of what came or went; %d missing values are not told",
			found, len(want), ended, missing)
	}
}
