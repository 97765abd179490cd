package stats

import "math"

// MeanDifference returns the mean of b minus the mean of a, and half the width of its confidence
// interval, by Welch's method. confidence is between 0 and 1. half is NaN if a or b has fewer than
// two values or no finite deviation.
func MeanDifference(a, b *Figures, confidence float64) (difference, half float64) {
	difference = b.Mean - a.Mean
	if a.Count < 2 || b.Count < 2 || !(confidence > 0 && confidence < 1) {
		return difference, math.NaN()
	}

	va := a.Deviation * a.Deviation / float64(a.Count)
	vb := b.Deviation * b.Deviation / float64(b.Count)
	if va+vb == 0 {
		return difference, 0
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(a.Count-1) + vb*vb/float64(b.Count-1))
	if math.IsNaN(freedom) || math.IsInf(va+vb, 0) {
		return difference, math.NaN()
	}
	return difference, student(confidence, freedom) * math.Sqrt(va+vb)
}
