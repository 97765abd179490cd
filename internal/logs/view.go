package logs

import "github.com/winperf/winperf"

// View is some of the readings of a moment.
type View struct {
	Of        winperf.Readings
	Positions []uint32 // in of
}

// Choose makes the view one of the readings that are wanted, in their order.
func (v *View) Choose(of winperf.Readings, wanted func(*winperf.Reading) bool) {
	v.Of, v.Positions = of, v.Positions[:0]
	for i := range of.Len() {
		if wanted(of.At(i)) {
			v.Positions = append(v.Positions, uint32(i))
		}
	}
}

// Len implements [winperf.Readings].
func (v *View) Len() int { return len(v.Positions) }

// At implements [winperf.Readings].
func (v *View) At(i int) *winperf.Reading { return v.Of.At(int(v.Positions[i])) }
