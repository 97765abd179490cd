package frame

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Formula returns the formula of counter k for the sizes of its raw value and base in this object.
func (o Object) Formula(k int, opt counter.Options) counter.Formula {
	cs := o.counters()
	return newColumn(&cs[k], baseSize(cs, k), opt).formula
}

// Operands returns the operands of counter k of instance i in this sample: the raw value, the raw
// value of its base or the number of its components, and the clocks. If an operand is missing, the
// status is the reason. A text counter has no operands and the status counter.Unsupported.
//
// Use it to compute values between samples that are not in successive frames. Pass the operands of
// both samples, the older ones corrected by [Object.Since], to [counter.Formula.CookOne]. The result is
// the same as from a [Pair] of the two frames.
func (o Object) Operands(i, k int) (counter.Sample, counter.Status) {
	cs := o.counters()
	col := newColumn(&cs[k], baseSize(cs, k), counter.Options{})
	if col.text {
		return counter.Sample{}, counter.Unsupported
	}
	if col.status != counter.OK {
		return counter.Sample{}, col.status
	}

	s := counter.Sample{Clocks: o.Clocks()}
	var ok bool
	if s.Value, ok = o.Raw(i, k); !ok {
		return counter.Sample{}, o.Lack(i, k)
	}
	if status := o.second(&s, &col, i, k); status != counter.OK {
		return counter.Sample{}, status
	}
	if col.time > 0 && !o.takeValueClock(&s, &col, i) {
		return counter.Sample{}, counter.InvalidData
	}
	return s, counter.OK
}

func (o Object) second(s *counter.Sample, col *column, i, k int) counter.Status {
	var v uint64
	switch {
	case col.base >= 0:
		var ok bool
		if v, ok = o.Raw(i, int(col.base)); !ok {
			return o.Lack(i, int(col.base))
		}
	case col.multi:
		var one [1]uint64
		o.s.index.MultiColumn(one[:], o.pos, k, i)
		v = one[0]
	}

	if col.formula.NeedsMulti() {
		s.Multi = v
	} else {
		s.Base = v
	}
	return counter.OK
}

// takeValueClock replaces the clocks by the counter's own clock.
func (o Object) takeValueClock(s *counter.Sample, col *column, i int) bool {
	c, ok := o.valueClock(i, int(col.time)-1)
	if col.freq > 0 && ok {
		var freq uint64
		freq, ok = o.Raw(i, int(col.freq)-1)
		c.PerfFreq, c.ObjectFreq = int64(freq), int64(freq)
	}
	s.Clocks = c
	return ok
}

// Since corrects older operands of a counter of this object for a computation with newer ones. If the
// source has [winperf.ClocksTogether] and the system time was set in between, it changes the older time
// by the same amount. Otherwise it returns older unchanged.
func (o Object) Since(older, newer counter.Sample) counter.Sample {
	if o.s.block.Quirks&winperf.ClocksTogether != 0 {
		older.Time100ns += counter.ClockStep(older.Clocks, newer.Clocks)
	}
	return older
}
