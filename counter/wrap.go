package counter

import "math"

// resolveFalls sets the value or status of elements whose value or base fell: the value after a
// wrap around 2^32, or the status of a fall. The loops of the formulas skip such elements, because
// they are rare and a call within the loops would double their time.
func (f *Formula) resolveFalls(c *Batch, s span) {
	needsBase := f.NeedsBase()
	for i, status := range c.Status {
		fell := c.Cur[i] < c.Prev[i] || needsBase && c.CurBase[i] < c.PrevBase[i]
		if status != OK || !fell {
			continue
		}

		match := Verified
		if c.Match != nil {
			match = c.Match[i]
		}

		base, baseOK := uint64(0), true
		switch {
		case needsBase:
			base, baseOK = f.growth(f.baseWraps, match, c.PrevBase[i], c.CurBase[i])
		case f.NeedsMulti():
			base = c.CurBase[i]
		}

		value, valueOK := f.growth(f.valueWraps, match, c.Prev[i], c.Cur[i])
		switch {
		case !baseOK:
			c.Status[i] = NegativeDenominator
		case s.timebase != OK:
			c.Status[i] = s.timebase
		case !valueOK:
			c.Status[i] = NegativeValue
		default:
			f.compute(&Batch{ // the growth as a column with one element
				Prev: []uint64{0}, Cur: []uint64{value},
				PrevBase: []uint64{0}, CurBase: []uint64{base},
				Bits: c.Bits[i : i+1], Status: c.Status[i : i+1],
			}, s, 0)
		}
	}
}

// growth returns the growth from n0 to n1; ok is false if the value fell. A lower value of 4 bytes
// is growth modulo 2^32 if the policy permits a wrap. A value above 2^32-1 cannot have 4 bytes,
// whatever its declared size.
func (f *Formula) growth(wraps bool, match Match, n0, n1 uint64) (d uint64, ok bool) {
	if n1 >= n0 {
		return n1 - n0, true
	}
	if !wraps || n0 > math.MaxUint32 || match == Aggregate {
		return 0, false
	}

	d = (n1 - n0) & math.MaxUint32
	switch f.wrap {
	case WrapAlways:
		return d, true
	case WrapPlausible:
		return d, match == Verified && d < 1<<31
	}
	return 0, false
}
