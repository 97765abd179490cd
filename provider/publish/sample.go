package publish

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/wire"
)

// sampled is the last sample of a file: its instances, and the positions of their slots. Slots are read
// in windows of windowBytes bytes, once to find the instances and again to write them, because a copy
// would need more memory than the resulting block. The sample has the instances that exist in both reads:
// instances added later are not found, and the slot of a removed instance has another sequence in the
// second read. Each slot is checked whenever it is read.
//
// All slots are copied if an instance must not disappear before it is written, because others refer to
// its position, and the file has changed in the meantime.
type sampled struct {
	size     int
	data     []byte // slots from byte from: a window, or all
	again    []byte // second copy of torn data
	torn     bool   // a slot may have changed while data was read
	from     int
	buf      []byte
	left     int               // number of window bytes that may still be read
	copied   bool              // data has all slots
	restless bool              // reading in windows failed last time, or the copy was torn
	live     []foreignInstance // by object, then by slot
	lent     []byte            // memory of live outside of the heap
	keep     int64             // number of bytes that may be kept for the next sample
	kept     bool
	parents  []bool // pairs of objects: instances of the first have parents in the second
	fault    error
}

// foreignInstance is an instance in a file's sample. Its slot has the other data.
type foreignInstance struct {
	at       uint32
	sequence uint32
	object   uint16
	name     uint16
}

const (
	// instanceCost is the memory of an instance in addition to its slot.
	instanceCost = int(unsafe.Sizeof(foreignInstance{}))
	minSlot      = 2 * pubfile.SlotAlign
	// windowBytes is the number of bytes read at once.
	windowBytes = 256 << 10
	// maxPasses limits how often the slots are read again if the slots of objects are interleaved.
	maxPasses = 8
	// keepAll limits the memory that the samples of all files keep for the next samples, in bytes. If it
	// is used up, each file may still keep keepData bytes.
	keepAll, keepData = 1 << 20, 64 << 10
)

var errChanged = errors.New("the published file changed while it was read")

// sample finds the instances, and copies the slots if whole is set or if necessary. It uses at most limit
// bytes of memory and returns the largest amount that it may use.
func (r *foreign) sample(limit int64, whole bool) (cost int64, err error) {
	if r.held() > r.keep {
		r.buf, r.live = nil, nil
	}
	r.live = r.live[:0]
	r.fault = nil
	r.size = 0
	if cost, err = r.measure(limit); err != nil {
		return 0, err
	}
	r.left = 2 * (maxPasses + 2) * r.size
	r.makeList(r.size / minSlot)
	if whole || r.restless || r.size <= r.windowSize() {
		still, err := r.copySlots()
		r.restless = !still || whole && r.restless
		return cost, err
	}

	r.copied = false
	r.torn = false
	r.data = nil
	if err := r.walk(); err != nil {
		return cost, err
	}

	if r.passes() > maxPasses {
		_, err = r.copySlots()
		return cost, err
	}
	r.freeBuf()
	return cost, nil
}

func (r *foreign) held() int64 { return int64(len(r.buf) + cap(r.live)*instanceCost) }

func (r *foreign) measure(limit int64) (cost int64, err error) {
	_, used, err := r.header()
	if err != nil {
		return 0, err
	}

	n := used - r.begin
	if n < 0 {
		return 0, r.bad(pubfile.HeaderUsed, "%d bytes, want at least the %d before the slots", used, r.begin)
	}
	if cost = n + n/minSlot*int64(instanceCost); cost > limit {
		return 0, r.tooMuch("instances", cost, limit)
	}

	// Check the end of the file before memory is allocated for missing bytes.
	if r.kept = cost <= r.keep; !r.kept {
		var last [1]byte
		if err := r.read(last[:], used-1); err != nil {
			return 0, err
		}
	}
	r.size = int(n)
	return cost, nil
}

// copySlots copies all slots and finds the instances in the copy. It marks slots that changed in the
// meantime as free, and reports whether none changed.
func (r *foreign) copySlots() (still bool, err error) {
	r.live = r.live[:0]
	r.fault = nil
	r.copied = true
	if err := r.load(0, r.size); err != nil {
		return false, err
	}

	still = !r.torn
	for at := 0; r.torn && at < r.size; {
		p, err := r.slot(at)
		if err != nil || len(p) == 0 {
			break
		}
		if r.inUse(at, p) == 0 {
			binary.LittleEndian.PutUint32(p[pubfile.SlotSequence:], 0)
		}
		at += len(p)
	}
	r.again, r.torn = nil, false
	return still, r.walk()
}

// readStill is read; still reports that no slot changed in the meantime.
func (r *foreign) readStill(p []byte, offset int64) (still bool, err error) {
	var before, after [8]byte
	if err := r.read(before[:], pubfile.HeaderGeneration); err != nil {
		return false, err
	}
	if err := r.read(p, offset); err != nil {
		return false, err
	}
	err = r.read(after[:], pubfile.HeaderGeneration)
	return before == after && before[0]%2 == 0, err
}

func (r *foreign) reading(f func() error) (err error) {
	if r.copied {
		return f()
	}
	gone := r.use(func() error {
		err = f()
		return nil
	})
	r.freeBuf()
	if gone != nil {
		return errChanged
	}
	return err
}

func (r *foreign) windowSize() int { return cmp.Or(r.window, windowBytes) }

// slot returns the slot at an offset from the first one, or nothing if its size is invalid. It is valid
// until the next call.
func (r *foreign) slot(at int) ([]byte, error) {
	p, err := r.bytes(at, min(minSlot, r.size-at))
	if err != nil {
		return nil, err
	}

	size := binary.LittleEndian.Uint32(p[pubfile.SlotSize:])
	if size < minSlot || size%pubfile.SlotAlign != 0 || uint64(size) > uint64(r.size-at) {
		return nil, nil
	}
	if p, err = r.bytes(at, int(size)); err != nil {
		return nil, err
	}
	return p[:size], nil
}

func (r *foreign) bytes(at, n int) ([]byte, error) {
	if at < r.from || at+n > r.from+len(r.data) {
		if err := r.load(at, min(max(r.windowSize(), n), r.size-at)); err != nil {
			r.data = nil
			return nil, err
		}
	}
	return r.data[at-r.from:], nil
}

// load reads n bytes of the slots. The limit stops files whose changing sizes cause endless reads.
func (r *foreign) load(at, n int) error {
	if r.left -= n; r.left < 0 {
		return errChanged
	}
	r.allocate(n)
	r.from = at
	still, err := r.readStill(r.data, r.begin+int64(at))
	if r.torn = !still; err != nil || still {
		return err
	}
	r.again = resize(r.again, n)
	return r.read(r.again, r.begin+int64(at))
}

// allocate allocates n bytes for slots. Large amounts are not from the heap, which would keep them for a
// while after use, in addition to the block made from them.
func (r *foreign) allocate(n int) {
	if n > len(r.buf) {
		r.freeBuf()
		if r.kept {
			r.buf = make([]byte, n)
		} else {
			r.buf = lend(n)
		}
	}
	r.data = r.buf[:n]
}

func (r *foreign) freeBuf() {
	r.data, r.again = nil, nil
	if !r.kept {
		unlend(r.buf)
		r.buf = nil
	}
}

func (r *foreign) makeList(n int) {
	if n <= cap(r.live) {
		return
	}
	r.freeList()
	if r.kept {
		r.live = make([]foreignInstance, 0, n)
		return
	}
	r.lent = lend(n * instanceCost)
	r.live = unsafe.Slice((*foreignInstance)(unsafe.Pointer(unsafe.SliceData(r.lent))), n)[:0]
}

func (r *foreign) freeList() {
	if r.lent != nil {
		unlend(r.lent)
		r.live, r.lent = nil, nil
	}
}

// forget releases the memory of the last sample beyond the kept amount, including the instances.
func (r *foreign) forget() {
	r.freeBuf()
	r.freeList()
}

// walk finds the instances. It omits invalid instances, and stops at a slot of invalid size.
func (r *foreign) walk() error {
	r.parents = nil
	for at := 0; at < r.size; {
		p, err := r.slot(at)
		if err != nil {
			return err
		}

		if len(p) == 0 {
			r.note(r.bad(r.begin+int64(at), "a slot of an invalid size"))
			break
		}

		if sequence := r.inUse(at, p); sequence != 0 {
			if s, err := r.check(p, r.begin+int64(at)); err != nil {
				r.note(err)
			} else {
				r.live = append(r.live, foreignInstance{uint32(at), sequence, uint16(s.object),
					uint16(len(s.name))})
				r.noteParent(&s)
			}
		}
		at += len(p)
	}

	slices.SortFunc(r.live, func(a, b foreignInstance) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.at, b.at))
	})
	return nil
}

// inUse returns the sequence of a slot in use, or 0 if it is free or changed while it was read.
func (r *foreign) inUse(at int, p []byte) uint32 {
	n := binary.LittleEndian.Uint32(p[pubfile.SlotSequence:])
	if n%2 == 0 || r.torn && n != binary.LittleEndian.Uint32(r.again[at-r.from+pubfile.SlotSequence:]) {
		return 0
	}
	return n
}

func (r *foreign) note(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

func (r *foreign) noteParent(s *filled) {
	if s.parent == 0 {
		return
	}
	if parent := r.titled(s.parent); parent >= 0 {
		if r.parents == nil {
			r.parents = make([]bool, len(r.objects)*len(r.objects))
		}
		r.parents[s.object*len(r.objects)+parent] = true
	}
}

func (r *foreign) parentsOf(object int) (objects []int) {
	if r.parents == nil {
		return nil
	}
	for i, is := range r.parents[object*len(r.objects):][:len(r.objects)] {
		if is {
			objects = append(objects, i)
		}
	}
	return objects
}

// passes returns how often all slots would be read, beyond the first time, to write the objects one after
// the other.
func (r *foreign) passes() int {
	n := 0
	for i := range r.objects {
		if list := r.of(i); len(list) > 0 {
			n += max(int(list[len(list)-1].at-list[0].at), r.windowSize())
		}
	}
	return n / r.size
}

func (r *foreign) of(object int) []foreignInstance {
	by := func(in foreignInstance, object int) int { return cmp.Compare(int(in.object), object) }
	from, _ := slices.BinarySearchFunc(r.live, object, by)
	to, _ := slices.BinarySearchFunc(r.live[from:], object+1, by)
	return r.live[from:][:to]
}

// parentOf returns the position of a parent, given by its slot's offset in the file, among the instances
// of its object, or -1.
func (r *foreign) parentOf(object int, slot uint32) int {
	by := func(in foreignInstance, at int64) int { return cmp.Compare(int64(in.at), at) }
	k, found := slices.BinarySearchFunc(r.of(object), int64(slot)-r.begin, by)
	if !found {
		return -1
	}
	return k
}

type filled struct {
	object   int
	name     []byte
	parent   uint32
	slot     uint32
	uniqueID int32
	block    []byte
}

func (r *foreign) check(p []byte, slot int64) (s filled, err error) {
	le := binary.LittleEndian
	object, length := le.Uint32(p[pubfile.SlotObject:]), le.Uint32(p[pubfile.SlotLength:])
	if uint64(object) >= uint64(len(r.objects)) || uint64(length) > uint64(len(p)-pubfile.SlotBody) {
		return s, r.bad(slot, "a slot of object %d with %d bytes", object, length)
	}

	s.object = int(object)
	block := p[pubfile.SlotBody:][:length]
	if r.objects[object].Multi {
		in, rest, err := datablock.CutInstance(block)
		if err != nil {
			return s, r.bad(slot, "an instance: %v", err)
		}

		name, err := in.Name()
		if err != nil {
			return s, r.bad(slot, "an instance: %v", err)
		}
		if len(name) > 2*pubfile.MaxName {
			return s, r.bad(slot, "an instance with a name of %d bytes, want at most %d", len(name),
				2*pubfile.MaxName)
		}

		name, _, _ = wire.CutUTF16(name)
		s.name = name[:len(name)&^1]
		s.uniqueID = in.UniqueID()
		s.parent, s.slot = in.Parent()
		block = rest
	}

	values, rest, err := datablock.CutCounterBlock(block)
	if want := r.images[object].Block; err != nil || len(values) != want || len(rest) != 0 {
		return s, r.bad(slot, "a counter block of %d bytes, want %d", len(block), want)
	}
	s.block = values
	return s, nil
}

// filled returns the content of an instance's slot, valid until the next call; ok is false if another
// instance uses the slot now. The error is errChanged.
func (r *foreign) filled(in foreignInstance) (s filled, ok bool, err error) {
	p, err := r.slot(int(in.at))
	if err != nil {
		return s, false, errChanged
	}
	if len(p) == 0 || r.inUse(int(in.at), p) != in.sequence {
		return s, false, nil
	}
	s, err = r.check(p, r.begin+int64(in.at))
	return s, err == nil && s.object == int(in.object) && len(s.name) == int(in.name), nil
}

func resize(p []byte, n int) []byte {
	if cap(p) < n {
		return make([]byte, n)
	}
	return p[:n]
}
