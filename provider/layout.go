package provider

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf/counter"
)

// Layout is an object's declaration with every offset fixed: the definitions
// as bytes and the place of each raw value. It is immutable.
type Layout struct {
	object      *Object
	index       uint32 // of the object: the declaration may change behind our back
	multi       bool
	definitions []byte // PERF_OBJECT_TYPE and all PERF_COUNTER_DEFINITION
	block       []byte // a PERF_COUNTER_BLOCK with all values missing
	slots       []slot // per declared counter
}

// slot is where the raw values of one counter are, nil where it has none.
type slot struct{ value, base *place }

// place is where a raw value stands in a counter block.
type place struct {
	off, width uint32
	marks      []mark // of the definitions that have this value: one, or all that share a base
}

// mark is the bit in a counter block that says that a definition has no value.
type mark struct {
	off uint32
	bit byte
}

// NewLayout fixes the layout of an object. keep, if not nil, says which of the
// declared counters are there at all: a counter that this system cannot give
// for any instance is left out. The error wraps [ErrSchema].
func NewLayout(o *Object, keep func(i int) bool) (*Layout, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	b := layoutBuilder{object: o, next: 4, shared: map[string]*place{}}
	b.slots = make([]slot, len(o.Counters))
	for i := range o.Counters {
		if keep == nil || keep(i) {
			b.add(i)
		}
	}
	if len(b.defs) == 0 {
		return nil, fmt.Errorf("object %d %q: no counter is left: %w", o.Index, o.Name, ErrSchema)
	}
	return b.layout(), nil
}

// Object returns the declaration.
func (l *Layout) Object() *Object { return l.object }

// Has tells whether the declared counter i is part of the layout.
func (l *Layout) Has(i int) bool { return l.slots[i].value != nil }

// InstanceBytes returns how many bytes an instance takes in a block, with its
// values, whose name has so many bytes of UTF-16 without a NUL.
func (l *Layout) InstanceBytes(name int) int { return align8(instanceSize+name+2) + len(l.block) }

// ObjectBytes returns how many bytes an object takes without instances.
func (l *Layout) ObjectBytes() int {
	if l.multi {
		return len(l.definitions)
	}
	return len(l.definitions) + len(l.block)
}

// fits tells whether this is a layout of the object as it was declared.
func (l *Layout) fits(o *Object) bool {
	if len(l.slots) != len(o.Counters) {
		return false
	}
	want, err := NewLayout(o, l.Has)
	return err == nil && l.multi == want.multi && bytes.Equal(l.definitions, want.definitions)
}

// definition is what a PERF_COUNTER_DEFINITION holds.
type definition struct {
	title, help uint32
	scale       int32
	detail      Detail
	typ         counter.Type
	at          *place
}

type layoutBuilder struct {
	object *Object
	defs   []definition
	slots  []slot
	next   uint32            // first free byte of the counter block
	shared map[string]*place // the bases that have a name
}

// add adds a counter and, directly behind it, its base.
func (b *layoutBuilder) add(i int) {
	c := &b.object.Counters[i]
	s := &b.slots[i]
	info, _ := c.Type.Info()
	s.value = b.place(info.Bytes)
	b.defs = append(b.defs, definition{c.Index, c.helpIndex(), c.Scale, c.Detail.orNovice(), c.Type, s.value})
	if info.Base == 0 {
		return
	}
	s.base = b.base(c)
	base := definition{detail: c.Detail.orNovice(), typ: info.Base, at: s.base}
	if b.object.RepeatTitles {
		base.title, base.help = c.Index, c.helpIndex()
	}
	b.defs = append(b.defs, base)
}

// place takes the next bytes of the counter block that are aligned to their
// number.
func (b *layoutBuilder) place(bytes int) *place {
	width := uint32(bytes)
	off := (b.next + width - 1) &^ (width - 1)
	b.next = off + width
	return &place{off: off, width: width}
}

// base returns the place of a counter's base, which may be a shared one.
func (b *layoutBuilder) base(c *Counter) *place {
	if c.BaseSlot == "" {
		return b.place(c.baseWidth())
	}
	if b.shared[c.BaseSlot] == nil {
		b.shared[c.BaseSlot] = b.place(c.baseWidth())
	}
	return b.shared[c.BaseSlot]
}

// layout puts the bit map behind the last value and completes the layout.
func (b *layoutBuilder) layout() *Layout {
	size := align8(int(b.next) + (len(b.defs)+7)/8)
	block := make([]byte, size)
	binary.LittleEndian.PutUint32(block, uint32(size))
	for k, d := range b.defs {
		m := mark{off: b.next + uint32(k/8), bit: 1 << (k % 8)}
		d.at.marks = append(d.at.marks, m)
		block[m.off] |= m.bit
	}
	for i := range b.slots {
		if b.slots[i].base == nil { // left out, but its base may be another's, too
			b.slots[i].base = b.shared[b.object.Counters[i].BaseSlot]
		}
	}
	return &Layout{object: b.object, index: b.object.Index, multi: b.object.Multi, definitions: b.definitions(), block: block, slots: b.slots}
}

// definitions encodes PERF_OBJECT_TYPE, with the mark of the bit map behind
// it, and the definitions. The writer fills in lengths and times.
func (b *layoutBuilder) definitions() []byte {
	p := b.head(objectTypeSize + missingMarkSize)
	copy(p[objectTypeSize:], missingMark)
	binary.LittleEndian.PutUint32(p[objectTypeSize+len(missingMark):], b.next)
	return p
}

// head encodes PERF_OBJECT_TYPE, padded to header bytes, and the definitions.
func (b *layoutBuilder) head(header uint32) []byte {
	le := binary.LittleEndian
	o := b.object
	p := make([]byte, header, int(header)+definitionSize*len(b.defs))
	le.PutUint32(p[4:], uint32(cap(p)))
	le.PutUint32(p[8:], header)
	le.PutUint32(p[12:], o.Index)
	le.PutUint32(p[20:], o.helpIndex())
	le.PutUint32(p[28:], uint32(b.detail()))
	le.PutUint32(p[32:], uint32(len(b.defs)))
	le.PutUint32(p[36:], b.defaultCounter())
	for i := range b.defs {
		p = b.defs[i].append(p)
	}
	return p
}

// append encodes a PERF_COUNTER_DEFINITION.
func (d *definition) append(p []byte) []byte {
	for _, field := range [definitionSize / 4]uint32{
		0: definitionSize,
		1: d.title,
		3: d.help,
		5: uint32(d.scale),
		6: uint32(d.detail),
		7: uint32(d.typ),
		8: d.at.width,
		9: d.at.off,
	} {
		p = binary.LittleEndian.AppendUint32(p, field)
	}
	return p
}

// detail is the object's level of detail, the least of its counters'.
func (b *layoutBuilder) detail() Detail {
	least := Wizard
	for _, d := range b.defs {
		least = min(least, d.detail)
	}
	return least
}

// defaultCounter is the title index of the default counter, as PERF_OBJECT_TYPE
// is documented, or -1 when it was left out. Windows' own objects hold a
// position instead; readers that know both take a title index first, and a
// position may be another counter's title index.
func (b *layoutBuilder) defaultCounter() uint32 {
	if b.slots[b.object.Default].value == nil {
		return ^uint32(0)
	}
	return b.object.Counters[b.object.Default].Index
}
