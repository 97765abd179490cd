package publish

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/winperf/winperf/internal/pubfile"
)

const (
	// pieceUnit is what pieces are multiples of: Windows maps at such offsets only.
	pieceUnit = 64 << 10
	// maxPiece bounds how much a file grows at once ahead of need.
	maxPiece = 4 << 20
	// slotUnit is what slots are multiples of. It is more than the layout asks
	// for, so that names of about the same length can have each other's slots.
	slotUnit = 32
)

// memory is a published file in this process: pieces that stay where they are,
// with slots in them. Changes take turns; values need none.
//
// It keeps a copy of what does not change in place, to make the file whole when it was
// made shorter: each change is noted here first, and then made there.
type memory struct {
	file   *os.File
	pieces *pieces
	static []byte // what stands before the slots, as it was at first
	size   int64  // of the file
	used   int64  // where the next slot goes
	slots  []*slot
	free   map[int][]*slot

	generation uint64
	shown      bool // the file is complete
}

// pieces are what is mapped, one after the other in the file.
type pieces struct {
	list []piece
	// remove, if not empty, is the file's path: it could not be removed as long
	// as it was mapped.
	remove string
}

// piece is a part of the file that is mapped.
type piece struct {
	offset int64 // in the file
	bytes  []byte
}

// slot is a slot of the file.
type slot struct {
	offset uint32 // in the file
	bytes  []byte

	sequence uint32
	object   uint32
	length   uint32 // of the body
	head     []byte // the body up to its first value
}

// appendHead appends what stands in the slot before values.
func (s *slot) appendHead(p []byte) []byte {
	for _, field := range [pubfile.SlotBody / 4]uint32{
		pubfile.SlotSize / 4:     uint32(len(s.bytes)),
		pubfile.SlotSequence / 4: s.sequence,
		pubfile.SlotObject / 4:   s.object,
		pubfile.SlotLength / 4:   s.length,
	} {
		p = binary.LittleEndian.AppendUint32(p, field)
	}
	return append(p, s.head...)
}

// begin makes the file's first piece.
func (m *memory) begin() error {
	m.free = map[int][]*slot{}
	m.pieces = &pieces{}
	if err := m.grow(len(m.static)); err != nil {
		return err
	}
	m.used = int64(len(m.static))
	m.change(func() { copy(m.pieces.list[0].bytes, m.static) })
	return nil
}

// grow maps another piece, with room for n bytes at least.
func (m *memory) grow(n int) error {
	n = (max(n, min(int(m.size), maxPiece)) + pieceUnit - 1) &^ (pieceUnit - 1)
	if m.size+int64(n) > pubfile.MaxFile {
		return fmt.Errorf("%s has %d bytes, want at most %d: %w", m.file.Name(), m.size,
			pubfile.MaxFile, ErrFull)
	}
	p, err := mapPiece(m.file, m.size, n)
	if err != nil {
		return err
	}
	m.pieces.list = append(m.pieces.list, piece{m.size, p})
	m.size += int64(n)
	return nil
}

// take returns a free slot with room for a body of n bytes. Readers pass over it until
// it is used.
func (m *memory) take(n int) (*slot, error) {
	size := (pubfile.SlotBody + n + slotUnit - 1) &^ (slotUnit - 1)
	if list := m.free[size]; len(list) > 0 {
		m.free[size] = list[:len(list)-1]
		return list[len(list)-1], nil
	}

	if rest := int(m.size - m.used); rest < size {
		if err := m.grow(size); err != nil {
			return nil, err
		}
		if rest > 0 { // no slot reaches from one piece into the next
			s := m.append(&m.pieces.list[len(m.pieces.list)-2], rest)
			m.free[rest] = append(m.free[rest], s)
		}
	}
	return m.append(&m.pieces.list[len(m.pieces.list)-1], size), nil
}

// append makes the next bytes of a piece a slot.
func (m *memory) append(p *piece, size int) *slot {
	at := int(m.used - p.offset)
	s := &slot{offset: uint32(m.used), bytes: p.bytes[at : at+size : at+size]}

	m.slots = append(m.slots, s)
	m.used += int64(size)
	m.change(func() {
		binary.LittleEndian.PutUint32(s.bytes[pubfile.SlotSize:], uint32(size))
		atomic.StoreUint64(m.word64(pubfile.HeaderUsed), uint64(m.used))
	})
	return s
}

// use shows a slot with a body, whose first head bytes are no values.
func (m *memory) use(s *slot, object uint32, body []byte, head int) {
	s.object = object
	s.length = uint32(len(body))
	s.head = body[:head:head]
	s.sequence++
	m.changeSlots(func() {
		n := copy(s.bytes[pubfile.SlotBody:], body)
		clear(s.bytes[pubfile.SlotBody+n:])
		binary.LittleEndian.PutUint32(s.bytes[pubfile.SlotObject:], object)
		binary.LittleEndian.PutUint32(s.bytes[pubfile.SlotLength:], uint32(n))
		atomic.StoreUint32(word32(s.bytes, pubfile.SlotSequence), s.sequence)
	})
}

// drop takes a slot out of use.
func (m *memory) drop(s *slot) {
	s.head = nil
	s.sequence++
	m.changeSlots(func() { atomic.StoreUint32(word32(s.bytes, pubfile.SlotSequence), s.sequence) })
}

// giveBack makes a dropped slot free for others.
func (m *memory) giveBack(s *slot) { m.free[len(s.bytes)] = append(m.free[len(s.bytes)], s) }

// changeSlots makes a change that readers who copy the whole file notice.
func (m *memory) changeSlots(f func()) {
	m.generation += 2
	m.change(func() {
		atomic.StoreUint64(m.word64(pubfile.HeaderGeneration), m.generation-1)
		f()
		atomic.StoreUint64(m.word64(pubfile.HeaderGeneration), m.generation)
	})
}

// change makes a change in the file. What was noted before suffices to make it again.
func (m *memory) change(f func()) {
	if !touch(f) {
		_ = m.restore() // or the next counting tries it
	}
}

// show tells readers that the file is complete.
func (m *memory) show() {
	m.shown = true
	m.change(func() { atomic.StoreUint64(m.word64(pubfile.HeaderMagic), pubfile.Magic) })
}

// hide takes that back.
func (m *memory) hide() {
	m.shown = false
	if m.pieces != nil && len(m.pieces.list) > 0 {
		touch(func() { atomic.StoreUint64(m.word64(pubfile.HeaderMagic), 0) }) // or there is nothing to hide
	}
}

func (m *memory) word64(field int) *uint64 { return word64(m.pieces.list[0].bytes, field) }

// unmapAll ends the mappings.
func unmapAll(p *pieces) {
	for _, piece := range p.list {
		_ = unmapPiece(piece.bytes) // it fails only for what was never mapped
	}
	if p.remove != "" {
		_ = os.Remove(p.remove) // or the next look does it
	}
}

// word32 and word64 are numbers in mapped memory, aligned to their size.
func word32(p []byte, at int) *uint32 { return (*uint32)(unsafe.Pointer(&p[at : at+4][0])) }

func word64(p []byte, at int) *uint64 { return (*uint64)(unsafe.Pointer(&p[at : at+8][0])) }
