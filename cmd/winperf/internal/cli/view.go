package cli

import "github.com/winperf/winperf"

// view is some of the readings of a moment.
type view struct {
	of        winperf.Readings
	positions []uint32 // in of
}

// choose makes the view one of the readings that are wanted, in their order.
func (v *view) choose(of winperf.Readings, wanted func(*winperf.Reading) bool) {
	v.of, v.positions = of, v.positions[:0]
	for i := range of.Len() {
		if wanted(of.At(i)) {
			v.positions = append(v.positions, uint32(i))
		}
	}
}

// Len implements winperf.Readings.
func (v *view) Len() int { return len(v.positions) }

// At implements winperf.Readings.
func (v *view) At(i int) *winperf.Reading { return v.of.At(int(v.positions[i])) }
