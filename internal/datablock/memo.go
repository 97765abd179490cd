package datablock

import (
	"bytes"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// memo is the part of an index that is kept between samples. Unchanged definitions, the
// usual case, are not decoded again.
type memo struct {
	quirks winperf.Quirks
	traits traits
	known  []known // by position in Index.Objects
	bytes  []byte  // copies of the definitions
}

// known is the decoded form of one object's definitions.
type known struct {
	definitions        // lengths, counts, and needs of the counters
	object      uint32 // offset of the object
	begin       int    // offset in memo.bytes
	defaultRaw  int32  // DefaultCounter
	defaultCtr  int32  // its resolved position
	clean       bool   // without damage, so independent of other data
}

// memoOf returns the index's memo, empty if the options differ.
func memoOf(ix *index.Index, opt Options) *memo {
	m, ok := ix.Memo.(*memo)
	if !ok {
		m = &memo{}
		ix.Memo = m
	}
	if m.quirks != opt.Quirks {
		m.forget(0)
	}
	m.quirks = opt.Quirks
	return m
}

// recall reuses the object's counters of the previous sample if its definitions are equal
// and had no damage. They are in the same place because all objects before have as many
// counters. After the first object that differs or is dropped, nothing is reused.
func (d *decoder) recall(o *index.Object, def *definitions) bool {
	m, at := d.memo, len(d.ix.Objects)
	if at >= len(m.known) {
		return false
	}

	k := &m.known[at]
	same := k.length == def.length && k.header == def.header && k.count == def.count &&
		k.defaultRaw == i32(d.b, int(o.Off)+AtObjDefaultCounter) &&
		bytes.Equal(m.bytes[k.begin:][:def.length-def.header], d.definitionBytes(o, def))
	if !same {
		m.forget(at)
		return false
	}

	if !k.clean {
		return false
	}
	def.need = max(def.need, k.need)
	def.traits = k.traits
	o.DefaultCounter = k.defaultCtr
	o.CounterEnd = o.Counter0 + def.count
	d.ix.Counters = d.ix.Counters[:o.CounterEnd]

	if moved := o.Off - k.object; moved != 0 {
		for i := o.Counter0; i < o.CounterEnd; i++ {
			d.ix.Counters[i].Off += moved
		}
		k.object = o.Off
	}
	return true
}

func (d *decoder) remember(o *index.Object, def *definitions, clean bool) {
	m, at := d.memo, len(d.ix.Objects)
	if at == len(m.known) {
		begin := 0
		if at > 0 {
			last := &m.known[at-1]
			begin = last.begin + int(last.length-last.header)
		}
		m.bytes = extend(m.bytes[:begin], def.length-def.header, d, o, definitionBytes)
		copy(m.bytes[begin:], d.definitionBytes(o, def))
		m.known = append(m.known, known{begin: begin})
	}

	k := &m.known[at]
	k.definitions = *def
	k.object = o.Off
	k.clean = clean
	k.defaultRaw = i32(d.b, int(o.Off)+AtObjDefaultCounter)
	k.defaultCtr = o.DefaultCounter
}

// forget drops the objects from position at on.
func (m *memo) forget(at int) { m.known = m.known[:min(at, len(m.known))] }

// definitionBytes returns the object's definitions in the block.
func (d *decoder) definitionBytes(o *index.Object, def *definitions) []byte {
	return d.b[o.Off+def.header : o.Off+def.length]
}
