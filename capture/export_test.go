package capture

// NextRaw is next, for tests outside of the package.
var NextRaw = next

// SeekSample goes in front of sample n of the file, counted from 0; at or behind
// the end, to the end. Samples whose heads cannot be read do
// not count.
func (c *Cursor) SeekSample(n int) error {
	for i := range c.f.groups {
		g := &c.f.groups[i]
		if n >= g.samples {
			n -= g.samples
			continue
		}
		return c.seek(g.start, func(*head) bool { n--; return n < 0 }, false)
	}
	c.w.at = c.f.size
	return nil
}
