package counter

import "math"

// The loops in this file are the only implementation of the formulas. They run
// over columns that Formula.Cook has checked: every slice that a formula needs
// is at least as long as Bits, and Status is as long. Each loop cuts its
// slices to one length, which lets the compiler drop the bounds checks.

// span is what the clocks of two samples say about all elements of a column.
type span struct {
	ticks    float64 // D1 - D0, above zero
	freq     float64 // ticks per second, 1 where the formula has no time base
	timebase Status  // NegativeTimebase where a time base is needed and unusable
}

// measure sets the ticks between two times, or tells why there are none.
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

// fail gives the status to all elements that have none yet.
func (c *Column) fail(status Status) {
	for i, s := range c.Status {
		if s == OK {
			c.Status[i] = status
		}
	}
}

// dropUnmatched gives NoPrevious to the elements without an older value.
func (c *Column) dropUnmatched() {
	if c.Match == nil {
		return
	}
	status := c.Status
	for i, m := range c.Match[:len(status)] {
		if m == Unmatched && status[i] == OK {
			status[i] = NoPrevious
		}
	}
}

// limit keeps a value within the limits that the options set.
func (f *Formula) limit(v float64) float64 {
	if v < f.low {
		return f.low
	}
	if v > f.high {
		return f.high
	}
	return v
}

// copy computes formula A. The bits of an integer are its value.
func (c *Column) copy() {
	bits := c.Bits
	cur, status := c.Cur[:len(bits)], c.Status[:len(bits)]
	for i := range bits {
		if status[i] == OK {
			bits[i] = cur[i]
		}
	}
}

// thousandths computes formula A2.
func (c *Column) thousandths() {
	for i := range c.Bits {
		if c.Status[i] == OK {
			c.Bits[i] = math.Float64bits(float64(c.Cur[i]) / 1000)
		}
	}
}

// doubles computes formula A3.
func (c *Column) doubles() {
	for i := range c.Bits {
		if c.Status[i] != OK {
			continue
		}
		if v := math.Float64frombits(c.Cur[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			c.Status[i] = InvalidData
			continue
		}
		c.Bits[i] = c.Cur[i]
	}
}

// difference computes formula B.
func (f *Formula) difference(c *Column) (fell bool) {
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if status[i] != OK {
			continue
		}
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = n1 - n0
	}
	return fell
}

// rate computes formulas C, D and H.
func (f *Formula) rate(c *Column, s span) (fell bool) {
	if s.timebase != OK {
		c.fail(s.timebase)
		return false
	}
	factor, elapsed := f.factor, s.ticks/s.freq
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if status[i] != OK {
			continue
		}
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(f.limit(factor * float64(n1-n0) / elapsed))
	}
	return fell
}

// inverseRate computes formula E.
func (f *Formula) inverseRate(c *Column, s span) (fell bool) {
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if status[i] != OK {
			continue
		}
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(f.limit(100 * (1 - float64(n1-n0)/s.ticks)))
	}
	return fell
}

// multiRate computes formulas F1, F2 and G, in the reading that the options chose.
func (f *Formula) multiRate(c *Column, s span) (fell bool) {
	elapsed := s.ticks / s.freq
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	count := c.CurBase[:len(bits)]
	for i := range bits {
		n0, n1 := prev[i], cur[i]
		if status[i] != OK {
			continue
		}
		if count[i] == 0 {
			status[i] = InvalidData
			continue
		}

		if s.timebase != OK {
			status[i] = s.timebase
			continue
		}
		if n1 < n0 {
			fell = true
			continue
		}
		bits[i] = math.Float64bits(f.limit(f.multi(float64(n1-n0), elapsed, float64(count[i]))))
	}
	return fell
}

// multi computes formulas F1, F2 and G of one element.
func (f *Formula) multi(growth, elapsed, count float64) float64 {
	if !f.inverse {
		return 100 * growth / elapsed / count
	}
	v := 100 * (count - growth/elapsed)
	if f.divide {
		v /= count
	}
	return v
}

// fraction computes formula I.
func (f *Formula) fraction(c *Column) {
	for i := range c.Bits {
		if c.Status[i] != OK {
			continue
		}
		if c.CurBase[i] == 0 {
			c.Status[i] = InvalidData
			continue
		}
		v := 100 * float64(c.Cur[i]) / float64(c.CurBase[i])
		c.Bits[i] = math.Float64bits(f.limit(v))
	}
}

// ratio computes formulas J, K, L and M. K divides by the time base as well,
// which is 1 for the others.
func (f *Formula) ratio(c *Column, s span) (fell bool) {
	bits := c.Bits
	prev, cur, status := c.Prev[:len(bits)], c.Cur[:len(bits)], c.Status[:len(bits)]
	prevBase, curBase := c.PrevBase[:len(bits)], c.CurBase[:len(bits)]
	factor, freq, timebase, events := f.factor, s.freq, s.timebase, f.events
	for i := range bits {
		n0, n1, b0, b1 := prev[i], cur[i], prevBase[i], curBase[i]
		if status[i] != OK {
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

		if b1 == b0 {
			bits[i] = 0 // no events: the average is 0
			continue
		}
		bits[i] = math.Float64bits(f.limit(factor * float64(n1-n0) / (freq * float64(b1-b0))))
	}
	return fell
}

// elapsed computes formula O. A start of 0 means that nothing started yet.
func (f *Formula) elapsed(c *Column, s span, now int64) {
	for i, start := range c.Cur[:len(c.Bits)] {
		if c.Status[i] != OK {
			continue
		}
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
		c.Bits[i] = math.Float64bits(f.limit(float64(uint64(now)-start) / s.freq))
	}
}
