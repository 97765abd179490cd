package counter

import "math"

// Formula computes the displayable values of one counter. [NewFormula] compiles it; the zero
// Formula returns Unsupported. It may be used from several goroutines.
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
	events     bool // the base counts events: without events the average is 0
	inverse    bool // for multi-timers: the inverse one

	least     float64 // shortest time between two samples for a rate, in seconds
	factor    float64 // 100 for percentages, else 1
	limited   bool    // values are limited to low and high
	low, high float64
}

// NewFormula compiles the formula of a type. valueSize and baseSize are the bytes of the raw value
// and of its base (PERF_COUNTER_DEFINITION.CounterSize); 0 means the type's size. With sizes other
// than 4 and 8 all values are Unsupported.
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

// setSizes sets the fields that depend on the sizes of value and base.
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
		supported = valueSize == 8 // no double has 4 bytes
	}
	if !supported {
		f.operands = 0 // unsupported, as a type without formula
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

// isWidth reports whether numbers of size bytes are supported.
func isWidth(size int) bool { return size == 4 || size == 8 }

// Unit returns the unit of the values.
func (f *Formula) Unit() Unit { return f.unit }

// Kind returns the kind of the values, for [FromBits].
func (f *Formula) Kind() Kind { return f.kind }

// Samples returns the number of samples that a value needs: 2, 1, or 0 if it has none.
func (f *Formula) Samples() int { return int(f.samples) }

// NeedsBase reports whether the formula needs the values of a base counter.
func (f *Formula) NeedsBase() bool { return f.operands&operandB1 != 0 }

// NeedsMulti reports whether the formula needs the number of components.
func (f *Formula) NeedsMulti() bool { return f.operands&operandM1 != 0 }

// Batch holds the operands and results of one counter for many instances. Element i of every slice
// belongs to instance i; the number of elements is the shorter length of Bits and Status. If a
// required slice is shorter, no element has a value: the status is InvalidData, or NoPrevious for
// Prev.
type Batch struct {
	// Prev and Cur are the raw values of the older and the newer sample. One-sample types ignore
	// Prev.
	Prev, Cur []uint64
	// PrevBase and CurBase are the raw values of the base. For multi-timers CurBase is the number of
	// components, and PrevBase is ignored.
	PrevBase, CurBase []uint64
	// Match is the certainty that the two raw values belong together; nil means Verified. Two-sample
	// types return NoPrevious for Unmatched.
	Match []Match

	// Bits are the results, for FromBits with Formula.Kind.
	Bits []uint64
	// Status is input and output: Cook computes only elements with the status OK. If an element has
	// no value, Cook sets its status to the reason.
	Status []Status
	// Fell reports that the raw value or base of at least one element fell. Each such value either
	// wrapped, or the status of its element is not OK.
	Fell bool
}

// Cook computes the values of a column from two samples with the given clocks. One-sample types
// ignore prev. It allocates nothing. Types without a displayable number, including text, return
// Unsupported.
//
// If several statuses apply, the status of the divisor (the clock or the base) has priority over
// NegativeTimebase, and NegativeTimebase over NegativeValue.
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

// tooClose reports whether the time between two samples is below the limit for a rate.
func (f *Formula) tooClose(prev, cur Clocks) bool {
	seconds := secondsBetween(prev, cur, f.clock)
	return seconds > 0 && seconds < f.least
}

// cook computes the elements that are OK, in runs of neighbours. It reports whether a value or base
// fell.
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

// cookAll computes elements that are all OK. It reports whether a value or base fell.
func (f *Formula) cookAll(c *Batch, s span, now int64) (fell bool) {
	if fell = f.compute(c, s, now); fell {
		f.resolveFalls(c, s)
	}
	return fell
}

// ready returns OK, or the status of all n elements of a column without values.
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

// compute computes elements that are all OK, except those whose value or base fell. It reports
// whether one did.
func (f *Formula) compute(c *Batch, s span, now int64) (fell bool) {
	fell = f.loop(c, s, now)
	if f.limited {
		f.limit(c.Bits)
	}
	return fell
}

func (f *Formula) loop(c *Batch, s span, now int64) (fell bool) {
	switch f.id {
	// One sample: nothing can fall.
	case formulaA:
		copy(c.Bits, c.Cur) // an integer's bits are its value
	case formulaA2:
		c.thousandths()
	case formulaA3:
		c.doubles()
	case formulaI:
		f.fraction(c)
	case formulaO:
		f.elapsed(c, s, now)

	// Two samples.
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
