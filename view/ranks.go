package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/winperf/winperf/internal/stats"
)

// rankTest returns the normal score of the Mann-Whitney U test of the values in a range and the others.
// Missing values count in neither.
func rankTest(values []float64, from, to int) float64 {
	ranks, ties := ranksOf(values)
	n, k, sum := 0.0, 0.0, 0.0
	for i, rank := range ranks {
		if rank > 0 {
			n++
			if i >= from && i < to {
				k++
				sum += rank
			}
		}
	}
	return score(sum, k, n, ties)
}

// score returns the normal score of a sum of k of n ranks.
func score(sum, k, n, ties float64) float64 {
	variance := k * (n - k) / 12 * (n + 1 - ties/(n*max(n-1, 1)))
	if k < 1 || k >= n || variance <= 0 {
		return 0
	}
	return (sum - k*(n+1)/2) / math.Sqrt(variance)
}

// ranksOf returns the ranks of values from 1, 0 for a missing one, and the sum of t³-t over groups of t
// equal values.
func ranksOf(values []float64) (ranks []float64, ties float64) {
	order := make([]int, 0, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })

	ranks = make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = float64(i+j+1) / 2
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}

func finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

func median(values []float64) float64 { return stats.Percentile(values, 50) }

// correlation returns the correlation of two lists of values, where both have one.
func correlation(a, b []float64) float64 {
	var n, sa, sb, saa, sbb, sab float64
	for i := range a {
		x, y := a[i], b[i]
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		n++
		sa, sb = sa+x, sb+y
	}

	ma, mb := sa/n, sb/n
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		saa, sbb, sab = saa+x*x, sbb+y*y, sab+x*y
	}

	if saa <= 0 || sbb <= 0 {
		return 0
	}
	return sab / math.Sqrt(saa*sbb)
}
