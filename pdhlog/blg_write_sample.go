package pdhlog

import (
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// blgSampleWriter turns frames into samples of a log. It keeps its memory from
// one to the next.
type blgSampleWriter struct {
	sample BLGSample
	items  [][]BLGItem // by entry
	blocks [][]byte    // by entry
	buf    []byte
	column blgColumn
	whole  blgBlocks
}

// fill makes the sample of a frame.
func (w *blgSampleWriter) fill(p *blgPlan, f frame.Frame, local int64) {
	s := &w.sample
	s.Local = local
	s.Values = s.Values[:0]
	for len(w.items) < len(p.entries) {
		w.items, w.blocks = append(w.items, nil), append(w.blocks, nil)
	}

	w.whole.begin(f)
	for i := range p.entries {
		e := &p.entries[i]
		v := BLGValue{Counter: &e.BLGCounter, Kind: e.Kind}
		o, found := e.find(f)
		switch {
		case e.Kind == BLGObject:
			w.blocks[i] = w.whole.append(w.blocks[i][:0], e, f, o, found, local)
			v.Block = w.blocks[i]
		case !found:
			v.Status = cstatusNoObject
		default:
			w.items[i] = w.value(&v, e, o, w.items[i][:0])
		}
		s.Values = append(s.Values, v)
	}
}

// value fills in the value of an entry. items is memory for an array's.
func (w *blgSampleWriter) value(v *BLGValue, e *blgPlanned, o frame.Object, items []BLGItem) []BLGItem {
	k, ok := o.FindCounter(e.counter)
	if !ok || o.Counter(k).Type != e.Type {
		v.Status = cstatusNoCounter
		return items
	}

	e.locate(o)
	r := &w.column
	if e.Kind == BLGArray {
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

// blgColumn holds the raw values of one counter of neighbouring instances, with
// what PDH_RAW_COUNTER has beside them.
type blgColumn struct {
	o              frame.Object
	k, base, first int
	needsBase      bool  // for Second
	multi          bool  // for MultiCount
	clock          int64 // for Second where it is no base
	own            int   // position of the counter that is its own clock, -1 = none
	values, bases  []uint64
	whole          bool // every value is there, and every base
}

// read reads counter k of n instances.
func (c *blgColumn) read(o frame.Object, t counter.Type, k, first, n int) {
	d, clocks := o.Counter(k), o.Clocks()
	c.o, c.k, c.base, c.first, c.own = o, k, d.Base, first, d.Clock
	needsBase, clock := t.Second()
	c.needsBase, c.multi = needsBase, t.IsMulti()
	c.clock, _ = clocks.At(clock)
	c.values = slices.Grow(c.values[:0], n)[:n]
	c.bases = slices.Grow(c.bases[:0], n)[:n]
	c.whole = o.ReadRaw(c.values, k, first)
	if c.needsBase || c.multi {
		c.whole = c.base >= 0 && o.ReadRaw(c.bases, c.base, first) && c.whole
	}
}

// item returns the i-th of the raw values; ok is false where it, or the base or clock
// that belongs to it, is missing.
func (c *blgColumn) item(i int) (it BLGItem, ok bool) {
	if !c.whole && !c.has(i) {
		return it, false
	}
	it.First, it.Second = int64(c.values[i]), c.clock
	if c.own >= 0 {
		own, ok := c.o.Raw(c.first+i, c.own)
		if !ok {
			return it, false
		}
		it.Second = int64(own)
	}

	switch {
	case c.needsBase:
		it.Second = int64(c.bases[i])
	case c.multi:
		it.Multi = uint32(c.bases[i])
	}
	return it, true
}

func (c *blgColumn) has(i int) bool {
	_, ok := c.o.Raw(c.first+i, c.k)
	if ok && (c.needsBase || c.multi) {
		if ok = c.base >= 0; ok {
			_, ok = c.o.Raw(c.first+i, c.base)
		}
	}
	return ok
}
