package view

import (
	"math"
	"slices"
	"sync"
	"time"
)

// cache has the latest tables of paths.
type cache struct {
	mu      sync.Mutex
	limit   int
	entries []*entry // the latest used last
}

// entry is the table of a path between two times.
type entry struct {
	source     *shown
	path       string
	begin, end int64
	every      time.Duration // the time between two samples that were read, 0 for all samples
	table      *table

	filling sync.Mutex // held by refresh
}

// find returns a table that has the values of a range in bins of at most step, nil without one.
func (c *cache) find(s *shown, path string, begin, end, step int64) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.entries) - 1; i >= 0; i-- {
		e := c.entries[i]
		if e.source == s && e.path == path && e.begin <= begin && e.end >= end && e.fine(begin, end, step) {
			c.entries = append(slices.Delete(c.entries, i, i+1), e)
			return e
		}
	}
	return nil
}

// best returns the table that has the values of a range in the shortest bins, nil without one.
func (c *cache) best(s *shown, path string, begin, end int64) (found *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shortest := int64(math.MaxInt64)
	for _, e := range c.entries {
		if e.source != s || e.path != path || e.begin > begin || e.end < end {
			continue
		}
		if width := e.table.binWidth(); width < shortest {
			found, shortest = e, width
		}
	}
	return found
}

// fine reports whether the bins of an entry are short enough, or cannot be made shorter.
func (e *entry) fine(begin, end, step int64) bool {
	if e.every > 0 {
		return false
	}
	t := e.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.stride == 1 || len(t.times) == 0 || step > 0 && t.interval()*int64(t.stride) <= step {
		return true
	}
	first, last := t.times[0], t.times[len(t.times)-1]
	return last-first <= 2*(min(end, last)-max(begin, first))
}

// put adds a table. It removes tables of some samples only for which this one is a replacement, and above the
// limit the tables that were used longest ago.
func (c *cache) put(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.DeleteFunc(c.entries, func(o *entry) bool {
		return o.every > 0 && o.source == e.source && o.path == e.path && o.begin == e.begin && o.end == e.end
	})
	c.entries = append(c.entries, e)
	size := 0
	for i := len(c.entries) - 1; i >= 0; i-- {
		if size += c.entries[i].table.size(); size > c.limit && i < len(c.entries)-1 {
			c.entries = slices.Delete(c.entries, 0, i+1)
			return
		}
	}
}

// binWidth returns the usual length of a bin in milliseconds.
func (t *table) binWidth() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.interval() * int64(t.stride)
}

// size returns the memory of a table in bytes.
func (t *table) size() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	const perRow, perState = 500, 16
	return 8*(t.used+len(t.times)) + perRow*len(t.rows) + perState*t.states
}
