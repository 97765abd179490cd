package provider

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// Writer appends objects to a performance data block. Values are written directly to the block's bytes;
// once the buffer is large enough nothing is allocated.
//
// A [Dispatcher] passes it to one call of [Session].Collect; it must not be used afterwards. Objects are
// written one after the other, each at most once, and only if the provider declared them; they may be
// objects that the query does not want. A mistake drops all objects of the call and is reported like an
// error of Collect. Writing more than [Options].MaxBytes ends the call by a panic, which the dispatcher
// recovers.
type Writer struct {
	buf  []byte
	base int
	err  error

	objects   int
	open      int
	block     []byte
	blockAt   int
	instances int32

	maxBytes int
	clocks   counter.Clocks
	declared []declared
	place    map[uint32]int
	reports  []error
}

type declared struct {
	object  *Object
	layout  *Layout
	written bool
}

func newWriter(objects []*Object, maxBytes int) Writer {
	w := Writer{maxBytes: maxBytes, place: make(map[uint32]int, len(objects))}
	for i, o := range objects {
		w.declared = append(w.declared, declared{object: o})
		w.place[o.Index] = i
	}
	return w
}

func (w *Writer) begin(buf []byte) {
	*w = Writer{buf: buf, base: len(buf), open: -1, maxBytes: w.maxBytes, clocks: w.clocks,
		declared: w.declared, place: w.place}
	for i := range w.declared {
		w.declared[i].written = false
	}
}

func (w *Writer) finish() error {
	if w.open >= 0 {
		w.fail("an object without End")
	}
	return w.err
}

func (w *Writer) fail(format string, args ...any) {
	w.failAs(winperf.ErrState, format, args...)
}

func (w *Writer) failAs(kind error, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("write %s: %w", fmt.Sprintf(format, args...), kind)
	}
}

// Report passes err to [Options].OnProblem as a problem, not a failure: the objects remain usable. It is
// passed on even if the call fails later, so do not report it again in the next call.
func (w *Writer) Report(err error) { w.reports = append(w.reports, err) }

// Clocks returns the clocks of the sample, which are in the block's header.
func (w *Writer) Clocks() counter.Clocks { return w.clocks }

// reserve ends the call if n more bytes exceed the limit. Only a panic can end a provider that never
// stops writing.
func (w *Writer) reserve(n int64) {
	if n > int64(w.maxBytes-(len(w.buf)-w.base)) {
		w.failAs(ErrTooLarge, "more than %d bytes", w.maxBytes)
		panic(stop{w.err})
	}
}

// Instance describes an instance definition.
type Instance struct {
	Name string // UTF-8; readers stop at a NUL; invalid UTF-8 becomes U+FFFD
	// UTF16, if not nil, replaces Name: UTF-16LE without a NUL.
	UTF16 []byte
	// ParentObject is the title index of the parent's object, 0 for no parent.
	ParentObject uint32
	// ParentPosition is the parent's position among the instances of its object in the same block.
	ParentPosition uint32
	// UniqueID distinguishes instances of the same name. It is used only with HasUniqueID; -1 means none.
	UniqueID    int32
	HasUniqueID bool
}

// ObjectWriter writes one object: for each instance first Instance, then its values. Values that are not
// written are missing, not zero.
type ObjectWriter struct {
	w      *Writer
	layout *Layout
	start  int
}

// Object begins an object. The values of an object without instances can be set immediately.
func (w *Writer) Object(l *Layout) ObjectWriter {
	o := w.object(l)
	if !l.multi {
		w.beginBlock(l)
	}
	return o
}

// Grow allocates space for n more bytes, for a provider that knows its size; see [Layout.InstanceBytes].
// It adds a reserve, so that a later sample of similar size fits.
func (w *Writer) Grow(n int) {
	const much = 1 << 20
	n = max(0, min(n, w.maxBytes))
	if n > cap(w.buf)-len(w.buf) {
		w.buf = append(make([]byte, 0, len(w.buf)+n+min(n/8, much)), w.buf...)
	}
}

// Restart drops all objects of this call, for a provider that has found them to be inconsistent. Reports
// are kept.
func (w *Writer) Restart() {
	err, reports := w.err, w.reports
	w.begin(w.buf[:w.base])
	w.err = err
	w.reports = reports
}

// Definitions writes an object's definitions only, the answer to a query for metadata.
func (w *Writer) Definitions(l *Layout) {
	o := w.object(l)
	if l.multi {
		o.end(int32(perfdata.MetadataMultiple))
	} else {
		o.end(int32(perfdata.MetadataSingle))
	}
}

func (w *Writer) object(l *Layout) ObjectWriter {
	i, known := w.place[l.index]
	switch {
	case w.open >= 0:
		w.fail("object %d before End of another", l.index)
	case !known:
		w.fail("object %d, which the provider did not declare", l.index)
	case w.declared[i].written:
		w.fail("object %d twice", l.index)
	default:
		w.declared[i].written = true
		w.check(&w.declared[i], l)
	}

	w.reserve(int64(len(l.definitions) + len(l.block)))
	o := ObjectWriter{w: w, layout: l, start: len(w.buf)}
	w.open = o.start
	w.block = nil
	w.instances = 0
	w.buf = append(w.buf, l.definitions...)
	return o
}

func (w *Writer) check(d *declared, l *Layout) {
	if d.layout == l {
		return
	}
	if !l.fits(d.object) {
		w.failAs(ErrSchema, "object %d differs from the provider's declaration of it", l.index)
		return
	}
	d.layout = l
}

func (w *Writer) beginBlock(l *Layout) {
	start := len(w.buf)
	w.buf = append(w.buf, l.block...)
	w.block = w.buf[start:]
	w.blockAt = start
}

// Clock sets the object's own clock: ticks, and ticks per second. Types with PERF_OBJECT_TIMER need it.
func (o *ObjectWriter) Clock(ticks, perSecond int64) {
	if o.ended("clock") {
		return
	}
	datablock.ObjectBytes(o.w.buf[o.start:]).SetClock(ticks, perSecond)
}

func (o *ObjectWriter) ended(what string) bool {
	if o.w.open == o.start {
		return false
	}
	o.w.fail("%s of object %d after End", what, o.layout.index)
	return true
}

// Instance begins an instance of an object with instances and returns its position.
func (o *ObjectWriter) Instance(in Instance) int {
	if o.ended("instance") {
		return 0
	}
	if !o.layout.multi {
		o.w.fail("instance of object %d, which has none", o.layout.index)
	}

	// In UTF-16 the name has at most one unit for each of its bytes.
	name := 2*int64(len(in.Name)) + int64(len(in.UTF16))
	o.w.reserve(int64(datablock.InstanceSize(0)) + name + int64(len(o.layout.block)))

	head := datablock.InstanceHead{ParentObject: in.ParentObject, ParentInstance: in.ParentPosition,
		UniqueID: -1}
	if in.HasUniqueID {
		head.UniqueID = in.UniqueID
	}

	if in.UTF16 != nil {
		o.w.buf = datablock.AppendInstanceUTF16(o.w.buf, head, in.UTF16)
	} else {
		o.w.buf = datablock.AppendInstance(o.w.buf, head, in.Name)
	}

	o.w.beginBlock(o.layout)
	o.w.instances++
	return int(o.w.instances - 1)
}

// Place is the position of an instance's values in the current object.
type Place struct{ object, block int }

// Place returns the place of the current instance.
func (o *ObjectWriter) Place() Place {
	return Place{o.start, o.w.blockAt}
}

// Return makes an earlier instance the current one, for example to write a total before the other
// instances.
func (o *ObjectWriter) Return(to Place) {
	if o.ended("return to an instance") {
		return
	}
	end := to.block + len(o.layout.block)
	if to.object != o.start || to.block < o.start || end > len(o.w.buf) {
		o.w.fail("return to an instance that is not one of object %d", o.layout.index)
		return
	}
	o.w.block = o.w.buf[to.block:end]
	o.w.blockAt = to.block
}

// Set writes the raw value of the declared counter i of the current instance. A counter that the layout
// omits is ignored. A 4-byte counter keeps the low 32 bits.
func (o *ObjectWriter) Set(i int, v uint64) { o.put(o.layout.slots[i].value, v) }

// SetBase writes the raw value of the base of the declared counter i. A shared base has the value for all
// its counters.
func (o *ObjectWriter) SetBase(i int, v uint64) { o.put(o.layout.slots[i].base, v) }

// Deny marks the value of the declared counter i of the current instance as not permitted for the reader:
// it is missing, with the status not_permitted.
func (o *ObjectWriter) Deny(i int) {
	at := o.layout.slots[i].value
	if !o.put(at, datablock.AccessDenied) {
		return
	}
	for _, m := range at.marks {
		o.w.block[m.off] |= m.bit
	}
}

func (o *ObjectWriter) put(at *place, v uint64) (written bool) {
	if at == nil {
		return false
	}
	p := o.w.block
	if p == nil || o.w.open != o.start {
		o.outside()
		return false
	}

	if off := uint64(at.off); at.width == 8 {
		binary.LittleEndian.PutUint64(p[off:off+8], v)
	} else {
		binary.LittleEndian.PutUint32(p[off:off+4], uint32(v))
	}
	for _, m := range at.marks {
		p[m.off] &^= m.bit
	}
	return true
}

func (o *ObjectWriter) outside() {
	o.w.fail("value of object %d outside of an instance", o.layout.index)
}

// End completes the object.
func (o *ObjectWriter) End() {
	if o.layout.multi {
		o.end(o.w.instances)
	} else {
		o.end(int32(perfdata.Single))
	}
}

func (o *ObjectWriter) end(instances int32) {
	if o.ended("end") {
		return
	}
	datablock.ObjectBytes(o.w.buf[o.start:]).Finish(instances)
	o.w.objects++
	o.w.open = -1
	o.w.block = nil
}
