package capture

import (
	"errors"
	"io"
	"time"

	"github.com/winperf/winperf"
)

// SeekTime moves to the last sample before t, so that rates can be computed from the
// first sample at or after t. Without an earlier sample it moves to the first sample at
// or after t.
func (c *Cursor) SeekTime(t time.Time) error {
	want := winperf.ToFiletime(t)
	groups := c.f.groups
	i := 0
	for i < len(groups) && groups[i].max < want {
		i++
	}

	start := c.f.start()
	switch {
	case i > 0: // the last sample before t is in this group or the previous one
		start = groups[i-1].start
	case len(groups) > 0:
		start = groups[0].start
	}
	return c.seek(start, func(h *head) bool { return int64(h.key) >= want }, true)
}

// seek moves from an offset to the first sample for which found returns true, or to the
// sample before it. It does not report damage.
func (c *Cursor) seek(from int64, found func(*head) bool, before bool) error {
	c.w.at, c.w.number, c.w.damage = from, -1, nil
	c.last.cut(0)
	c.back = maxParts
	c.aheadEnd = 0
	defer func() { c.w.damage = c.note }()

	target, number := int64(-1), int64(-1)
	for {
		h, err := c.step()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if h.kind != kindSample {
			continue
		}

		hit := found(&h)
		if target < 0 || !hit || !before {
			target, number = h.offset, int64(h.number)
		}

		if hit {
			break
		}
	}

	if target >= 0 {
		c.w.at, c.w.number = target, number
	}
	return nil
}
