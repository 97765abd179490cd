package counter

import "math"

// The loops in this file are the only implementation of the formulas. Formula.Cook has checked the
// columns: every required slice is at least as long as Bits, and Status is as long and OK
// throughout. Each loop cuts its slices to one length, so that the compiler can drop bounds checks.

// span is the time between two samples, for all elements of a column.
type span struct {
	ticks    float64 // D1 - D0, above zero
	freq     float64 // ticks per second; 1 without a time base
	timebase Status  // NegativeTimebase if a time base is needed and unusable
}

// measure sets the ticks between two times, or returns the reason against it.
func (s *span) measure(before, now int64) Status {
	if now < before {
		return NegativeDenominator
	}
	if now == before {
		return InvalidData
	}
	s.ticks = float64(uint64(now - before)) // unsigned, because it may exceed 2^63
	return OK
}

// part returns the elements in [begin, end). Slices that are shorter are not needed.
func (c *Batch) part(begin, end int) Batch {
	of := func(s []uint64) []uint64 {
		if len(s) < end {
			return nil
		}
		return s[begin:end]
	}

	p := Batch{
		Prev: of(c.Prev), Cur: of(c.Cur), PrevBase: of(c.PrevBase), CurBase: of(c.CurBase),
		Bits: c.Bits[begin:end], Status: c.Status[begin:end],
	}
	if len(c.Match) >= end {
		p.Match = c.Match[begin:end]
	}
	return p
}

// allOK reports whether all elements are OK. It checks eight at a time, which compile to one load.
func allOK(s []Status) bool {
	for ; len(s) >= 8; s = s[8:] {
		if uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56 != 0 {
			return false
		}
	}

	for _, status := range s {
		if status != OK {
			return false
		}
	}
	return true
}

// fail sets the status of all elements that are still OK.
func (c *Batch) fail(status Status) {
	for i, s := range c.Status {
		if s == OK {
			c.Status[i] = status
		}
	}
}

// dropUnmatched sets NoPrevious for elements without an older value.
func (c *Batch) dropUnmatched() {
	status := c.Status
	for i, m := range c.Match[:len(status)] {
		if m == Unmatched && status[i] == OK {
			status[i] = NoPrevious
		}
	}
}

// limit limits values to the range that the options set.
func (f *Formula) limit(bits []uint64) {
	for i := range bits {
		v := math.Float64frombits(bits[i])
		if v < f.low {
			bits[i] = math.Float64bits(f.low)
		} else if v > f.high {
			bits[i] = math.Float64bits(f.high)
		}
	}
}

// thousandths computes formula A2.
func (c *Batch) thousandths() {
	for i := range c.Bits {
		c.Bits[i] = math.Float64bits(float64(c.Cur[i]) / 1000)
	}
}

// doubles computes formula A3.
func (c *Batch) doubles() {
	for i := range c.Bits {
		if v := math.Float64frombits(c.Cur[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			c.Status[i] = InvalidData
			continue
		}
		c.Bits[i] = c.Cur[i]
	}
}

// difference computes formula B.
func (f *Formula) difference(c *Batch) (fell bool) {
	bits := c.Bits
	prev, cur := c.Prev[:len(bits)], c.Cur[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = n1 - n0
	}
	return fell
}

// rate computes formulas C, D and H.
func (f *Formula) rate(c *Batch, s span) (fell bool) {
	if s.timebase != OK {
		c.fail(s.timebase)
		return false
	}

	factor, elapsed := f.factor, s.ticks/s.freq
	bits := c.Bits
	prev, cur := c.Prev[:len(bits)], c.Cur[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(factor * float64(n1-n0) / elapsed)
	}
	return fell
}

// inverseRate computes formula E.
func (f *Formula) inverseRate(c *Batch, s span) (fell bool) {
	bits := c.Bits
	prev, cur := c.Prev[:len(bits)], c.Cur[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(100 * (1 - float64(n1-n0)/s.ticks))
	}
	return fell
}

// multiRate computes formulas F1, F2 and G.
func (f *Formula) multiRate(c *Batch, s span) (fell bool) {
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	count := c.CurBase[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if count[i] == 0 {
			status[i] = InvalidData
			continue
		}

		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(f.multi(float64(n1-n0), s.ticks, float64(count[i])))
	}
	return fell
}

// multi computes formulas F1, F2 and G of one element.
func (f *Formula) multi(growth, elapsed, count float64) float64 {
	if !f.inverse {
		return 100 * growth / elapsed / count
	}
	return 100 * (count - growth/elapsed)
}

// fraction computes formula I.
func (f *Formula) fraction(c *Batch) {
	bits := c.Bits
	cur, base := c.Cur[:len(bits)], c.CurBase[:len(bits)]
	for i := range bits {
		if base[i] == 0 {
			c.Status[i] = InvalidData
			continue
		}
		bits[i] = math.Float64bits(100 * float64(cur[i]) / float64(base[i]))
	}
}

// ratio computes formulas J, K, L and M. The time base is 1 except for K.
func (f *Formula) ratio(c *Batch, s span) (fell bool) {
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	prevBase, curBase := c.PrevBase[:len(bits)], c.CurBase[:len(bits)]
	factor, freq, timebase, events := f.factor, s.freq, s.timebase, f.events
	for i := range bits {
		n0, n1, b0, b1 := prev[i], cur[i], prevBase[i], curBase[i]
		if b1 > b0 && n1 >= n0 && timebase == OK { // nearly always
			bits[i] = math.Float64bits(factor * float64(n1-n0) / (freq * float64(b1-b0)))
			continue
		}

		if b1 < b0 {
			fell = true
			continue
		}

		if b1 == b0 && (n1 != n0 || !events) {
			status[i] = InvalidData
			continue
		}

		if timebase != OK {
			status[i] = timebase
			continue
		}

		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = 0 // no events: the average is 0
	}
	return fell
}

// elapsed computes formula O. A start of 0 means that nothing has started.
func (f *Formula) elapsed(c *Batch, s span, now int64) {
	for i, start := range c.Cur[:len(c.Bits)] {
		if start == 0 {
			c.Bits[i] = math.Float64bits(0)
			continue
		}

		if s.timebase != OK {
			c.Status[i] = s.timebase
			continue
		}

		if now < 0 || uint64(now) < start {
			c.Status[i] = NegativeValue
			continue
		}
		c.Bits[i] = math.Float64bits(float64(uint64(now)-start) / s.freq)
	}
}
