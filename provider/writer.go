package provider

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// Writer appends objects to a performance data block. Values go straight into
// the block's bytes; once its buffer is large enough nothing is allocated.
//
// A [Dispatcher] hands it out for one call of [Session].Collect; it must not be
// used after. Objects are written one after the other, each at most once, and
// only those that the provider declared; they may be others than the query
// wants. A mistake in this costs the provider all objects of the call and is
// reported like an error that Collect returns.
type Writer struct {
	buf      []byte
	objects  int       // written so far
	open     int       // where in buf the object being written starts; 0 = none, as the block's header comes first
	err      error     // the first mistake of the provider
	declared []*Object // what the provider may write
	written  []bool    // which of declared it wrote
}

// begin makes the writer ready to append what the provider declared to buf.
func (w *Writer) begin(buf []byte, declared []*Object) {
	*w = Writer{buf: buf, declared: declared, written: slices.Grow(w.written[:0], len(declared))[:len(declared)]}
	clear(w.written)
}

// finish returns the first mistake.
func (w *Writer) finish() error {
	if w.open != 0 {
		w.fail("an object without End")
	}
	return w.err
}

// fail notes a mistake of the provider.
func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("write %s: %w", fmt.Sprintf(format, args...), winperf.ErrState)
	}
}

// Instance says what an instance definition holds.
type Instance struct {
	Name string // UTF-8, which ends at a NUL for readers; what is no UTF-8 becomes U+FFFD
	// ParentObject is the title index of the parent's object, 0 for no parent.
	ParentObject uint32
	// ParentPosition is the parent's position among the instances of its object in the same block.
	ParentPosition uint32
	// UniqueID tells instances of one name apart; it counts only with
	// HasUniqueID, and -1 stands for none all the same.
	UniqueID    int32
	HasUniqueID bool
}

// ObjectWriter writes one object: for each instance first Instance, then its
// values. Values that are not written are missing, not zero.
type ObjectWriter struct {
	w         *Writer
	layout    *Layout
	start     int // of the object in w.buf
	block     int // of the current counter block, 0 = none
	instances int32
}

// Object begins an object. An object without instances takes its values at once.
func (w *Writer) Object(l *Layout) ObjectWriter {
	o := w.object(l)
	if !l.object.Multi {
		o.beginBlock()
	}
	return o
}

// Definitions writes an object's definitions only, the answer to a query for
// metadata.
func (w *Writer) Definitions(l *Layout) {
	o := w.object(l)
	if l.object.Multi {
		o.end(metadataMultiple)
	} else {
		o.end(metadataSingle)
	}
}

// object begins an object with its definitions.
func (w *Writer) object(l *Layout) ObjectWriter {
	i := slices.IndexFunc(w.declared, func(o *Object) bool { return o.Index == l.object.Index })
	switch {
	case w.open != 0:
		w.fail("object %d before End of another", l.object.Index)
	case i < 0:
		w.fail("object %d, which the provider did not declare", l.object.Index)
	case w.written[i]:
		w.fail("object %d twice", l.object.Index)
	default:
		w.written[i] = true
	}
	o := ObjectWriter{w: w, layout: l, start: len(w.buf)}
	w.open = o.start
	w.buf = append(w.buf, l.definitions...)
	return o
}

// Clock sets the object's own clock: ticks, and ticks per second. Types with
// PERF_OBJECT_TIMER need it.
func (o *ObjectWriter) Clock(ticks, perSecond int64) {
	o.check("clock")
	p := o.w.buf[o.start:]
	binary.LittleEndian.PutUint64(p[48:], uint64(ticks))
	binary.LittleEndian.PutUint64(p[56:], uint64(perSecond))
}

// check finds out whether the object is still being written.
func (o *ObjectWriter) check(what string) {
	if o.w.open != o.start {
		o.w.fail("%s of object %d after End", what, o.layout.object.Index)
	}
}

// Instance begins an instance of an object that has instances and returns its
// position.
func (o *ObjectWriter) Instance(in Instance) int {
	o.check("instance")
	if !o.layout.object.Multi {
		o.w.fail("instance of object %d, which has none", o.layout.object.Index)
	}
	le := binary.LittleEndian
	start := len(o.w.buf)
	b := append(o.w.buf, make([]byte, instanceSize)...)
	b = appendUTF16(b, in.Name)
	nameLen := len(b) - start - instanceSize
	b = pad8(b, start)
	p := b[start:]
	le.PutUint32(p, uint32(len(p)))
	le.PutUint32(p[4:], in.ParentObject)
	le.PutUint32(p[8:], in.ParentPosition)
	id := int32(noUniqueID)
	if in.HasUniqueID {
		id = in.UniqueID
	}
	le.PutUint32(p[12:], uint32(id))
	le.PutUint32(p[16:], instanceSize)
	le.PutUint32(p[20:], uint32(nameLen))
	o.w.buf = b
	o.beginBlock()
	o.instances++
	return int(o.instances - 1)
}

func (o *ObjectWriter) beginBlock() {
	o.block = len(o.w.buf)
	o.w.buf = append(o.w.buf, o.layout.block...)
}

// Set writes the raw value of the declared counter i for the current instance.
// A counter that is not part of the layout is passed over. A 4-byte counter
// keeps the low 32 bits.
func (o *ObjectWriter) Set(i int, v uint64) { o.put(o.layout.slots[i].value, v) }

// SetBase writes the raw value of the base of the declared counter i. A base
// that is shared has its value for all counters that share it.
func (o *ObjectWriter) SetBase(i int, v uint64) { o.put(o.layout.slots[i].base, v) }

func (o *ObjectWriter) put(at *place, v uint64) {
	if at == nil {
		return
	}
	if o.block == 0 {
		o.w.fail("value of object %d outside of an instance", o.layout.object.Index)
		return
	}
	p := o.w.buf[o.block:]
	if at.width == 8 {
		binary.LittleEndian.PutUint64(p[at.off:], v)
	} else {
		binary.LittleEndian.PutUint32(p[at.off:], uint32(v))
	}
	for _, m := range at.marks {
		p[m.off] &^= m.bit
	}
}

// End completes the object.
func (o *ObjectWriter) End() {
	if o.layout.object.Multi {
		o.end(o.instances)
	} else {
		o.end(noInstances)
	}
}

// end fills in the object's length and NumInstances.
func (o *ObjectWriter) end(instances int32) {
	o.check("end")
	p := o.w.buf[o.start:]
	binary.LittleEndian.PutUint32(p, uint32(len(p)))
	binary.LittleEndian.PutUint32(p[40:], uint32(instances))
	o.w.objects++
	o.w.open, o.block = 0, 0
}
