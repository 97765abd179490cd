package stats

import (
	"math"
	"testing"
	"time"
)

// The difference of two means with unequal spread, worked out by hand: variances 2.5 of 5 and
// 40 of 5, so 8.5 of the difference and 4.498 degrees of freedom.
func TestMeanDifference(t *testing.T) {
	var g Group
	figures := func(values ...float64) *Figures {
		s := g.Series(false)
		for i, v := range values {
			s.Add(time.Duration(i), v)
		}
		f := s.Figures()
		return &f
	}
	a, b := figures(1, 2, 3, 4, 5), figures(2, 6, 10, 14, 18)
	difference, half := MeanDifference(a, b, 0.95)
	freedom := 8.5 * 8.5 / (0.5*0.5/4 + 8*8/4.0)
	if difference != 7 || math.Abs(half-student(0.95, freedom)*math.Sqrt(8.5)) > 1e-9 || half < 7.5 || half > 8 {
		t.Errorf("%v ± %v", difference, half)
	}
	if _, half := MeanDifference(a, figures(1), 0.95); !math.IsNaN(half) {
		t.Errorf("± %v of one value", half)
	}
	if difference, half := MeanDifference(figures(2, 2), figures(3, 3), 0.95); difference != 1 || half != 0 {
		t.Errorf("%v ± %v of equal values", difference, half)
	}
	for _, huge := range []float64{1e160, math.MaxFloat64} { // whose squares are no numbers
		if _, half := MeanDifference(figures(-huge, huge), figures(huge, -huge), 0.95); !math.IsNaN(half) {
			t.Errorf("± %v of values as %v", half, huge)
		}
	}
	tiny := math.SmallestNonzeroFloat64
	if _, half := MeanDifference(figures(0, tiny), figures(0, 1e-170), 0.95); half < 0 || half > 1 {
		t.Errorf("± %v of tiny values", half)
	}
}
