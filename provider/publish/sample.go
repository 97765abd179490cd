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

// sampled is the last sample of a file: which instances there are, and where their
// slots stand. Slots are read by windows, once to find the instances and again when
// they are written, as a copy of them all would take more memory than the block they
// become. The sample is of the moment between the two: what came later is not found,
// and the slot of one that went has another sequence when it is read again. Each slot
// is checked whenever it is read.
//
// Where an instance must not be missed any more when it is written, as others tell its
// position, and does change all the same, there is a copy of all slots.
type sampled struct {
	size     int    // of all slots, in bytes
	data     []byte // of the slots, from byte from on: a window, or all
	again    []byte // the same read once more, if it is torn
	torn     bool   // some slot changed while data were read
	from     int
	room     []byte            // what data stands in
	left     int               // how many bytes of windows may be read
	copied   bool              // data are all
	restless bool              // the last time windows were not enough, or the copy was torn
	live     []foreignInstance // by object, then by slot
	lent     []byte            // what live stands in, if that is not on the heap
	keep     int64             // how many bytes may be kept for the next sample
	kept     bool              // this one needs no more than that
	parents  []bool            // by object of the file and object of the file: instances have parents there
	fault    error             // of the first slot that is not right
}

// foreignInstance is an instance of a file's sample. What else there is to know
// about it stands in its slot.
type foreignInstance struct {
	at       uint32 // where its slot is among the slots
	sequence uint32 // of the slot
	object   uint16 // position among the objects of the file
	name     uint16 // bytes of its name
}

const (
	// instanceCost is what a reader keeps for an instance beside its bytes.
	instanceCost = int(unsafe.Sizeof(foreignInstance{}))
	// minSlot is the smallest slot: one with the smallest counter block.
	minSlot = 2 * pubfile.SlotAlign
	// windowBytes is how much of a file is read at once.
	windowBytes = 256 << 10
	// maxPasses bounds how often the slots are read again for objects that have
	// theirs between those of others.
	maxPasses = 8
	// keepAll is how many bytes of samples are kept for the next ones, and keepData how many
	// of a single file beyond that.
	keepAll, keepData = 1 << 20, 64 << 10
)

// errChanged: the file has changed since its sample began.
var errChanged = errors.New("the published file changed while it was read")

// sample finds the instances, and copies the slots if that was asked for or has to be. It takes at most limit
// bytes of memory and returns how many that may be.
func (r *foreign) sample(limit int64, whole bool) (cost int64, err error) {
	if r.held() > r.keep {
		r.room, r.live = nil, nil
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
	r.freeRoom()
	return cost, nil
}

// held is how many bytes of memory are kept.
func (r *foreign) held() int64 { return int64(len(r.room) + cap(r.live)*instanceCost) }

// measure finds out how many bytes of slots there are, and how many of memory they take.
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

	// What the file does not hold takes little memory.
	if r.kept = cost <= r.keep; !r.kept {
		var last [1]byte
		if err := r.read(last[:], used-1); err != nil {
			return 0, err
		}
	}
	r.size = int(n)
	return cost, nil
}

// copySlots makes a copy of all slots and finds the instances in it. Slots that changed
// meanwhile are free there. It reports whether there are none.
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
			break // which is found again
		}
		if r.inUse(at, p) == 0 {
			binary.LittleEndian.PutUint32(p[pubfile.SlotSequence:], 0)
		}
		at += len(p)
	}
	r.again, r.torn = nil, false
	return still, r.walk()
}

// readStill is read, and reports whether no slot changed meanwhile.
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

// reading opens the file for f, unless there is a copy of what f reads.
func (r *foreign) reading(f func() error) (err error) {
	if r.copied {
		return f()
	}
	gone := r.use(func() error {
		err = f()
		return nil
	})
	r.freeRoom()
	if gone != nil {
		return errChanged
	}
	return err
}

func (r *foreign) windowSize() int { return cmp.Or(r.window, windowBytes) }

// slot returns the slot at an offset from the first one, nothing where it has a size
// that cannot be right. It is valid until the next call.
func (r *foreign) slot(at int) ([]byte, error) {
	p, err := r.bytes(at, min(minSlot, r.size-at)) // of a multiple of SlotAlign bytes, as all sizes are
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

// bytes returns n bytes of the slots or more, from an offset on.
func (r *foreign) bytes(at, n int) ([]byte, error) {
	if at < r.from || at+n > r.from+len(r.data) {
		if err := r.load(at, min(max(r.windowSize(), n), r.size-at)); err != nil {
			r.data = nil
			return nil, err
		}
	}
	return r.data[at-r.from:], nil
}

// load reads n bytes of the slots. Sizes that change in the right moments would have
// the same ones read again and again.
func (r *foreign) load(at, n int) error {
	if r.left -= n; r.left < 0 {
		return errChanged
	}
	r.makeRoom(n)
	r.from = at
	still, err := r.readStill(r.data, r.begin+int64(at))
	if r.torn = !still; err != nil || still {
		return err
	}
	r.again = resize(r.again, n)
	return r.read(r.again, r.begin+int64(at))
}

// makeRoom makes room for n bytes of slots. Many of them do not come from the heap:
// there they would stay for a while when they are not needed any more, beside the block
// that was made of them.
func (r *foreign) makeRoom(n int) {
	if n > len(r.room) {
		r.freeRoom()
		if r.kept {
			r.room = make([]byte, n)
		} else {
			r.room = lend(n)
		}
	}
	r.data = r.room[:n]
}

// freeRoom gives the memory of slots back, if there is more than is kept.
func (r *foreign) freeRoom() {
	r.data, r.again = nil, nil
	if !r.kept {
		giveBack(r.room)
		r.room = nil
	}
}

// makeList makes room for n instances, as makeRoom does.
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
		giveBack(r.lent)
		r.live, r.lent = nil, nil
	}
}

// forget gives the memory of the last sample back, and with it its instances, as
// far as there is more than is kept.
func (r *foreign) forget() {
	r.freeRoom()
	r.freeList()
}

// walk finds the instances. An instance that is wrong is left out; behind a slot of a
// wrong size nothing can be found.
func (r *foreign) walk() error {
	r.parents = nil
	for at := 0; at < r.size; {
		p, err := r.slot(at)
		if err != nil {
			return err
		}

		if len(p) == 0 {
			r.note(r.bad(r.begin+int64(at), "a slot of an impossible size"))
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

// inUse returns the sequence of a slot in use, 0 where it is free or changed while it
// was read.
func (r *foreign) inUse(at int, p []byte) uint32 {
	n := binary.LittleEndian.Uint32(p[pubfile.SlotSequence:])
	if n%2 == 0 || r.torn && n != binary.LittleEndian.Uint32(r.again[at-r.from+pubfile.SlotSequence:]) {
		return 0
	}
	return n
}

// note keeps the first fault.
func (r *foreign) note(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// noteParent notes in which object an instance has its parent.
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

// parentsOf returns the objects that instances of an object have their parents in.
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

// passes is how often all slots are read, once more than this, to write all objects
// one after the other.
func (r *foreign) passes() int {
	n := 0
	for i := range r.objects {
		if list := r.of(i); len(list) > 0 {
			n += max(int(list[len(list)-1].at-list[0].at), r.windowSize())
		}
	}
	return n / r.size
}

// of returns the instances of an object.
func (r *foreign) of(object int) []foreignInstance {
	by := func(in foreignInstance, object int) int { return cmp.Compare(int(in.object), object) }
	from, _ := slices.BinarySearchFunc(r.live, object, by)
	to, _ := slices.BinarySearchFunc(r.live[from:], object+1, by)
	return r.live[from:][:to]
}

// parentOf returns which instance the parent in the slot at an offset of the file is
// of its object; -1 if it is not there.
func (r *foreign) parentOf(object int, slot uint32) int {
	by := func(in foreignInstance, at int64) int { return cmp.Compare(int64(in.at), at) }
	k, found := slices.BinarySearchFunc(r.of(object), int64(slot)-r.begin, by)
	if !found {
		return -1
	}
	return k
}

// filled is what a slot in use holds.
type filled struct {
	object   int
	name     []byte // UTF-16LE up to a NUL
	parent   uint32 // relative title of the parent's object, 0 = none
	slot     uint32 // the parent's, in the file
	uniqueID int32
	block    []byte // the counter block
}

// check checks a slot that is in use, at an offset of the file, and returns what it
// holds.
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

// filled returns what an instance's slot holds, valid until the next call; ok is false
// where it is another one's by now. The error is errChanged.
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

// resize returns a slice of n bytes, p itself if it is large enough.
func resize(p []byte, n int) []byte {
	if cap(p) < n {
		return make([]byte, n)
	}
	return p[:n]
}
