package sink

import (
	"math"
	"slices"
	"strconv"

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

// formatNumber returns a number for the table: integers with all digits, or in
// hexadecimal where their counter is shown so, decimals as their unit suits.
// grouped separates thousands with commas.
func formatNumber(v counter.Value, unit counter.Unit, grouped bool) string {
	f, _ := v.Float64()
	text := v.String()
	if v.Kind() == counter.KindFloat {
		text = formatDecimal(f, unit)
	}
	hexadecimal := v.IsInteger() && v.Kind() != counter.KindInt
	if size := math.Abs(f); grouped && !hexadecimal && size >= 1e3 && size < largeFrom {
		return groupThousands(text)
	}
	return text
}

func formatDecimal(f float64, unit counter.Unit) string {
	table := otherPlaces[:]
	if unit == counter.Seconds {
		table = secondsPlaces[:]
	}
	size := math.Abs(f)
	switch {
	case size != 0 && size < table[0].from:
		return strconv.FormatFloat(f, 'g', 3, 64)
	case !(size < largeFrom): // also what is not a number
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	count := table[0].count
	for _, p := range table {
		if size >= p.from {
			count = p.count
		}
	}
	return strconv.FormatFloat(f, 'f', count, 64)
}

// groupThousands puts a comma before every third digit of the whole part,
// counted from its end.
func groupThousands(text string) string {
	out := []byte(text)
	end := slices.Index(out, '.')
	if end < 0 {
		end = len(out)
	}
	for i := end - 3; i > 0 && out[i-1] != '-'; i -= 3 {
		out = slices.Insert(out, i, ',')
	}
	return string(out)
}
