package publish

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf16"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/provider/registration"
)

// foreign is another process's file. Nothing in it is trusted, and it may change
// at any time: it is read into memory of our own, never mapped.
type foreign struct {
	path string
	file io.ReaderAt
	done func() error // closes file

	// What stands before the slots, read once.
	started int64
	schema  int                // bytes of the schema
	objects []*provider.Object // with relative titles, which rise
	shown   []int              // where each of them is among the merged objects, -1 = nowhere
	images  []*provider.Image
	begin   int64 // of the slots

	// The last sample.
	data  []byte            // from begin on
	check []byte            // a second copy
	live  []foreignInstance // by object, then by slot
	names []knownName       // by number of the slot
	fault error             // of the first slot that is not right
}

// foreignInstance is an instance of a file's sample.
type foreignInstance struct {
	slot     uint32 // where its slot is in the file
	object   int
	name     string
	block    []byte // its counter block
	parent   uint32 // relative title of the parent's object, 0 = none
	at       uint32 // the parent's slot
	uniqueID int32

	position uint32 // among the instances of the merged object
}

// knownName is a name as it was decoded before.
type knownName struct {
	slot, sequence uint32
	text           string
}

// errNotReady: the file is being made, or its publisher is ending.
var errNotReady = errors.New("not published yet")

// openForeign opens a file and reads what stands before its slots.
func openForeign(path string) (*foreign, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file: %w", path, winperf.ErrBadData)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r := &foreign{path: path, file: f, done: f.Close}
	if err := r.readStatic(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// bad is an error about what stands at an offset of the file.
func (r *foreign) bad(offset int64, format string, args ...any) error {
	return fmt.Errorf("%s: byte %d: %s: %w", r.path, offset, fmt.Sprintf(format, args...), winperf.ErrBadData)
}

// read fills p from an offset of the file.
func (r *foreign) read(p []byte, offset int64) error {
	n, err := r.file.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return r.bad(offset+int64(n), "the file ends, %d bytes before what it holds", len(p)-n)
	}
	return fmt.Errorf("%s: byte %d: %w", r.path, offset, err)
}

// header reads the header and checks what it says by itself.
func (r *foreign) header() (h [HeaderSize]byte, used int64, err error) {
	le := binary.LittleEndian
	n, err := r.file.ReadAt(h[:], 0)
	if n < HeaderSize && !errors.Is(err, io.EOF) {
		return h, 0, fmt.Errorf("%s: %w", r.path, err)
	}
	if le.Uint64(h[HeaderMagic:]) == 0 {
		return h, 0, errNotReady
	}
	version, length := le.Uint32(h[HeaderVersion:]), le.Uint32(h[HeaderLength:])
	slots, end := int64(le.Uint32(h[HeaderSlots:])), le.Uint64(h[HeaderUsed:])
	switch {
	case n < HeaderSize:
		return h, 0, r.bad(int64(n), "the file ends within its header")
	case le.Uint64(h[HeaderMagic:]) != Magic:
		return h, 0, r.bad(HeaderMagic, "not WPERFPUB: no published counters")
	case version != Version || length != HeaderSize:
		return h, 0, fmt.Errorf("%s: version %d with a header of %d bytes, want version %d: %w", r.path, version, length, Version, winperf.ErrNotSupported)
	case end > MaxFile || end%SlotAlign != 0:
		return h, 0, r.bad(HeaderUsed, "%d bytes in use, want a multiple of %d up to %d", end, SlotAlign, MaxFile)
	case slots < HeaderSize || slots%SlotAlign != 0 || slots > int64(end):
		return h, 0, r.bad(HeaderSlots, "slots from byte %d on of %d", slots, end)
	}
	return h, int64(end), nil
}

// readStatic reads what never changes.
func (r *foreign) readStatic() error {
	le := binary.LittleEndian
	h, _, err := r.header()
	if err != nil {
		return err
	}
	r.started = int64(le.Uint64(h[HeaderStarted:]))
	r.begin = int64(le.Uint32(h[HeaderSlots:]))
	if r.begin > 2*MaxSchema {
		return r.bad(HeaderSlots, "definitions of %d bytes, the most are %d", r.begin, 2*MaxSchema)
	}
	p := make([]byte, r.begin)
	if err := r.read(p, 0); err != nil {
		return err
	}
	text, err := r.part(p, HeaderSchema, HeaderSchemaLen, MaxSchema)
	if err != nil {
		return err
	}
	s, err := registration.ParseSchema(r.path, text)
	if err != nil {
		return fmt.Errorf("%w: %w", winperf.ErrBadData, err)
	}
	r.schema, r.objects = len(text), s.ProviderObjects(FirstTitle)
	return r.readObjects(p)
}

// part returns the bytes that two fields of the header name, at most limit.
func (r *foreign) part(p []byte, offset, length int, limit uint32) ([]byte, error) {
	from, n := binary.LittleEndian.Uint32(p[offset:]), binary.LittleEndian.Uint32(p[length:])
	if n > limit || uint64(from)+uint64(n) > uint64(len(p)) {
		return nil, r.bad(int64(offset), "%d bytes at %d, want at most %d before byte %d", n, from, limit, len(p))
	}
	return p[from:][:n], nil
}

// readObjects compares the table of objects and their heads with those that
// follow from the schema.
func (r *foreign) readObjects(p []byte) error {
	le := binary.LittleEndian
	count, table := le.Uint32(p[HeaderObjects:]), uint64(le.Uint32(p[HeaderTable:]))
	if int64(count) != int64(len(r.objects)) || count > MaxObjects {
		return r.bad(HeaderObjects, "%d objects, the schema has %d", count, len(r.objects))
	}
	if table+uint64(count)*ObjectSize > uint64(len(p)) {
		return r.bad(HeaderTable, "%d objects at %d do not end before byte %d", count, table, len(p))
	}
	for i, o := range r.objects {
		m, err := provider.NewImage(o)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", r.path, winperf.ErrBadData, err)
		}
		at := int(table) + ObjectSize*i
		head, err := r.part(p, at+ObjectHead, at+ObjectHeadLen, uint32(len(p)))
		if err != nil {
			return err
		}
		multi := le.Uint32(p[at+ObjectFlags:])&HasInstances != 0
		if !bytes.Equal(head, m.Head) || int64(le.Uint32(p[at+ObjectBlock:])) != int64(m.Block) || multi != o.Multi {
			return r.bad(int64(at), "object %q is not as the schema has it", o.Name)
		}
		r.images = append(r.images, m)
	}
	return nil
}

// sample reads the instances with their values. It takes at most limit bytes.
func (r *foreign) sample(limit int64) error {
	r.live, r.fault = r.live[:0], nil
	h, used, err := r.header()
	if err != nil {
		return err
	}
	n := used - r.begin
	if n < 0 || n > limit {
		return r.bad(HeaderUsed, "%d bytes of instances, want up to %d", n, limit)
	}
	r.data = resize(r.data, int(n))
	if err := r.read(r.data, r.begin); err != nil {
		return err
	}
	if err := r.settle(binary.LittleEndian.Uint64(h[HeaderGeneration:])); err != nil {
		return err
	}
	r.walk()
	return nil
}

// settle marks the slots as free that changed while they were read. The
// generation is that from before.
func (r *foreign) settle(generation uint64) error {
	var after [8]byte
	if err := r.read(after[:], HeaderGeneration); err != nil {
		return err
	}
	if generation%2 == 0 && generation == binary.LittleEndian.Uint64(after[:]) {
		return nil
	}
	r.check = resize(r.check, len(r.data))
	if err := r.read(r.check, r.begin); err != nil {
		return err
	}
	for at := 0; at < len(r.data); {
		p := r.data[at:]
		if binary.LittleEndian.Uint32(p[SlotSequence:]) != binary.LittleEndian.Uint32(r.check[at+SlotSequence:]) {
			binary.LittleEndian.PutUint32(p[SlotSequence:], 0)
		}
		size := r.slotSize(at)
		if size == 0 {
			return nil
		}
		at += size
	}
	return nil
}

// minSlot is the smallest slot: one with the smallest counter block.
const minSlot = 2 * SlotAlign

// slotSize returns the size of the slot at an offset of the data, 0 where it
// cannot be right.
func (r *foreign) slotSize(at int) int {
	p := r.data[at:] // of a multiple of SlotAlign bytes, as all sizes are
	size := binary.LittleEndian.Uint32(p[SlotSize:])
	if size < minSlot || size%SlotAlign != 0 || uint64(size) > uint64(len(p)) {
		return 0
	}
	return int(size)
}

// walk finds the instances. One that is not right costs itself; behind a slot of
// which the size is not right nothing can be found.
func (r *foreign) walk() {
	number := 0
	for at := 0; at < len(r.data); number++ {
		size := r.slotSize(at)
		if size == 0 {
			r.note(r.bad(r.begin+int64(at), "a slot with a size that it cannot have"))
			break
		}
		p := r.data[at : at+size]
		slot := uint32(r.begin + int64(at))
		at += size
		if binary.LittleEndian.Uint32(p[SlotSequence:])%2 == 0 {
			continue
		}
		in, err := r.instance(p, slot, number)
		if err != nil {
			r.note(err)
			continue
		}
		r.live = append(r.live, in)
	}
	order := func(a, b foreignInstance) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.slot, b.slot))
	}
	if !slices.IsSortedFunc(r.live, order) {
		slices.SortFunc(r.live, order)
	}
}

// of returns the instances of an object.
func (r *foreign) of(object int) []foreignInstance {
	by := func(in foreignInstance, object int) int { return cmp.Compare(in.object, object) }
	from, _ := slices.BinarySearchFunc(r.live, object, by)
	to, _ := slices.BinarySearchFunc(r.live[from:], object+1, by)
	return r.live[from:][:to]
}

// parentOf returns an instance's parent, nil if it is not there.
func (r *foreign) parentOf(in *foreignInstance) *foreignInstance {
	list := r.of(r.titled(in.parent))
	k, found := slices.BinarySearchFunc(list, in.at, func(in foreignInstance, slot uint32) int { return cmp.Compare(in.slot, slot) })
	if !found {
		return nil
	}
	return &list[k]
}

// titled returns the position of the object with a relative title, -1 if there
// is none.
func (r *foreign) titled(title uint32) int {
	i, found := slices.BinarySearchFunc(r.objects, title, func(o *provider.Object, title uint32) int { return cmp.Compare(o.Index, title) })
	if !found {
		return -1
	}
	return i
}

// note keeps the first fault.
func (r *foreign) note(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// instance checks a slot that is in use.
func (r *foreign) instance(p []byte, slot uint32, number int) (in foreignInstance, err error) {
	le := binary.LittleEndian
	object, length := le.Uint32(p[SlotObject:]), le.Uint32(p[SlotLength:])
	if uint64(object) >= uint64(len(r.objects)) || uint64(length) > uint64(len(p)-SlotBody) {
		return in, r.bad(int64(slot), "a slot of object %d with %d bytes", object, length)
	}
	body := p[SlotBody:][:length]
	in = foreignInstance{slot: slot, object: int(object), block: body, uniqueID: -1}
	want := r.images[object].Block
	if r.objects[object].Multi {
		if len(body) < instanceSize {
			return in, r.bad(int64(slot), "an instance of %d bytes", len(body))
		}
		size, name, nameLen := le.Uint32(body), uint64(le.Uint32(body[16:])), uint64(le.Uint32(body[20:]))
		if size < instanceSize || uint64(size) > uint64(len(body)) || name < instanceSize || name+nameLen > uint64(size) || nameLen > 2*MaxName {
			return in, r.bad(int64(slot), "an instance of %d bytes with a name of %d at %d", size, nameLen, name)
		}
		in.parent, in.at, in.uniqueID = le.Uint32(body[4:]), le.Uint32(body[8:]), int32(le.Uint32(body[12:]))
		in.name = r.name(number, slot, le.Uint32(p[SlotSequence:]), body[name:][:nameLen])
		in.block = body[size:]
	}
	if len(in.block) != want || uint64(le.Uint32(in.block)) != uint64(want) {
		return in, r.bad(int64(slot), "a counter block of %d bytes, want %d", len(in.block), want)
	}
	return in, nil
}

// name decodes a name unless it was before.
func (r *foreign) name(number int, slot, sequence uint32, text []byte) string {
	for len(r.names) <= number {
		r.names = append(r.names, knownName{})
	}
	known := &r.names[number]
	if known.slot != slot || known.sequence != sequence {
		*known = knownName{slot, sequence, decodeUTF16(text)}
	}
	return known.text
}

// decodeUTF16 decodes UTF-16LE up to a NUL.
func decodeUTF16(p []byte) string {
	units := make([]uint16, 0, len(p)/2)
	for ; len(p) >= 2; p = p[2:] {
		unit := binary.LittleEndian.Uint16(p)
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}

// resize returns a slice of n bytes, p itself if it is large enough.
func resize(p []byte, n int) []byte {
	if cap(p) < n {
		return make([]byte, n)
	}
	return p[:n]
}

// close closes the file.
func (r *foreign) close() { _ = r.done() } // it was only read

// published tells whether the publisher is still there.
func (r *foreign) published() bool {
	f, ok := r.file.(*os.File)
	if !ok {
		return true // in tests
	}
	there, err := alive(f)
	return err == nil && there
}
