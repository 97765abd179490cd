// Package textset keeps very many texts in little memory.
package textset

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// Set is a set of fewer than 2^32 texts, numbered in the order in which they
// came. Beside its own bytes a text takes 14 at most where the number of texts is
// known beforehand; in a map it takes 40 and more. The zero Set is empty.
type Set struct {
	bytes []byte
	ends  []int    // of the texts, in bytes
	slots []uint32 // 1 + the number of a text, at the place of its hash or behind; 0 is free
	seed  maphash.Seed
}

// The most that the slots are filled, as a fraction: fuller ones are slow to
// search.
const mostFull, ofSlots = 3, 4

// Grow makes room for n texts more, of so many bytes in all. A Set that grows by
// itself leaves several times its size behind.
func (s *Set) Grow(n, size int) {
	s.bytes = slices.Grow(s.bytes, size)
	s.ends = slices.Grow(s.ends, n)
	s.resize(len(s.ends) + n)
}

// Reset makes the set empty, and keeps its memory.
func (s *Set) Reset() {
	s.bytes, s.ends = s.bytes[:0], s.ends[:0]
	clear(s.slots)
}

// Len is the number of texts.
func (s *Set) Len() int { return len(s.ends) }

// At returns the text with a number, valid as long as it is not written to.
func (s *Set) At(n int) []byte {
	begin := 0
	if n > 0 {
		begin = s.ends[n-1]
	}
	return s.bytes[begin:s.ends[n]:s.ends[n]]
}

// Find returns the number of a text, -1 where the set does not have it.
func (s *Set) Find(text []byte) int {
	if len(s.slots) == 0 {
		return -1
	}
	return int(s.slots[s.slot(text)]) - 1
}

// Add returns the number of a text, and whether it came only now.
func (s *Set) Add(text []byte) (n int, added bool) {
	if len(s.ends)+1 > len(s.slots)/ofSlots*mostFull {
		s.resize(2*len(s.ends) + 8)
	}

	slot := &s.slots[s.slot(text)]
	if *slot > 0 {
		return int(*slot) - 1, false
	}

	s.bytes = append(s.bytes, text...)
	s.ends = append(s.ends, len(s.bytes))
	*slot = uint32(len(s.ends))
	return len(s.ends) - 1, true
}

// slot finds the slot that a text has, or would get. Some slot is always free.
func (s *Set) slot(text []byte) int {
	hash := maphash.Bytes(s.seed, text)
	place, _ := bits.Mul64(hash, uint64(len(s.slots))) // the hash as a fraction of all slots
	for i := int(place); ; i++ {
		if i == len(s.slots) {
			i = 0
		}
		if n := s.slots[i]; n == 0 || bytes.Equal(s.At(int(n)-1), text) {
			return i
		}
	}
}

// resize makes slots for n texts, unless there are as many.
func (s *Set) resize(n int) {
	size := ofSlots * (n/mostFull + 1)
	if size <= len(s.slots) {
		return
	}

	if s.slots == nil {
		s.seed = maphash.MakeSeed()
	}

	s.slots = make([]uint32, size)
	for n := range s.ends {
		s.slots[s.slot(s.At(n))] = uint32(n + 1)
	}
}
