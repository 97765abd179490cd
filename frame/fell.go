package frame

// Fell reports whether the raw value of the counter at position k of instance i,
// or its base, is lower than the same instance's in the older frame: it was
// reset, or it wrapped. [Cooked].Fell reports whether that is worth asking.
func (p *Pair) Fell(i, k int) bool {
	j := p.from[i]
	if j < 0 || !p.hasPrev {
		return false
	}
	fell := func(k int32) bool {
		now, ok := p.cur.Raw(i, int(k))
		was, ok2 := p.olderRaw(int(j), k)
		return ok && ok2 && now < was
	}
	base := p.columns[k].base
	return fell(int32(k)) || base >= 0 && fell(base)
}
