package stats

import (
	"math"
	"testing"
	"time"
)

// TestStudent: the quantiles are those of the tables of Student's t-distribution.
func TestStudent(t *testing.T) {
	for _, tt := range []struct{ confidence, freedom, want float64 }{
		{0.90, 1, 6.314}, {0.95, 1, 12.706}, {0.99, 1, 63.657},
		{0.95, 2, 4.303}, {0.95, 5, 2.571}, {0.95, 10, 2.228}, {0.99, 10, 3.169},
		{0.95, 30, 2.042}, {0.90, 120, 1.658}, {0.95, 1e6, 1.960}, {0.999, 20, 3.850},
	} {
		if got := student(tt.confidence, tt.freedom); math.Abs(got-tt.want) > 0.0006 {
			t.Errorf("t of %v with %v degrees of freedom: %.4f, want %.3f", tt.confidence, tt.freedom, got, tt.want)
		}
	}
}

func TestMeanError(t *testing.T) {
	var g Group
	s := g.Series(false)
	for i, v := range []float64{1, 2, 3, 4, 5} {
		s.Add(time.Duration(i), v)
	}
	f := s.Figures()
	// The deviation is the root of 2.5, t of 4 degrees 2.776.
	if got, want := f.MeanError(0.95), 2.776*math.Sqrt(2.5/5); math.Abs(got-want) > 0.001 {
		t.Errorf("error of the mean %v, want %v", got, want)
	}
	one := g.Series(false)
	one.Add(0, 1)
	f = one.Figures()
	if got := f.MeanError(0.95); !math.IsNaN(got) {
		t.Errorf("error of the mean of one value %v", got)
	}
}
