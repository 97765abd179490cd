package sink

import (
	"math"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// places is the number of decimals of numbers of at least from.
type places struct {
	from  float64
	count int
}

// The decimals of seconds and of all other units, ascending. Zero uses the first row; smaller
// numbers are shown with three significant digits, so that only zero looks like zero.
var (
	secondsPlaces = [...]places{{1e-4, 6}, {1, 3}, {1e3, 1}, {1e5, 0}}
	otherPlaces   = [...]places{{1e-2, 2}, {1e6, 0}}
)

// largeFrom is the smallest number that is shown with an exponent.
const largeFrom = 1e21

// AppendNumber appends a number as the table shows it: an integer with all digits, or in
// hexadecimal if its counter type is hexadecimal; a decimal with the decimals of its unit.
func AppendNumber(dst []byte, v counter.Value, unit counter.Unit) []byte {
	if v.Kind() != counter.KindFloat {
		return v.Append(dst)
	}
	f, _ := v.Float64()
	return appendDecimal(dst, f, unit)
}

// AppendHuman appends the value of a reading in the form that Options.Human selects for tables.
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
	case !(size < largeFrom): // also NaN
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
