package provider

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
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
	b := newLayoutBuilder(o)
	for i := range o.Counters {
		if keep == nil || keep(i) {
			b.add(i)
		}
	}

	if len(b.defs) == 0 {
		return nil, fmt.Errorf("object %d %q: none of its counters is kept: %w", o.Index, o.Name, ErrSchema)
	}
	return b.layout(), nil
}

// Object returns the declaration.
func (l *Layout) Object() *Object { return l.object }

// Has reports whether the declared counter i is part of the layout.
func (l *Layout) Has(i int) bool { return l.slots[i].value != nil }

// InstanceBytes returns how many bytes an instance takes in a block, with its
// values, whose name has so many bytes of UTF-16 without a NUL.
func (l *Layout) InstanceBytes(name int) int { return datablock.InstanceSize(name) + len(l.block) }

// ObjectBytes returns how many bytes an object takes without instances.
func (l *Layout) ObjectBytes() int {
	if l.multi {
		return len(l.definitions)
	}
	return len(l.definitions) + len(l.block)
}

// fits reports whether this is a layout of the object as it was declared.
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
	at     []*place // of the value that each definition has
	slots  []slot
	next   uint32            // first free byte of the counter block
	shared map[string]*place // the bases that have a name
}

// newLayoutBuilder begins the layout of an object.
func newLayoutBuilder(o *Object) *layoutBuilder {
	return &layoutBuilder{
		object: o,
		slots:  make([]slot, len(o.Counters)),
		next:   datablock.FirstValue,
		shared: map[string]*place{},
	}
}

// add adds a counter and, directly behind it, its base.
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

// define adds a definition of a counter whose value stands at a place.
func (b *layoutBuilder) define(d perfdata.Counter, c *Counter, at *place) {
	d.Detail = uint32(cmp.Or(c.Detail, Novice))
	d.Size = at.width
	d.Offset = at.off
	b.defs = append(b.defs, d)
	b.at = append(b.at, at)
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
	last, _ := datablock.MissingBit(b.next, len(b.at)-1)
	block := datablock.AppendCounterBlock(nil, align8(int(last)+1))
	for k, at := range b.at {
		off, bit := datablock.MissingBit(b.next, k)
		at.marks = append(at.marks, mark{off, bit})
		block[off] |= bit
	}

	for i := range b.slots {
		if b.slots[i].base == nil { // left out, but its base may be another's, too
			b.slots[i].base = b.shared[b.object.Counters[i].BaseSlot]
		}
	}

	o := b.encoded()
	o.DefaultCounter = b.defaultCounter()
	o.Missing = b.next
	definitions, _ := o.AppendTo(nil) // of definitions only, which are never too long
	return &Layout{
		object: b.object, index: b.object.Index, multi: b.object.Multi,
		definitions: definitions, block: block, slots: b.slots,
	}
}

func align8(n int) int { return (n + 7) &^ 7 }

// encoded is the object with its definitions, for perfdata to encode. The writer
// fills in lengths and times.
func (b *layoutBuilder) encoded() *perfdata.Object {
	return &perfdata.Object{
		Title: b.object.Index, Help: b.object.helpIndex(), Detail: b.detail(), Counters: b.defs,
	}
}

// detail is the object's level of detail, the least of its counters'.
func (b *layoutBuilder) detail() uint32 {
	least := uint32(Wizard)
	for i := range b.defs {
		least = min(least, b.defs[i].Detail)
	}
	return least
}

// defaultCounter is the title index of the default counter, as PERF_OBJECT_TYPE
// is documented, or -1 when it was left out. Windows' own objects hold a
// position instead; readers that know both take a title index first, and a
// position may be another counter's title index.
func (b *layoutBuilder) defaultCounter() int32 {
	if b.slots[b.object.Default].value == nil {
		return -1
	}
	return int32(b.object.Counters[b.object.Default].Index)
}
