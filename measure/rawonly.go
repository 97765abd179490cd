package measure

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// takeRaw makes a cycle of a sample that is not decoded.
func (c *Context) takeRaw() error {
	if c.cookedQuery != nil || c.frameQuery != nil {
		return fmt.Errorf("the source has no raw samples: %w", winperf.ErrNotSupported)
	}
	raw := c.cur.Raw()
	c.start(c.time.UTC())
	c.cycle.Frame, c.cycle.Names = c.cur, nil
	c.cost.Bytes = len(raw.Bytes)
	c.noteGrowth(cap(raw.Bytes))
	c.prev.Release()
	c.prev, c.cur = c.cur, frame.Frame{}
	c.finish(0)
	return nil
}
