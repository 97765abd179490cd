package pdhlog

import (
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// sampleWriter converts frames to samples of a log. It reuses its memory.
type sampleWriter struct {
	sample Sample
	items  [][]Item // by entry
	blocks [][]byte // by entry
	buf    []byte
	column column
	whole  blocks
}

func (w *sampleWriter) fill(p *contents, f frame.Frame, local int64) {
	s := &w.sample
	s.Local = local
	s.Values = s.Values[:0]
	for len(w.items) < len(p.entries) {
		w.items, w.blocks = append(w.items, nil), append(w.blocks, nil)
	}

	w.whole.begin(f)
	for i := range p.entries {
		e := &p.entries[i]
		v := Value{Counter: &e.Counter, Kind: e.Kind}
		o, found := e.find(f)
		switch {
		case e.Kind == Object:
			w.blocks[i] = w.whole.append(w.blocks[i][:0], e, f, o, found, local)
			v.Block = w.blocks[i]
		case !found:
			v.Status = cstatusNoObject
		default:
			p.locate(e, o)
			w.items[i] = w.value(&v, e, o, w.items[i][:0])
		}
		s.Values = append(s.Values, v)
	}
}

// value sets the value of an entry. items is memory for an array.
func (w *sampleWriter) value(v *Value, e *listEntry, o frame.Object, items []Item) []Item {
	k, ok := o.FindCounter(e.counter)
	if !ok || o.Counter(k).Type != e.Type {
		v.Status = cstatusNoCounter
		return items
	}

	r := &w.column
	if e.Kind == Array {
		r.read(o, e.Type, k, 0, len(e.names))
		for i, name := range e.names {
			if it, ok := r.item(i); ok {
				it.Name = name
				items = append(items, it)
			}
		}
		v.Items = items
		return items
	}

	if e.at < 0 {
		v.Status = cstatusNoInstance
		return items
	}

	r.read(o, e.Type, k, e.at, 1)
	it, ok := r.item(0)
	if !ok {
		v.Status = cstatusInvalidData
		if o.Lack(e.at, k) == counter.NotPermitted {
			v.Status = cstatusDenied
		}
		return items
	}

	v.First, v.Second, v.Multi = it.First, it.Second, it.Multi
	if !e.Type.IsMulti() {
		v.Multi = 1 // as in real logs
	}
	return items
}

// column holds the raw values of one counter of consecutive instances, with the other
// fields of PDH_RAW_COUNTER: First, Second and MultiCount.
type column struct {
	o        frame.Object
	first    int
	counters [3]int // their positions, -1 = no counter
	values   [3][]uint64
	clock    int64 // Second if it is from no counter
	whole    bool  // no value is missing
	none     bool  // a counter is missing, so no value is usable
}

func (c *column) read(o frame.Object, t counter.Type, k, first, n int) {
	d, clocks := o.Counter(k), o.Clocks()
	needsBase, clock := t.Second()
	c.o, c.first, c.counters = o, first, [...]int{k, d.Clock, -1}
	c.clock, _ = clocks.At(clock)
	if needsBase {
		c.counters[1] = d.Base
	} else if t.IsMulti() {
		c.counters[2] = d.Base
	}

	c.whole, c.none = true, (needsBase || t.IsMulti()) && d.Base < 0
	for i, at := range c.counters {
		if at >= 0 {
			c.values[i] = slices.Grow(c.values[i][:0], n)[:n]
			c.whole = o.ReadRaw(c.values[i], at, first) && c.whole
		}
	}
}

// item returns the i-th raw value; ok is false if it, its base or its clock is missing.
func (c *column) item(i int) (it Item, ok bool) {
	if c.none || !c.whole && !c.has(i) {
		return it, false
	}
	it.First, it.Second = int64(c.values[0][i]), c.clock
	if c.counters[1] >= 0 {
		it.Second = int64(c.values[1][i])
	}
	if c.counters[2] >= 0 {
		it.Multi = uint32(c.values[2][i])
	}
	return it, true
}

// has reports whether the i-th value, its base and its clock exist.
func (c *column) has(i int) bool {
	lacks := func(at int) bool {
		if at < 0 {
			return false
		}
		_, ok := c.o.Raw(c.first+i, at)
		return !ok
	}
	return !slices.ContainsFunc(c.counters[:], lacks)
}
