package linuxhost

// wrapping is a count of 32 bits or more.
type wrapping struct {
	last  uint64 // from the kernel
	added uint64 // by wraps
}

// next returns the count without wraps. A count below 2^32 that falls has wrapped if it rose by
// less than 2^31, else it was reset.
func (c *wrapping) next(now uint64) uint64 {
	const wrap, most = 1 << 32, 1 << 31
	if now < c.last {
		if c.last < wrap && now+wrap-c.last < most {
			c.added += wrap
		} else {
			c.added = 0
		}
	}
	c.last = now
	return c.added + now
}
