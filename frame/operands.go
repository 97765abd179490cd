package frame

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Formula returns the formula of counter k, for the widths that its raw value and its base have
// here.
func (o Object) Formula(k int, opt counter.Options) counter.Formula {
	cs := o.counters()
	return newColumn(&cs[k], baseSize(cs, k), opt).formula
}

// Operands returns what the displayable value of counter k of instance i is computed of in this
// sample: the raw value, that of its base or the number of its components, and the clocks, its own
// where it has one. Without them the status says why. A text has none: counter.Unsupported.
//
// It is for values over another time than that between two frames which follow each other: two
// operands of one instance and the counter's Formula give the value that a [Pair] of their frames
// would, see [counter.Formula.CookOne] and [Object.Since].
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
	if col.time > 0 && !o.takeOwnClock(&s, &col, i) {
		return counter.Sample{}, counter.InvalidData
	}
	return s, counter.OK
}

// second reads the second value of a formula.
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

// takeOwnClock puts a counter's own clock in the place of the others.
func (o Object) takeOwnClock(s *counter.Sample, col *column, i int) bool {
	c, ok := o.ownClock(i, int(col.time)-1)
	if col.freq > 0 && ok {
		var freq uint64
		freq, ok = o.Raw(i, int(col.freq)-1)
		c.PerfFreq, c.ObjectFreq = int64(freq), int64(freq)
	}
	s.Clocks = c
	return ok
}

// Since returns older operands of a counter of this object as they go with those of this sample:
// where the source can tell, with the system time as it would have been if nobody had set it
// meanwhile.
func (o Object) Since(older, newer counter.Sample) counter.Sample {
	if o.s.block.Quirks&winperf.ClocksTogether != 0 {
		older.Time100ns += counter.ClockStep(older.Clocks, newer.Clocks)
	}
	return older
}
