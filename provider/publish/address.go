package publish

import "unsafe"

// Address is where the raw value is, of Size bytes and aligned to them, for
// libraries that read it there. It is good as long as the counter is reachable.
func (c *Counter) Address() unsafe.Pointer {
	if c.wide != nil {
		return unsafe.Pointer(c.wide)
	}
	return unsafe.Pointer(c.narrow)
}
