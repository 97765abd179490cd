package metrics

import (
	"math"
	"testing"
)

// Decimal fractions are the nearest double, and not one next to it.
func TestToFloat(t *testing.T) {
	for factor, want := range map[float64]float64{1e-3: 3.82, 1e-2: 38.2, 1e-7: 0.000382, 1024: 3911680, 0.3: 1146} {
		column := Column{Bits: []uint64{3820}}
		toFloat(&column, factor)
		if got := math.Float64frombits(column.Bits[0]); got != want || column.Form != Float {
			t.Errorf("3820 * %v = %v, want %v", factor, got, want)
		}
	}
}
