package linuxhost

// wrapping is a count of the kernel that may be kept in 32 bits.
type wrapping struct {
	last  uint64 // as the kernel gave it last
	added uint64 // for the wraps that were seen
}

// next returns the count without its wraps: a count below 2^32 that falls has
// wrapped if it can have risen by less than 2^31, and has been reset otherwise.
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
