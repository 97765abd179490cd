package counter

import "math"

// Formula computes the displayable values of one counter. It is compiled once
// from a type and options; the zero Formula supports nothing. It may be used
// from several goroutines.
type Formula struct {
	id       formulaID
	operands operandSet
	clock    Clock
	kind     Kind
	unit     Unit
	samples  uint8

	wrap       WrapPolicy
	valueWraps bool // the raw value has 4 bytes
	baseWraps  bool // its base has 4 bytes
	events     bool // the base counts events: none of them is an average of 0
	inverse    bool // of the multi-timers: the inverse one

	least     float64 // seconds between two samples of which a rate is computed
	factor    float64 // 100 for percentages, 1 for everything else
	limited   bool    // displayable values are raised to low and lowered to high
	low, high float64
}

// NewFormula compiles the formula of a type. valueSize and baseSize are the
// bytes of the raw value and of its base (PERF_COUNTER_DEFINITION.CounterSize);
// 0 stands for what the type says. Sizes other than 4 and 8 are not supported.
func NewFormula(t Type, valueSize, baseSize int, opt Options) Formula {
	row := lookup(t)
	f := Formula{
		id:       row.formula,
		operands: row.formula.operands(),
		clock:    row.Clock,
		kind:     row.Kind,
		unit:     row.Unit,
		samples:  uint8(row.Samples),
		wrap:     opt.Wrap,
		events:   row.formula == formulaJ || row.formula == formulaK || row.formula == formulaL,
		inverse:  t&flagInverse != 0,
		least:    opt.Least.Seconds(),
		factor:   1,
		low:      math.Inf(-1),
		high:     math.Inf(1),
	}

	f.setSizes(row, valueSize, baseSize)
	if opt.Clamp && f.inverse {
		f.low, f.limited = 0, true
	}

	if f.unit == Percent {
		f.factor = 100
		if opt.Cap100 {
			f.high, f.limited = 100, true
		}
	}
	return f
}

// setSizes sets what follows from the sizes of the value and of the base.
func (f *Formula) setSizes(row *Info, valueSize, baseSize int) {
	if valueSize == 0 {
		valueSize = row.Bytes
	}
	if baseSize == 0 {
		baseSize = lookup(row.Base).Bytes
	}

	needsBase := f.NeedsBase()
	supported := isWidth(valueSize) && (isWidth(baseSize) || !needsBase)
	if f.id == formulaA3 {
		supported = valueSize == 8 // there is no double of 4 bytes
	}
	if !supported {
		f.operands = 0 // as for a type without formula
	}

	f.valueWraps = valueSize == 4
	f.baseWraps = baseSize == 4
	switch {
	case f.kind == KindHex32 && valueSize == 8:
		f.kind = KindHex
	case f.kind == KindHex && valueSize == 4:
		f.kind = KindHex32
	}
}

// isWidth reports whether numbers of that many bytes are supported.
func isWidth(size int) bool { return size == 4 || size == 8 }

// Unit returns the unit of the values.
func (f *Formula) Unit() Unit { return f.unit }

// Kind returns the kind of the values; [FromBits] needs it.
func (f *Formula) Kind() Kind { return f.kind }

// Samples returns how many samples a value needs: 2, 1, or 0 if there is none.
func (f *Formula) Samples() int { return int(f.samples) }

// NeedsBase reports whether the formula needs the values of a base counter.
func (f *Formula) NeedsBase() bool { return f.operands&operandB1 != 0 }

// NeedsMulti reports whether the formula needs the number of components.
func (f *Formula) NeedsMulti() bool { return f.operands&operandM1 != 0 }

// Batch holds the operands and results of one counter over many instances.
// Element i of every slice belongs to instance i; there are as many elements
// as Bits and Status have in common. Where a slice that the formula needs is
// shorter no element has a value: InvalidData, or NoPrevious for Prev.
type Batch struct {
	// Prev and Cur are the raw values of the older and the newer sample;
	// one-sample types ignore Prev.
	Prev, Cur []uint64
	// PrevBase and CurBase are the raw values of the base. Of multi-timers CurBase is
	// the number of components, and PrevBase is ignored.
	PrevBase, CurBase []uint64
	// Match is how well the two raw values are known to belong together; nil stands
	// for Verified. Two-sample types give NoPrevious where it is Unmatched.
	Match []Match

	// Bits are the results, for FromBits and Formula.Kind.
	Bits []uint64
	// Status says which results are values. Elements that are not OK before are left alone.
	Status []Status
	// Fell is set where a value or base of an element fell: it wrapped, or its status
	// says that it went back.
	Fell bool
}

// Cook computes the values of a column from two samples with the given clocks.
// One-sample types ignore prev. It allocates nothing. Types that have no
// displayable number (text too) give Unsupported.
//
// Where several statuses apply, the denominator goes before the time base and
// the time base before the value.
func (f *Formula) Cook(prev, cur Clocks, col *Batch) {
	c := col
	c.Fell = false
	if len(c.Bits) != len(c.Status) {
		cut, n := *col, min(len(c.Bits), len(c.Status))
		cut.Bits, cut.Status = c.Bits[:n], c.Status[:n]
		c = &cut
	}

	if status := f.ready(c, len(c.Bits)); status != OK {
		c.fail(status)
		return
	}

	if f.operands&operandN0 != 0 && c.Match != nil {
		c.dropUnmatched()
	}

	s := span{freq: 1}
	now, freq := cur.At(f.clock)
	if f.operands&operandD0 != 0 {
		before, _ := prev.At(f.clock)
		if status := s.measure(before, now); status != OK {
			c.fail(status)
			return
		}
		if f.least > 0 && f.tooClose(prev, cur) {
			c.fail(TooClose)
			return
		}
	}

	if f.operands&operandTB != 0 {
		s.freq = float64(freq)
		if freq <= 0 {
			s.timebase = NegativeTimebase
		}
	}
	col.Fell = f.cook(c, s, now)
}

// tooClose reports whether two samples are too close for a rate.
func (f *Formula) tooClose(prev, cur Clocks) bool {
	seconds := apart(prev, cur, f.clock)
	return seconds > 0 && seconds < f.least
}

// cook computes the elements that have no status yet, as many at a time as stand
// side by side. It reports whether a value or base of one fell.
func (f *Formula) cook(c *Batch, s span, now int64) (fell bool) {
	if allOK(c.Status) { // nearly always
		return f.cookAll(c, s, now)
	}
	for begin, end := 0, 0; begin < len(c.Status); begin = end {
		end = begin + 1
		if c.Status[begin] != OK {
			continue
		}
		for end < len(c.Status) && c.Status[end] == OK {
			end++
		}
		part := c.part(begin, end)
		fell = f.cookAll(&part, s, now) || fell
	}
	return fell
}

// cookAll computes elements of which none has a status. It reports whether a value or
// base of one fell.
func (f *Formula) cookAll(c *Batch, s span, now int64) (fell bool) {
	if fell = f.compute(c, s, now); fell {
		f.settle(c, s)
	}
	return fell
}

// ready tells why a column of n elements has no values at all, or OK.
func (f *Formula) ready(c *Batch, n int) Status {
	need := func(o operandSet, s []uint64) bool { return f.operands&o != 0 && len(s) < n }
	switch {
	case f.operands == 0:
		return Unsupported
	case need(operandN0, c.Prev):
		return NoPrevious
	case f.operands&operandN0 != 0 && c.Match != nil && len(c.Match) < n,
		need(operandN1, c.Cur),
		need(operandB0, c.PrevBase),
		need(operandB1|operandM1, c.CurBase):
		return InvalidData
	}
	return OK
}

// compute computes elements of which none has a status, but those whose value or base
// fell. It reports whether there are any.
func (f *Formula) compute(c *Batch, s span, now int64) (fell bool) {
	fell = f.loop(c, s, now)
	if f.limited {
		f.limit(c.Bits)
	}
	return fell
}

// loop runs the one loop that belongs to the formula.
func (f *Formula) loop(c *Batch, s span, now int64) (fell bool) {
	switch f.id {
	// Of one sample: nothing can fall.
	case formulaA:
		copy(c.Bits, c.Cur) // the bits of an integer are its value
	case formulaA2:
		c.thousandths()
	case formulaA3:
		c.doubles()
	case formulaI:
		f.fraction(c)
	case formulaO:
		f.elapsed(c, s, now)

	// Of two.
	case formulaB:
		return f.difference(c)
	case formulaC, formulaD, formulaH:
		return f.rate(c, s)
	case formulaE:
		return f.inverseRate(c, s)
	case formulaF1, formulaF2, formulaG:
		return f.multiRate(c, s)
	case formulaJ, formulaK, formulaL, formulaM:
		return f.ratio(c, s)
	}
	return false
}
