package metrics

import (
	"math"

	"github.com/winperf/winperf/counter"
)

// whole is the raw value of the counter at position k.
func whole(k int) value { return times(k, 1) }

// times is the raw value times an integer, as for KB in bytes.
func times(k int, factor uint64) value { return scaled(k, Whole, factor) }

// ticks is a raw value in a number of units of 100 ns, in seconds.
func ticks(k int, units uint64) value { return scaled(k, Ticks100ns, units) }

// scaled is the raw value times an integer. If a product exceeds 64 bits, the column becomes
// decimals.
func scaled(k int, form Form, factor uint64) value {
	most := math.MaxUint64 / factor
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = form
		if factor == 1 {
			return
		}

		for _, v := range out.Bits {
			if v > most {
				toFloat(out, float64(factor)*form.unit())
				return
			}
		}
		for i := range out.Bits {
			out.Bits[i] *= factor
		}
	}
}

// unit returns the value of one bit.
func (f Form) unit() float64 {
	if f == Ticks100ns {
		return 1e-7
	}
	return 1
}

// decimal is the raw value times a factor, plus an offset.
func decimal(k int, factor, offset float64) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		toFloat(out, factor)
		if offset == 0 {
			return
		}
		for i, v := range out.Bits {
			out.Bits[i] = math.Float64bits(math.Float64frombits(v) + offset)
		}
	}
}

// toFloat converts integers to decimals. It divides by an integer if 1/factor is one, which is
// exact: 3820 thousandths are 3.82, not 3.8200000000000003.
func toFloat(out *Column, factor float64) {
	out.Form = Float
	if over := math.Round(1 / factor); factor < 1 && 1/over == factor {
		for i, v := range out.Bits {
			out.Bits[i] = math.Float64bits(float64(v) / over)
		}
		return
	}
	for i, v := range out.Bits {
		out.Bits[i] = math.Float64bits(float64(v) * factor)
	}
}

func double(k int) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Float
	}
}

// seconds is a raw value in ticks of a clock, in seconds; absent if the clock has no frequency.
func seconds(k int, clock counter.Clock) value { return secondsLike(k, k, clock) }

// secondsLike is like seconds for counter k, with the clock of counter of.
func secondsLike(k, of int, clock counter.Clock) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		if len(out.Bits) == 0 {
			return
		}
		_, freq := clockOf(in.object, in.instance(0), of, clock)
		switch {
		case freq <= 0:
			in.setAllAbsent(out)
		case freq == ticksPerSecond:
			out.Form = Ticks100ns
		default:
			divide(out, float64(freq))
		}
	}
}

// divide converts integers to the nearest decimals.
func divide(out *Column, by float64) {
	out.Form = Float
	for i, v := range out.Bits {
		out.Bits[i] = math.Float64bits(float64(v) / by)
	}
}

const ticksPerSecond = 10_000_000 // of 100 ns

// startTime is the start for a raw value of type PERF_ELAPSED_TIME, in seconds since 1970; absent
// if unknown.
func startTime(k int) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Ticks100ns
		var clock startClock
		native := in.object.Counter(k).Clock >= 0
		for i, v := range out.Bits {
			if i == 0 || native {
				clock = startClockOf(in.object, in.instance(i), k)
			}
			start, ok := clock.began(v)
			if !ok {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = start
		}
	}
}

func components(k int) value {
	return func(in *inputs, out *Column) {
		out.Form = Whole
		if base := in.object.Counter(k).Base; base >= 0 {
			in.read(out, base)
			return
		}
		in.readMulti(out, k)
	}
}

func one() value {
	return func(_ *inputs, out *Column) {
		out.Form = Whole
		for i := range out.Bits {
			out.Bits[i] = 1
		}
	}
}
