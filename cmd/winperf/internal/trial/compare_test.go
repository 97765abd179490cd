package trial

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draws are two groups of elapsed times: lognormal, as times are, with a tenth of noise, rounded to a
// step where there is one; the second group is slower by a factor.
func draws(r *rand.Rand, n, m int, factor, step float64) [][]float64 {
	groups := [][]float64{make([]float64, n), make([]float64, m)}
	for i, g := range groups {
		for k := range g {
			g[k] = math.Exp(0.1 * r.NormFloat64())
			if i == 1 {
				g[k] *= factor
			}
			if step > 0 {
				g[k] = math.Round(g[k]/step) * step
			}
		}
	}
	return groups
}

// significant is how many of so many comparisons find a difference.
func significant(r *rand.Rand, trials, n, m int, factor, step float64) (found int) {
	for range trials {
		if compare(Measure{}, draws(r, n, m, factor, step)).Cells[1].Significant() {
			found++
		}
	}
	return found
}

// Where there is no difference one is found in 5 % of comparisons at most, whatever the sizes of the
// groups and also where many values are equal; one of 10 % is found with enough runs.
func TestSimulated(t *testing.T) {
	const trials = 1000
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, m int
		step float64
	}{{4, 4, 0}, {5, 5, 0}, {10, 10, 0}, {10, 10, 0.1}, {30, 30, 0.05}, {4, 100, 0}, {40, 7, 0}} {
		// 65 of 1,000 are two deviations above 50.
		found := significant(r, trials, c.n, c.m, 1, c.step)
		t.Logf("%+v: %d false alarms of %d", c, found, trials)
		if found > 65 {
			t.Errorf("%+v: %d of %d comparisons find a difference where there is none", c, found, trials)
		}
	}

	for _, c := range []struct {
		n    int
		step float64
		want int
	}{{20, 0, 780}, {30, 0, 915}, {60, 0, 990}, {60, 0.05, 990}} {
		found := significant(r, trials, c.n, c.n, 1.1, c.step)
		t.Logf("%+v: %d of %d found", c, found, trials)
		if found < c.want {
			t.Errorf("%d runs: a difference of 10 %% is found in %d of %d comparisons, want %d", c.n, found, trials, c.want)
		}
	}
}

// What cannot be compared is not, and never significant.
func TestCompareOdd(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	equal := make([]float64, 50)
	for name, c := range map[string]struct {
		groups [][]float64
		count  int // of the second group
	}{
		"one each":      {[][]float64{{1}, {2}}, 1},
		"two each":      {[][]float64{{1, 1}, {2, 2}}, 2},
		"all equal":     {[][]float64{equal, equal}, 50},
		"none":          {[][]float64{{}, {}}, 0},
		"none before":   {[][]float64{{}, {1, 2, 3, 4, 5}}, 5},
		"none after":    {[][]float64{{1, 2, 3, 4, 5}, {}}, 0},
		"not a number":  {[][]float64{{1, 2, 3, 4, 5}, {nan, nan, nan, nan, nan}}, 0},
		"some are none": {[][]float64{{1, 2, 3, 4, 5}, {1, nan, 2, 3, 4, 5}}, 5},
		"infinite":      {[][]float64{{1, 2, 3, 4, 5}, {1, inf, 2, 3, -inf}}, 3},
		"huge":          {[][]float64{{-math.MaxFloat64, math.MaxFloat64}, {math.MaxFloat64, -math.MaxFloat64}}, 2},
	} {
		cell := compare(Measure{}, c.groups).Cells[1]
		if cell.Significant() || cell.Count != c.count {
			t.Errorf("%s: %+v", name, cell)
		}
		if math.IsInf(cell.Mean, 0) || cell.Count > 0 && math.IsNaN(cell.Mean) {
			t.Errorf("%s: a mean of %v", name, cell.Mean)
		}
	}

	// Without any spread a difference is certain as soon as there are enough runs.
	ones := []float64{1, 1, 1, 1, 1}
	cell := compare(Measure{}, [][]float64{ones, {2, 2, 2, 2, 2}}).Cells[1]
	if !cell.Significant() || cell.Difference != 1 || cell.DifferenceHalf != 0 {
		t.Errorf("no spread: %+v", cell)
	}
}
