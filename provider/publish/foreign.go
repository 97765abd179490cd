package publish

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
)

// foreign is another process's file. Nothing in it is trusted, and it may change
// at any time: it is read into memory of our own, never mapped. It is opened anew
// for each use, so that many of them keep no descriptors.
type foreign struct {
	path  string
	dir   *watched
	id    identity
	since int64 // since when its owner publishes what it holds; unclaimed before it is read
	open  fileOf

	claims func(path string) claim
	pauses call.Pauses // before what is wrong with it is looked at again
	file   io.ReaderAt // while it is in use

	// What stands before the slots, read once.
	cost    int64              // memory that it takes
	objects []*provider.Object // with relative titles, which rise; nil before they are read
	images  []*provider.Image
	begin   int64 // of the slots
	wrong   error // what keeps the file from being shown, nil for nothing

	// The last sample.
	data  []byte            // from begin on
	live  []foreignInstance // by object, then by slot
	fault error             // of the first slot that is not right
}

// foreignInstance is an instance of a file's sample. What else there is to know
// about it stands in the sample's bytes, which were checked.
type foreignInstance struct {
	at       uint32 // where its slot is in the sample's data
	object   uint32 // position among the objects of the file
	position uint32 // among the instances of the merged object
}

// errNotReady: the file is being made, or its publisher is ending.
var errNotReady = errors.New("not published yet")

// errGone: the file is not there any more, or another one is in its place.
var errGone = errors.New("the published file is gone")

// use opens the file for f, if it still is the same.
func (r *foreign) use(f func() error) error {
	if r.open == nil { // in tests
		return f()
	}
	file, id, err := r.open(r.path)
	if absent(err) || err == nil && !id.same(r.id) {
		err = errors.Join(errGone, err)
	}
	if err == nil {
		r.file = file
		err = f()
		r.file = nil
	}
	if file != nil {
		_ = file.Close() // it was only read
	}
	return err
}

// published reports whether the publisher is still there. A file that cannot be opened
// for now, as there are no descriptors left, has not lost its publisher.
func (r *foreign) published() bool {
	there := true // in tests
	err := r.use(func() (err error) {
		if f, ok := r.file.(*os.File); ok {
			there, err = alive(f)
		}
		return err
	})
	switch {
	case errors.Is(err, errGone), errors.Is(err, fs.ErrPermission):
		return false
	case err != nil:
		return true
	}
	return there
}

// bad is an error about what stands at an offset of the file.
func (r *foreign) bad(offset int64, format string, args ...any) error {
	return &winperf.DataError{Source: r.path, Offset: offset, Msg: brief(fmt.Sprintf(format, args...))}
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
	return &winperf.DataError{Err: err, Source: r.path, Offset: offset, Msg: err.Error()}
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

// definitionCost is what a reader keeps for an object or a counter beside its
// texts, in bytes: the declaration, its image, a layout and title indices.
const definitionCost = 512

// readStatic reads what never changes, if it takes at most so much memory.
func (r *foreign) readStatic(limit int64) (cost int64, err error) {
	le := binary.LittleEndian
	p, err := r.static()
	cost = int64(len(p))
	if err != nil {
		return cost, err
	}
	heads, err := r.readHeads(p)
	if err != nil {
		return cost, err
	}

	// The heads bound what the schema can hold, and so what reading it takes.
	for _, head := range heads {
		cost += definitionCost * int64(1+perfdata.NumDefinitions(len(head)))
	}
	if cost > limit {
		return cost, r.tooMuch("definitions", cost, limit)
	}
	text, err := r.part(p, HeaderSchema, HeaderSchemaLen, MaxSchema)
	if err != nil {
		return cost, err
	}
	counters := make([]int, len(heads))
	for i, head := range heads {
		counters[i] = perfdata.NumDefinitions(len(head))
	}
	objects, err := readSchema(text, counters)
	if err != nil {
		return cost, r.bad(int64(le.Uint32(p[HeaderSchema:])), "%v", err)
	}
	if err := r.compare(p, objects, heads); err != nil {
		return cost, err
	}
	r.objects, r.begin = objects, int64(len(p))
	r.since = r.claimed(p)
	return cost, nil
}

// static reads what stands before the slots. What it returns with an error is as long
// as what it tried to read.
func (r *foreign) static() ([]byte, error) {
	h, _, err := r.header()
	if err != nil {
		return nil, err
	}
	begin := binary.LittleEndian.Uint32(h[HeaderSlots:])
	if begin > 2*MaxSchema {
		return nil, r.bad(HeaderSlots, "definitions of %d bytes, the most are %d", begin, 2*MaxSchema)
	}
	p := make([]byte, begin)
	return p, r.read(p, 0)
}

// claimed tells since when the owner publishes what stands before the slots.
func (r *foreign) claimed(static []byte) int64 {
	if r.claims == nil { // in tests
		return unclaimed
	}
	c := r.claims(claimName(r.path, static))
	if c.at == 0 || c.owner != r.id.owner {
		return unclaimed
	}
	return c.at
}

// errTooMuch is wrapped by the error about a file that needs more memory than the
// budget has left.
var errTooMuch = errors.New("it is left out")

func (r *foreign) tooMuch(what string, cost, limit int64) error {
	const message = "%s: its %s need %d bytes of the %d that are left for all files in the directory: %w"
	return fmt.Errorf(message, r.path, what, cost, limit, errTooMuch)
}

// part returns the bytes that two fields of the header name, at most limit.
func (r *foreign) part(p []byte, offset, length int, limit uint32) ([]byte, error) {
	from, n := binary.LittleEndian.Uint32(p[offset:]), binary.LittleEndian.Uint32(p[length:])
	if n > limit || uint64(from)+uint64(n) > uint64(len(p)) {
		return nil, r.bad(int64(offset), "%d bytes at %d, want at most %d before byte %d", n, from, limit, len(p))
	}
	return p[from:][:n], nil
}

// readHeads returns the heads of all objects. Together they are no longer than
// what they stand in.
func (r *foreign) readHeads(p []byte) (heads [][]byte, err error) {
	le := binary.LittleEndian
	count, table := le.Uint32(p[HeaderObjects:]), uint64(le.Uint32(p[HeaderTable:]))
	if count == 0 || count > MaxObjects {
		return nil, r.bad(HeaderObjects, "%d objects, want 1 to %d", count, MaxObjects)
	}
	if table+uint64(count)*ObjectSize > uint64(len(p)) {
		return nil, r.bad(HeaderTable, "%d objects at %d do not end before byte %d", count, table, len(p))
	}
	all := 0
	for i := range int(count) {
		at := int(table) + ObjectSize*i
		head, err := r.part(p, at+ObjectHead, at+ObjectHeadLen, uint32(len(p)))
		if err != nil {
			return nil, err
		}
		if all += len(head); perfdata.NumDefinitions(len(head)) == 0 || all > len(p) {
			return nil, r.bad(int64(at), "a head of %d bytes, and all so far of %d", len(head), all)
		}
		heads = append(heads, head)
	}
	return heads, nil
}

// compare compares the table of objects and their heads with those that follow
// from the schema.
func (r *foreign) compare(p []byte, objects []*provider.Object, heads [][]byte) error {
	le := binary.LittleEndian
	r.images = r.images[:0]
	for i, o := range objects {
		m, err := provider.NewImage(o)
		if err != nil {
			return fmt.Errorf("%s: %w: %s", r.path, winperf.ErrBadData, brief(err.Error()))
		}
		at := int(le.Uint32(p[HeaderTable:])) + ObjectSize*i
		multi := le.Uint32(p[at+ObjectFlags:])&HasInstances != 0
		if !bytes.Equal(heads[i], m.Head) || int64(le.Uint32(p[at+ObjectBlock:])) != int64(m.Block) || multi != o.Multi {
			return r.bad(int64(at), "object %q is not as the schema has it", o.Name)
		}
		r.images = append(r.images, m)
	}
	return nil
}

// instanceCost is what a reader keeps for an instance beside its bytes.
const instanceCost = 16

// errShare: the slots take more bytes than their account may have for now.
var errShare = errors.New("more than the account's share")

// sample reads the instances with their values, of at most share bytes of slots. It
// takes at most limit bytes of memory and returns how many it took.
func (r *foreign) sample(limit, share int64) (cost int64, err error) {
	r.live, r.fault = r.live[:0], nil
	h, used, err := r.header()
	if err != nil {
		return 0, err
	}
	n := used - r.begin
	if n < 0 {
		return 0, r.bad(HeaderUsed, "%d bytes, want at least the %d before the slots", used, r.begin)
	}
	if n > share {
		return 0, errShare
	}
	if cost = n + n/minSlot*instanceCost; cost > limit {
		return 0, r.tooMuch("instances", cost, limit)
	}

	// What the file does not hold takes no memory.
	var last [1]byte
	if err := r.read(last[:], used-1); err != nil {
		return 0, err
	}
	r.makeRoom(int(n))
	if err := r.read(r.data, r.begin); err != nil {
		return cost, err
	}
	if err := r.settle(binary.LittleEndian.Uint64(h[HeaderGeneration:])); err != nil {
		return cost, err
	}
	r.walk()
	return cost, nil
}

// keepData is how many bytes of a file's sample are kept for the next one.
const keepData = 64 << 10

// makeRoom makes room for n bytes of a sample. Many of them do not come from the heap:
// there they would stay for a while when they are not needed any more, beside the block
// that was made of them.
func (r *foreign) makeRoom(n int) {
	r.forget()
	if n <= keepData {
		r.data = resize(r.data, n)
		return
	}
	r.data = lend(n)
}

// forget gives the memory of the last sample back, and with it its instances, if there
// is more than is kept.
func (r *foreign) forget() {
	if len(r.data) > keepData {
		giveBack(r.data)
		r.data, r.live = nil, nil
	}
}

// settleBytes is how much of the file is read at once a second time.
const settleBytes = 256 << 10

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
	var window []byte
	from := 0
	for at := 0; at < len(r.data); {
		if at+SlotBody > from+len(window) {
			from, window = at, resize(window, min(settleBytes, len(r.data)-at))
			if err := r.read(window, r.begin+int64(at)); err != nil {
				return err
			}
		}
		p := r.data[at:]
		if binary.LittleEndian.Uint32(p[SlotSequence:]) != binary.LittleEndian.Uint32(window[at-from+SlotSequence:]) {
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
	r.live = slices.Grow(r.live, r.inUse())
	for at := 0; at < len(r.data); {
		size := r.slotSize(at)
		if size == 0 {
			r.note(r.bad(r.begin+int64(at), "a slot with a size that it cannot have"))
			break
		}
		if p := r.data[at : at+size]; binary.LittleEndian.Uint32(p[SlotSequence:])%2 != 0 {
			if err := r.check(p, r.begin+int64(at)); err != nil {
				r.note(err)
			} else {
				object := binary.LittleEndian.Uint32(p[SlotObject:])
				r.live = append(r.live, foreignInstance{at: uint32(at), object: object})
			}
		}
		at += size
	}
	order := func(a, b foreignInstance) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.at, b.at))
	}
	if !slices.IsSortedFunc(r.live, order) {
		slices.SortFunc(r.live, order)
	}
}

// inUse is the number of slots in use.
func (r *foreign) inUse() (n int) {
	for at := 0; at < len(r.data); {
		size := r.slotSize(at)
		if size == 0 {
			break
		}
		n += int(binary.LittleEndian.Uint32(r.data[at+SlotSequence:]) % 2)
		at += size
	}
	return n
}

// of returns the instances of an object.
func (r *foreign) of(object int) []foreignInstance {
	by := func(in foreignInstance, object int) int { return cmp.Compare(int(in.object), object) }
	from, _ := slices.BinarySearchFunc(r.live, object, by)
	to, _ := slices.BinarySearchFunc(r.live[from:], object+1, by)
	return r.live[from:][:to]
}

// parentOf returns the parent in the slot at an offset of the file, of the object
// with a relative title; nil if it is not there.
func (r *foreign) parentOf(title, slot uint32) *foreignInstance {
	object := r.titled(title)
	if object < 0 {
		return nil
	}
	list := r.of(object)
	by := func(in foreignInstance, at int64) int { return cmp.Compare(int64(in.at), at) }
	k, found := slices.BinarySearchFunc(list, int64(slot)-r.begin, by)
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

// check checks a slot that is in use, at an offset of the file.
func (r *foreign) check(p []byte, slot int64) error {
	le := binary.LittleEndian
	object, length := le.Uint32(p[SlotObject:]), le.Uint32(p[SlotLength:])
	if uint64(object) >= uint64(len(r.objects)) || uint64(length) > uint64(len(p)-SlotBody) {
		return r.bad(slot, "a slot of object %d with %d bytes", object, length)
	}
	block := p[SlotBody:][:length]
	if r.objects[object].Multi {
		in, rest, err := perfdata.CutInstance(block)
		if err != nil {
			return r.bad(slot, "an instance: %v", err)
		}
		name, err := in.Name()
		if err != nil {
			return r.bad(slot, "an instance: %v", err)
		}
		if len(name) > 2*MaxName {
			return r.bad(slot, "an instance with a name of %d bytes, the most are %d", len(name), 2*MaxName)
		}
		block = rest
	}
	values, rest, err := perfdata.CutCounterBlock(block)
	if want := r.images[object].Block; err != nil || len(values) != want || len(rest) != 0 {
		return r.bad(slot, "a counter block of %d bytes, want %d", len(block), want)
	}
	return nil
}

// body is what stands in an instance's slot, and block its counter block.
func (r *foreign) body(in foreignInstance) (body, block []byte) {
	p := r.data[in.at:]
	body = p[SlotBody:][:binary.LittleEndian.Uint32(p[SlotLength:])]
	return body, body[len(body)-r.images[in.object].Block:]
}

// described is what the definition of an instance says.
type described struct {
	name     []byte // UTF-16LE up to a NUL
	parent   uint32 // relative title of the parent's object, 0 = none
	slot     uint32 // the parent's, in the file
	uniqueID int32
}

// describe reads the definition of an instance from its body.
func describe(body []byte) described {
	in, _, _ := perfdata.CutInstance(body) // which was checked
	name, _ := in.Name()
	name, _, _ = wire.CutUTF16(name)
	parent, slot := in.Parent()
	return described{name: name[:len(name)&^1], parent: parent, slot: slot, uniqueID: in.UniqueID()}
}

// resize returns a slice of n bytes, p itself if it is large enough.
func resize(p []byte, n int) []byte {
	if cap(p) < n {
		return make([]byte, n)
	}
	return p[:n]
}
