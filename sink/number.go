package sink

import (
	"math"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// places says how many decimal places numbers from a size on are shown with.
type places struct {
	from  float64
	count int
}

// The places of seconds and of all other units, ascending. Zero has those of
// the first row; other numbers below it are shown with three significant
// digits, so that nothing but zero looks like it.
var (
	secondsPlaces = [...]places{{1e-4, 6}, {1, 3}, {1e3, 1}, {1e5, 0}}
	otherPlaces   = [...]places{{1e-2, 2}, {1e6, 0}}
)

// largeFrom is the size from which numbers have an exponent.
const largeFrom = 1e21

// AppendNumber appends a number as the table shows it: integers with all digits, or in
// hexadecimal where their counter is shown so, decimals as their unit suits.
func AppendNumber(dst []byte, v counter.Value, unit counter.Unit) []byte {
	if v.Kind() != counter.KindFloat {
		return v.Append(dst)
	}
	f, _ := v.Float64()
	return appendDecimal(dst, f, unit)
}

// AppendHuman appends the number of a reading as a table for people shows it (Options.Human).
func AppendHuman(dst []byte, r *winperf.Reading) []byte {
	if isScaled(r) {
		return appendScaled(dst, r)
	}
	return AppendNumber(dst, r.Value, r.Unit)
}

func appendDecimal(dst []byte, f float64, unit counter.Unit) []byte {
	table := otherPlaces[:]
	if unit == counter.Seconds {
		table = secondsPlaces[:]
	}

	size := math.Abs(f)
	switch {
	case size != 0 && size < table[0].from:
		return strconv.AppendFloat(dst, f, 'g', 3, 64)
	case !(size < largeFrom): // also what is not a number
		return strconv.AppendFloat(dst, f, 'g', 6, 64)
	}

	count := table[0].count
	for _, p := range table {
		if size >= p.from {
			count = p.count
		}
	}
	return strconv.AppendFloat(dst, f, 'f', count, 64)
}
