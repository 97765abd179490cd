package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// MeanError returns half the width of the confidence interval of Mean, by Student's t-distribution.
// confidence is between 0 and 1. The values must be independent, and many or normally distributed.
// It is NaN for fewer than two values.
func (f *Figures) MeanError(confidence float64) float64 {
	if f.Count < 2 || !(confidence > 0 && confidence < 1) {
		return math.NaN()
	}
	n := float64(f.Count)
	return student(confidence, n-1) * f.Deviation / math.Sqrt(n)
}

// student returns the two-sided quantile of Student's t-distribution.
func student(probability, freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})((1 + probability) / 2)
}
