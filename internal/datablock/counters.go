package datablock

import (
	"math"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// definitions are the places of an object's counter definitions, in bytes from the object's
// start, and their common properties.
type definitions struct {
	length, header uint32 // DefinitionLength and HeaderLength
	count          uint32 // NumCounters
	need           uint64 // length of a counter block with all values
	traits         trait  // of all types
}

func (d *decoder) counters(o *index.Object, def *definitions) *winperf.DataError {
	d.ix.Counters = extend(d.ix.Counters, def.count, d, o, counters)
	o.CounterEnd = uint32(len(d.ix.Counters))
	counters := d.ix.Counters[o.Counter0:]
	pos, end := o.Off+def.header, o.Off+def.length
	for i := range counters {
		left := end - pos
		if left < CounterLen {
			return atCounter(d.fault(checkCounterLength, pos, int64(left), int64(left)), i)
		}

		b := d.b[pos:][:CounterLen]
		length := u32(b, AtCtrLength)
		if length < CounterLen || length > left {
			return atCounter(d.fault(checkCounterLength, pos, int64(length), int64(left)), i)
		}

		c := &counters[i]
		*c = index.Counter{
			Off: pos, Title: u32(b, AtCtrTitle), Help: u32(b, AtCtrHelp),
			Type: counter.Type(u32(b, AtCtrType)), Scale: i32(b, AtCtrScale), Detail: u32(b, AtCtrDetail),
			Size: u32(b, AtCtrSize), Value: u32(b, AtCtrOffset), Base: -1,
		}

		has := d.memo.traits.of(c.Type)
		def.traits |= has
		def.need = max(def.need, d.size(o, c, i, has))
		pos += length
	}
	o.DefaultCounter = defaultCounter(counters, i32(d.b, int(o.Off)+AtObjDefaultCounter))
	return nil
}

// size sets how the value is read and returns the length of a counter block that contains
// it.
func (d *decoder) size(o *index.Object, c *index.Counter, i int, has trait) uint64 {
	if d.opt.Quirks&winperf.WidthFromType != 0 && c.Type.Width() >= 0 {
		c.Size = uint32(c.Type.Width())
	}
	switch {
	case c.Size == 0:
		c.State = index.NoValue
		return 0
	case has&traitText != 0:
		c.State = index.TextValue
	case c.Size != 4 && c.Size != 8:
		c.State = index.BadSize
		d.counterDamage(o, i, checkSize, c.Off+AtCtrSize, int64(c.Size), int64(c.Type))
		return 0
	}

	if c.Value < blockSize {
		return math.MaxUint64 // in no block
	}
	return valueEnd(c)
}

func valueEnd(c *index.Counter) uint64 { return uint64(c.Value) + uint64(c.Size) }

// defaultCounter finds the counter of DefaultCounter: a title index by documentation, a
// position in real blocks. A base means the counter before it; its title index does not
// count, because it equals its counter's or is 0.
func defaultCounter(counters []index.Counter, value int32) int32 {
	for i := range counters {
		if int64(counters[i].Title) == int64(value) && !counters[i].Type.IsBase() {
			return int32(i)
		}
	}

	switch {
	case value < 0 || int(value) >= len(counters):
		return -1
	case counters[value].Type.IsBase():
		return value - 1
	}
	return value
}

// shortBlocks finds the counters whose value is not inside every counter block.
func (d *decoder) shortBlocks(o *index.Object, shortest uint32) *winperf.DataError {
	counters := d.ix.Counters[o.Counter0:o.CounterEnd]
	if o.Missing != 0 {
		if end := uint64(o.Missing) + uint64(MissingMapLen(len(counters))); end > uint64(shortest) {
			return d.fault(checkMissingMap, o.Off+AtObjMissing, int64(end), int64(shortest))
		}
	}

	for i := range counters {
		c := &counters[i]
		if c.State != index.Readable && c.State != index.TextValue {
			continue
		}
		if c.Value < blockSize || valueEnd(c) > uint64(shortest) {
			c.State = index.OutOfRange
			d.counterDamage(o, i, checkValue, c.Off+AtCtrOffset, int64(valueEnd(c)), int64(shortest))
		}
	}
	return nil
}

// bases links counters with their bases and component counts. A base is the definition
// behind its counter; a multi-timer may instead have a count of 4 bytes behind its value
// ("Retrieving Counter Data").
func (d *decoder) bases(o *index.Object, def *definitions, shortest uint32) {
	counters := d.ix.Counters[o.Counter0:o.CounterEnd]
	for i := range counters {
		c := &counters[i]
		has := d.memo.traits.of(c.Type)
		if has&(traitBase|traitMulti) == 0 || c.State != index.Readable {
			continue
		}

		next := &index.Counter{}
		if i+1 < len(counters) {
			next = &counters[i+1]
		}

		ok, _ := c.Type.AcceptsBase(next.Type)
		switch {
		case ok && next.State == index.Readable:
			c.Base = int32(i + 1)
		case has&traitMulti != 0 && c.Size == 8 && valueEnd(c)+4 <= uint64(shortest):
			c.Multi = c.Value + 8
			def.need = max(def.need, valueEnd(c)+4)
		default:
			c.State = index.MissingBase
			d.counterDamage(o, i, checkBase, c.Off+AtCtrType, int64(c.Type), int64(next.Type))
		}
	}
}

// valueClocks links counters with the clocks that follow them.
func (d *decoder) valueClocks(o *index.Object) {
	counters := d.ix.Counters[o.Counter0:o.CounterEnd]
	for i := range counters {
		c, at := &counters[i], i+1
		if c.Base >= 0 {
			at++
		}
		if d.memo.traits.of(c.Type)&traitClock == 0 || at+1 >= len(counters) {
			continue
		}
		isValueClock := func(c *index.Counter) bool { return c.Type == ValueClock && c.State == index.Readable }
		if isValueClock(&counters[at]) && isValueClock(&counters[at+1]) {
			c.Time = int32(at) + 1
			c.Freq = int32(at) + 2
		}
	}
}

// timeBases lists the counters whose clock has no frequency. Their raw values are still
// readable. Definitions without values need no frequency.
func (d *decoder) timeBases(o *index.Object) {
	if o.NumInstances == index.MetadataMultiple || o.NumInstances == index.MetadataSingle {
		return
	}
	for i, c := range d.ix.Counters[o.Counter0:o.CounterEnd] {
		has := d.memo.traits.of(c.Type)
		if c.Freq > 0 {
			continue
		}
		if has&traitTickFreq != 0 && d.ix.ObjectClocks(o).PerfFreq <= 0 {
			d.counterDamage(o, i, checkTimeBase, AtPerfFreq, d.ix.ObjectClocks(o).PerfFreq, int64(c.Type))
		}
		if has&traitObjectFreq != 0 && o.Freq <= 0 {
			d.counterDamage(o, i, checkTimeBase, o.Off+AtObjFreq, o.Freq, int64(c.Type))
		}
	}
}

func (d *decoder) counterDamage(o *index.Object, i int, check *index.Check, offset uint32, got, want int64) {
	err := atCounter(d.fault(check, offset, got, want), i)
	err.Object.Index = o.Title
	d.damage(err)
}
