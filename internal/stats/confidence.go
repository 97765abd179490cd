package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// MeanError is half the width of the interval around Mean in which the mean of all that could
// have been measured is with a confidence between 0 and 1, as Student's t-distribution has it:
// for values that do not depend on each other, and many or of a normal distribution. It is NaN of
// fewer than two values.
func (f *Figures) MeanError(confidence float64) float64 {
	if f.Count < 2 || !(confidence > 0 && confidence < 1) {
		return math.NaN()
	}
	n := float64(f.Count)
	return student(confidence, n-1) * f.Deviation / math.Sqrt(n)
}

// student is how far from 0 a variable of Student's t-distribution is at most with a
// probability.
func student(probability, freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})((1 + probability) / 2)
}
