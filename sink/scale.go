package sink

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// prefixes are powers of 1000, or of 1024 with an i after them.
const prefixes = " kMGTPEZY"

// isScaled reports whether a reading is shown with a prefix: bytes, and rates of at least 1000.
func isScaled(r *winperf.Reading) bool {
	f, isNumber := r.Value.Float64()
	return isNumber && f >= 0 && f < largeFrom && (isBytes(r) || r.Unit == counter.PerSecond && f >= 1000)
}

// byteCounters are the title indices of byte counters whose names do not contain "Bytes": Working
// Set, Working Set Peak, Working Set - Private.
var byteCounters = []uint32{180, 182, 1478}

// isBytes reports whether a reading is in bytes or bytes per second.
func isBytes(r *winperf.Reading) bool {
	return IsBytes(r.Path.Counter, r.Unit) ||
		mayBeBytes(r.Unit) && slices.Contains(byteCounters, r.CounterID.Index)
}

// IsBytes reports whether a counter with this English name and unit is in bytes or bytes per
// second. Counter types do not include this fact.
func IsBytes(name string, unit counter.Unit) bool {
	isSpace := func(c rune) bool { return c == ' ' || c == '/' || c == '(' || c == ')' || c == '.' }
	return mayBeBytes(unit) && (strings.HasPrefix(name, "Working Set") ||
		slices.Contains(strings.FieldsFunc(name, isSpace), "Bytes"))
}

func mayBeBytes(unit counter.Unit) bool { return unit == counter.PerSecond || unit == counter.Count }

// appendScaled appends the value of a reading with one decimal, a prefix and its unit: 145.7 MiB,
// 10.5 MB/s, 1.2 M/s.
func appendScaled(dst []byte, r *winperf.Reading) []byte {
	f, _ := r.Value.Float64()
	step, infix, unit := 1000.0, "", ""
	if isBytes(r) {
		unit = "B"
	}
	if r.Unit == counter.PerSecond {
		unit += "/s"
	} else {
		step, infix = 1024, "i"
	}

	// A number that would be rounded to a whole step gets the next prefix.
	const half = 0.05
	power := 0
	for ; f >= step-half && power < len(prefixes)-1; power++ {
		f /= step
	}

	if power == 0 {
		return append(appendUnscaled(dst, f), " "+unit...)
	}
	prefix := prefixes[power : power+1]
	if infix != "" {
		prefix = strings.ToUpper(prefix)
	}
	dst = append(strconv.AppendFloat(dst, f, 'f', 1, 64), ' ')
	return append(dst, prefix+infix+unit...)
}

func appendUnscaled(dst []byte, f float64) []byte {
	if f == math.Trunc(f) {
		return strconv.AppendFloat(dst, f, 'f', 0, 64)
	}
	return appendDecimal(dst, f, counter.PerSecond)
}
