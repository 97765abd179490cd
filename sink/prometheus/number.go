package prometheus

import (
	"math"
	"strconv"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// maxNumber is the largest length of a value, such as -1.7976931348623157e+308, and of a time.
const maxNumber = 24

func appendValue(dst []byte, form metrics.Form, bits uint64) []byte {
	switch form {
	case metrics.Whole:
		return appendUint(dst, bits)
	case metrics.Ticks100ns:
		return appendTicks(dst, bits)
	}
	return appendFloat(dst, math.Float64frombits(bits))
}

// appendFloat appends the shortest decimal number that parses to f.
func appendFloat(dst []byte, f float64) []byte {
	// Fast path for whole numbers and few decimals. Distinct decimal numbers of up to 15 digits are
	// distinct float64, so that no shorter number is f.
	const places, most = 1000, 1e15
	size := math.Abs(f)
	n := math.RoundToEven(size * places)
	if !(n < most) || n/places != size || n == 0 && math.Signbit(f) {
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	}

	if f < 0 {
		dst = append(dst, '-')
	}
	return appendTicks(dst, uint64(n)*(ticksPerSecond/places))
}

// appendTime appends the time of a sample: milliseconds since 1970 in the text format, seconds in
// OpenMetrics.
func appendTime(dst []byte, format Format, t time.Time) []byte {
	if format == Text {
		return strconv.AppendInt(dst, t.UnixMilli(), 10)
	}
	return appendSeconds(dst, t.UnixMilli())
}

// appendSeconds appends milliseconds since 1970 as seconds. Prometheus parses a float64, multiplies
// it by 1000 and truncates. Some times before November 2004 and after January 2038 would lose a
// millisecond; they get an additional microsecond.
func appendSeconds(dst []byte, milli int64) []byte {
	const micro, perMilli = ticksPerSecond / 1e6, ticksPerSecond / 1e3
	if milli < 0 {
		dst = append(dst, '-')
		milli = -milli
	}

	ticks := uint64(milli) * perMilli
	if int64(float64(milli)/1000*1000) != milli {
		ticks += micro
	}
	return appendTicks(dst, ticks)
}

// appendCreated appends a time as seconds since 1970 with the 100 ns of Windows, at least 0.
func appendCreated(dst []byte, t time.Time) []byte {
	return appendTicks(dst, uint64(max(t.UnixNano(), 0))/100)
}
