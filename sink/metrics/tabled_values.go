package metrics

import (
	"math"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// value returns the value of a table's row and the positions of its counters; false if it is
// impossible.
func (s *tabled) value(o *layout, r *tables.Row, ks []int) (value, []int, bool) {
	if len(ks) == 0 {
		return one(), ks, r.Convert.Op == tables.One
	}
	k := ks[0]
	d := &o.Counters[k]

	switch c := r.Convert; c.Op {
	case tables.Raw:
		return inUnits(d, k, c), ks, true
	case tables.Base:
		if d.Base < 0 {
			return nil, nil, false
		}
		return scaledBy(d.Base, c), []int{d.Base}, true
	case tables.Seconds:
		return seconds(k, clockOfType(d.Type)), ks, true
	case tables.Start:
		return startIn(k, c.Times), ks, true
	case tables.Elapsed:
		return elapsed(k), ks, true
	case tables.Is:
		return is(k, uint64(c.Times)), ks, true
	case tables.Kelvin:
		return kelvin(k), ks, true
	case tables.Sum, tables.Less, tables.High:
		return combined(c.Op, k, ks[1], d.Type.TimerClock()), ks, true
	case tables.First:
		return inUnits(d, k, c), ks[:1], true
	case tables.UsedMemory:
		return lessThan(k, s.facts.PhysicalMemory), ks, s.facts.PhysicalMemory > 0
	}
	return ofBase(o, r.Convert.Op, ks)
}

// ofBase returns values that also use the counter's base.
func ofBase(o *layout, op tables.Op, ks []int) (value, []int, bool) {
	k := ks[0]
	base := o.Counters[k].Base
	if base < 0 {
		return nil, nil, false
	}

	counters := []int{k, base}
	switch op {
	case tables.Percent:
		return part(k, base, func(v, base float64) float64 { return 100 * v / base }), counters, true
	case tables.Ratio:
		return part(k, base, func(v, base float64) float64 { return v / base }), counters, true
	case tables.Rest:
		return part(k, base, func(v, base float64) float64 { return 1 - v/base }), counters, true
	case tables.Remainder:
		return part(k, base, func(v, base float64) float64 { return base - v }), counters, true
	case tables.Pages, tables.FreePages, tables.Used:
		return pages(op, k, base), counters, true
	case tables.Size, tables.UsedSpace:
		return space(op, k, base, ks[1]), append(counters, ks[1]), true
	}
	return nil, nil, false
}

// inUnits is the raw value in the unit of its metric: times in seconds, all else as converted by
// the row.
func inUnits(d *definition, k int, c tables.Conversion) value {
	if clock := d.Type.TimerClock(); clock != counter.NoClock {
		return seconds(k, clock)
	}
	if d.Type == counter.DoubleRaw {
		return doubleBy(k, c.Times/c.Over, 0)
	}
	return scaledBy(k, c)
}

func scaledBy(k int, c tables.Conversion) value {
	switch {
	case c.Over != 1:
		return func(in *inputs, out *Column) {
			in.read(out, k)
			divide(out, c.Over)
		}
	case c.Times == math.Trunc(c.Times):
		return times(k, uint64(c.Times))
	}
	return decimal(k, c.Times, 0)
}

// doubleBy is a raw value that is a float64, times a factor, plus an offset.
func doubleBy(k int, factor, offset float64) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Float
		for i, v := range out.Bits {
			out.Bits[i] = math.Float64bits(math.Float64frombits(v)*factor + offset)
		}
	}
}

// clockOfType returns the clock of a type, or the performance counter.
func clockOfType(t counter.Type) counter.Clock {
	if clock := t.TimerClock(); clock != counter.NoClock {
		return clock
	}
	if clock := t.Clock(); clock != counter.NoClock {
		return clock
	}
	return counter.TickClock
}

// startIn is startTime in whole units of a number of seconds.
func startIn(k int, unit float64) value {
	start, ticks := startTime(k), uint64(unit*ticksPerSecond)
	return func(in *inputs, out *Column) {
		start(in, out)
		for i, v := range out.Bits {
			out.Bits[i] = v - v%max(ticks, 1)
		}
	}
}

// elapsed is the elapsed time in seconds.
func elapsed(k int) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Float
		for i, v := range out.Bits {
			now, freq := clockOf(in.object, in.instance(i), k, counter.ObjectClock)
			if v == 0 || freq <= 0 || now < 0 || uint64(now) < v {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = math.Float64bits(float64(uint64(now)-v) / float64(freq))
		}
	}
}

// is is 1 if the raw value equals want, else 0.
func is(k int, want uint64) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Whole
		for i, v := range out.Bits {
			out.Bits[i] = 0
			if v == want {
				out.Bits[i] = 1
			}
		}
	}
}

// kelvin converts tenths of kelvin to degrees Celsius.
func kelvin(k int) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Float
		for i, v := range out.Bits {
			out.Bits[i] = math.Float64bits(float64(v)/10 - 273.15)
		}
	}
}

// combined is the sum or difference of two counters, or the number of which they are the upper and
// the lower half. Both count ticks of one clock, or neither does.
func combined(op tables.Op, first, second int, clock counter.Clock) value {
	return func(in *inputs, out *Column) {
		others := in.second(out, second)
		in.read(out, first)
		out.Form = Whole
		below := combine(op, out.Bits, others)

		perSecond := int64(1)
		if clock != counter.NoClock && len(out.Bits) > 0 {
			_, perSecond = clockOf(in.object, in.instance(0), first, clock)
		}
		switch {
		case perSecond <= 0:
			in.setAllAbsent(out)
		case perSecond == ticksPerSecond && !below:
			out.Form = Ticks100ns
		case perSecond != 1 || below:
			divideSigned(out, float64(perSecond))
		}
	}
}

// combine combines the values in place and reports whether a difference is negative.
func combine(op tables.Op, values, others []uint64) (below bool) {
	for i, v := range values {
		switch op {
		case tables.High:
			values[i] = v<<32 | others[i]&math.MaxUint32
		case tables.Sum:
			values[i] = v + others[i]
		default:
			values[i] = v - others[i]
			below = below || v < others[i]
		}
	}
	return below
}

func divideSigned(out *Column, by float64) {
	out.Form = Float
	for i, v := range out.Bits {
		out.Bits[i] = math.Float64bits(float64(int64(v)) / by)
	}
}

func lessThan(k int, all uint64) value {
	return func(in *inputs, out *Column) {
		in.read(out, k)
		out.Form = Whole
		for i, v := range out.Bits {
			if v > all {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = all - v
		}
	}
}

// part is f of the raw value and its base, which is not 0.
func part(k, base int, f func(v, base float64) float64) value {
	return func(in *inputs, out *Column) {
		bases := in.second(out, base)
		in.read(out, k)
		out.Form = Float
		for i, v := range out.Bits {
			if bases[i] == 0 {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = math.Float64bits(f(float64(v), float64(bases[i])))
		}
	}
}
