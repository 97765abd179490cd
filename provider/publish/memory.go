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
	// regionUnit divides the size of regions: Windows maps at such offsets only.
	regionUnit = 64 << 10
	// maxRegion limits the growth of a file ahead of need.
	maxRegion = 4 << 20
	// slotUnit divides the size of slots. It is larger than the format requires, so that instances with
	// names of similar lengths can reuse each other's slots.
	slotUnit = 32
)

// memory is a published file in this process: mapped regions with slots in them. Changes need
// Publisher.mu; accesses to values do not.
//
// It keeps a copy of the constant parts, to restore a shortened file: each change is recorded here before
// it is made in the file.
type memory struct {
	file    *os.File
	mapping *mapping
	static  []byte
	size    int64
	used    int64
	slots   []*slot
	free    map[int][]*slot

	generation uint64
	shown      bool // the file is complete
}

type mapping struct {
	list []region
	// remove, if not empty, is the path of a file to remove after unmapping.
	remove string
}

type region struct {
	offset int64
	bytes  []byte
}

type slot struct {
	offset uint32
	bytes  []byte

	sequence uint32
	object   uint32
	length   uint32
	head     []byte
}

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

func (m *memory) begin() error {
	m.free = map[int][]*slot{}
	m.mapping = &mapping{}
	if err := m.grow(len(m.static)); err != nil {
		return err
	}
	m.used = int64(len(m.static))
	m.change(func() { copy(m.mapping.list[0].bytes, m.static) })
	return nil
}

func (m *memory) grow(n int) error {
	n = (max(n, min(int(m.size), maxRegion)) + regionUnit - 1) &^ (regionUnit - 1)
	if m.size+int64(n) > pubfile.MaxFile {
		return fmt.Errorf("%s has %d bytes, want at most %d: %w", m.file.Name(), m.size,
			pubfile.MaxFile, ErrFull)
	}
	p, err := mapRegion(m.file, m.size, n)
	if err != nil {
		return err
	}
	m.mapping.list = append(m.mapping.list, region{m.size, p})
	m.size += int64(n)
	return nil
}

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
		if rest > 0 { // slots cannot span two regions
			s := m.append(&m.mapping.list[len(m.mapping.list)-2], rest)
			m.free[rest] = append(m.free[rest], s)
		}
	}
	return m.append(&m.mapping.list[len(m.mapping.list)-1], size), nil
}

func (m *memory) append(p *region, size int) *slot {
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

func (m *memory) drop(s *slot) {
	s.head = nil
	s.sequence++
	m.changeSlots(func() { atomic.StoreUint32(word32(s.bytes, pubfile.SlotSequence), s.sequence) })
}

func (m *memory) freeSlot(s *slot) { m.free[len(s.bytes)] = append(m.free[len(s.bytes)], s) }

// changeSlots makes a change that readers of the whole file can detect.
func (m *memory) changeSlots(f func()) {
	m.generation += 2
	m.change(func() {
		atomic.StoreUint64(m.word64(pubfile.HeaderGeneration), m.generation-1)
		f()
		atomic.StoreUint64(m.word64(pubfile.HeaderGeneration), m.generation)
	})
}

// change changes the file. The change must be recorded before, so that restore can repeat it.
func (m *memory) change(f func()) {
	if !touch(f) {
		_ = m.restore()
	}
}

func (m *memory) show() {
	m.shown = true
	m.change(func() { atomic.StoreUint64(m.word64(pubfile.HeaderMagic), pubfile.Magic) })
}

func (m *memory) hide() {
	m.shown = false
	if m.mapping != nil && len(m.mapping.list) > 0 {
		touch(func() { atomic.StoreUint64(m.word64(pubfile.HeaderMagic), 0) })
	}
}

func (m *memory) word64(field int) *uint64 { return word64(m.mapping.list[0].bytes, field) }

func unmapAll(p *mapping) {
	for _, region := range p.list {
		_ = unmapRegion(region.bytes)
	}
	if p.remove != "" {
		_ = os.Remove(p.remove)
	}
}

func word32(p []byte, at int) *uint32 { return (*uint32)(unsafe.Pointer(&p[at : at+4][0])) }

func word64(p []byte, at int) *uint64 { return (*uint64)(unsafe.Pointer(&p[at : at+8][0])) }
