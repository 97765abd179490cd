package pdhlog

import (
	"encoding/binary"
	"strings"
)

// flags returns the flags of the kind in the counter list.
func (k Kind) flags() uint32 {
	switch k {
	case Array:
		return flagArray
	case Object:
		return flagObject
	}
	return flagSingle
}

func appendList(b []byte, counters []Counter) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, listVersion)
	b = le.AppendUint32(b, listType)
	for i := range counters {
		b = counters[i].append(b)
	}
	return b
}

// append appends the entry of the counter list.
func (c *Counter) append(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	typ := uint32(c.Type)
	if c.Kind == Object {
		typ = flagObject
	}

	for _, v := range [...]uint32{0, c.Kind.flags(), 0, typ} {
		b = le.AppendUint32(b, v)
	}
	b = le.AppendUint64(b, uint64(c.TimeBase))
	b = le.AppendUint32(b, uint32(c.Scale))
	b = append(b, make([]byte, entryHead-28)...)
	put := func(field int, s string, there bool) {
		at := int32(-1)
		if there {
			at = int32(len(b) - start - entryHead)
			b = appendUTF16Z(b, s)
		}
		le.PutUint32(b[start+field:], uint32(at))
	}

	p := &c.Path
	put(28, `\\`+p.Machine, true)
	put(32, p.Object, true)
	put(36, strings.TrimPrefix(p.Instance, c.Parent+"/"), p.HasInstance)
	put(40, c.Parent, c.Parent != "")
	le.PutUint32(b[start+44:], uint32(max(p.Index, 0)))
	put(48, p.Counter, true)
	b = pad8(b, start)
	le.PutUint32(b[start:], uint32(len(b)-start))
	return b
}

func appendSample(b []byte, s *Sample) []byte {
	start := len(b)
	b = appendRecordHead(b, 0)
	for i := range s.Values {
		v := &s.Values[i]
		at := len(b)
		b = appendRecordHead(b, v.Kind)
		switch v.Kind {
		case Array:
			b = v.appendArray(b, s.Local)
		case Object:
			b = append(b, v.Block...)
		default:
			b = v.appendSingle(b, s.Local)
		}
		b = endRecord(b, at)
	}
	return endRecord(b, start)
}

func appendRecordHead(b []byte, kind Kind) []byte {
	return append(b, 'B', 'L', 3, byte(kind), 0, 0, 0, 0)
}

// endRecord sets the length of the record that begins at start.
func endRecord(b []byte, start int) []byte {
	b = pad8(b, start)
	binary.LittleEndian.PutUint32(b[start+4:], uint32(len(b)-start))
	return b
}

// appendSingle appends a PDH_RAW_COUNTER (pdh.h).
func (v *Value) appendSingle(b []byte, local int64) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, v.Status)
	b = le.AppendUint64(b, uint64(local))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, uint64(v.First))
	b = le.AppendUint64(b, uint64(v.Second))
	b = le.AppendUint32(b, v.Multi)
	return le.AppendUint32(b, 0)
}

// appendArray appends the raw values of all instances, then their names.
func (v *Value) appendArray(b []byte, local int64) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = le.AppendUint32(b, 0) // size of the body, set below
	b = le.AppendUint32(b, uint32(len(v.Items)))
	b = le.AppendUint32(b, v.Status)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, uint64(local))

	name := arrayHead + itemLen*len(v.Items)
	for i := range v.Items {
		it := &v.Items[i]
		b = le.AppendUint32(b, uint32(name))
		b = le.AppendUint32(b, it.Multi)
		b = le.AppendUint64(b, uint64(it.First))
		b = le.AppendUint64(b, uint64(it.Second))
		name += len(it.Name) + 2
	}

	for i := range v.Items {
		b = append(append(b, v.Items[i].Name...), 0, 0)
	}
	b = pad8(b, start)
	le.PutUint32(b[start:], uint32(len(b)-start))
	return b
}
