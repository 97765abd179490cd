package datablock

import (
	"bytes"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// memo is what an index keeps from one sample to the next. Definitions hardly
// ever change; those whose bytes are the same need not be decoded again.
type memo struct {
	quirks winperf.Quirks
	traits traits
	known  []known // by position in Index.Objects
	bytes  []byte  // copies of the definitions
}

// known is what the definitions of one object came to.
type known struct {
	definitions        // lengths, counts, and what the counters need
	object      uint32 // where the object was in the block
	begin       int    // where their bytes are in memo.bytes
	defaultRaw  int32  // DefaultCounter as it was read
	defaultCtr  int32  // and as it was understood
	clean       bool   // they had no damage, so their states depend on nothing else
}

// memoOf returns the index's memo. What was decoded with other options is
// forgotten.
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

// recall takes the object's counters over from the sample before, if its
// definitions are the same and were clean: they are still where they were,
// because all objects before have as many counters as they had. As soon as one
// object differs, or is dropped, nothing is known of the later ones.
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

// remember notes what the object's definitions came to.
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

// forget drops what is known of the objects from position at on.
func (m *memo) forget(at int) { m.known = m.known[:min(at, len(m.known))] }

// definitionBytes are the object's definitions in the block.
func (d *decoder) definitionBytes(o *index.Object, def *definitions) []byte {
	return d.b[o.Off+def.header : o.Off+def.length]
}
