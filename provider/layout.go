package provider

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// Layout is an object's declaration with fixed offsets: the encoded definitions and the place of each raw
// value. It is immutable.
type Layout struct {
	object      *Object
	index       uint32 // a copy, since the caller may change the declaration
	multi       bool
	definitions []byte
	block       []byte
	slots       []slot
}

// slot is the places of a counter's raw values, nil for a missing one.
type slot struct{ value, base *place }

type place struct {
	off, width uint32
	marks      []mark // of the definitions with this value: one, or all that share a base
}

// mark is the bit in a counter block that marks a definition's value as missing.
type mark struct {
	off uint32
	bit byte
}

// NewLayout fixes the layout of an object. keep, if not nil, selects the declared counters to include;
// omit counters that this system cannot supply. The error wraps [ErrSchema].
func NewLayout(o *Object, keep func(i int) bool) (*Layout, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	b := newLayoutBuilder(o)
	for i := range o.Counters {
		if keep == nil || keep(i) {
			b.add(i)
		}
	}

	if len(b.defs) == 0 {
		return nil, fmt.Errorf("object %q (index %d): keep selects no counters: %w", o.Name, o.Index, ErrSchema)
	}
	return b.layout(), nil
}

// Object returns the declaration.
func (l *Layout) Object() *Object { return l.object }

// Has reports whether the declared counter i is part of the layout.
func (l *Layout) Has(i int) bool { return l.slots[i].value != nil }

// InstanceBytes returns the size of an instance with its values in a block. name is the length of its
// name in bytes of UTF-16 without NUL.
func (l *Layout) InstanceBytes(name int) int { return datablock.InstanceSize(name) + len(l.block) }

// ObjectBytes returns the size of an object without instances.
func (l *Layout) ObjectBytes() int {
	if l.multi {
		return len(l.definitions)
	}
	return len(l.definitions) + len(l.block)
}

func (l *Layout) fits(o *Object) bool {
	if len(l.slots) != len(o.Counters) {
		return false
	}
	want, err := NewLayout(o, l.Has)
	return err == nil && l.multi == want.multi && bytes.Equal(l.definitions, want.definitions)
}

type layoutBuilder struct {
	object *Object
	defs   []perfdata.Counter
	at     []*place
	slots  []slot
	next   uint32
	shared map[string]*place
}

func newLayoutBuilder(o *Object) *layoutBuilder {
	return &layoutBuilder{
		object: o,
		slots:  make([]slot, len(o.Counters)),
		next:   datablock.FirstValue,
		shared: map[string]*place{},
	}
}

func (b *layoutBuilder) add(i int) {
	c := &b.object.Counters[i]
	s := &b.slots[i]
	info, _ := c.Type.Info()
	s.value = b.place(info.Bytes)
	b.define(perfdata.Counter{Title: c.Index, Help: c.helpIndex(), Scale: c.Scale, Type: c.Type}, c, s.value)
	if info.Base == 0 {
		return
	}

	s.base = b.base(c)
	b.define(perfdata.Counter{Type: info.Base}, c, s.base)
}

func (b *layoutBuilder) define(d perfdata.Counter, c *Counter, at *place) {
	d.Detail = uint32(cmp.Or(c.Detail, Novice))
	d.Size = at.width
	d.Offset = at.off
	b.defs = append(b.defs, d)
	b.at = append(b.at, at)
}

func (b *layoutBuilder) place(bytes int) *place {
	width := uint32(bytes)
	off := (b.next + width - 1) &^ (width - 1)
	b.next = off + width
	return &place{off: off, width: width}
}

func (b *layoutBuilder) base(c *Counter) *place {
	if c.BaseSlot == "" {
		return b.place(c.baseWidth())
	}
	if b.shared[c.BaseSlot] == nil {
		b.shared[c.BaseSlot] = b.place(c.baseWidth())
	}
	return b.shared[c.BaseSlot]
}

func (b *layoutBuilder) layout() *Layout {
	last, _ := datablock.MissingBit(b.next, len(b.at)-1)
	block := datablock.AppendCounterBlock(nil, align8(int(last)+1))
	for k, at := range b.at {
		off, bit := datablock.MissingBit(b.next, k)
		at.marks = append(at.marks, mark{off, bit})
		block[off] |= bit
	}

	for i := range b.slots {
		if b.slots[i].base == nil {
			b.slots[i].base = b.shared[b.object.Counters[i].BaseSlot]
		}
	}

	o := b.encoded()
	o.DefaultCounter = b.defaultCounter()
	o.Missing = b.next
	definitions, _ := o.AppendTo(nil) // definitions alone are never too long
	return &Layout{
		object: b.object, index: b.object.Index, multi: b.object.Multi,
		definitions: definitions, block: block, slots: b.slots,
	}
}

func align8(n int) int { return (n + 7) &^ 7 }

func (b *layoutBuilder) encoded() *perfdata.Object {
	return &perfdata.Object{
		Title: b.object.Index, Help: b.object.helpIndex(), Detail: b.detail(), Counters: b.defs,
	}
}

func (b *layoutBuilder) detail() uint32 {
	least := uint32(Wizard)
	for i := range b.defs {
		least = min(least, b.defs[i].Detail)
	}
	return least
}

// defaultCounter returns the title index of the default counter, as documented for PERF_OBJECT_TYPE, or
// -1 if it is omitted. Objects of Windows contain a position instead. Readers that know both try the
// title index first, and a position could be another counter's title index.
func (b *layoutBuilder) defaultCounter() int32 {
	if b.slots[b.object.Default].value == nil {
		return -1
	}
	return int32(b.object.Counters[b.object.Default].Index)
}
