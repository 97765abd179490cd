package capture

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Consecutive samples are similar: definitions and names are in the same places, or shifted
// where an instance appeared or ended, and most values are unchanged. The difference
// encodes the shifts and the changes. Deflate alone cannot: its window of 32 KiB does not
// reach the previous sample.

const (
	word = 8
	// anchor is the number of equal words that continue a difference at another place of
	// the reference.
	anchor = 4
	// maxGrowth limits the length of a sample to a multiple of reference and difference
	// together, because a file may be malicious.
	maxGrowth = 4
)

func wordAt(b []byte, w int) uint64 { return binary.LittleEndian.Uint64(b[w*word:]) }

// reference holds the bytes that differences refer to, with a table of the places of its
// words.
type reference struct {
	id    uint64
	bytes []byte
	table []int32 // by the hash of anchor words: position of the first + 1
	shift uint    // 64 - the table's bits
}

func (r *reference) set(id uint64, b []byte) {
	r.id = id
	r.bytes = append(r.bytes[:0], b...)
	n := len(b) / word
	size := bits.Len(uint(n)) + 1
	r.shift = uint(64 - size)
	r.table = slices.Grow(r.table[:0], 1<<size)[:1<<size]
	clear(r.table)
	for w := n - anchor; w >= 0; w-- { // backwards: the first of equal words is kept
		r.table[hash(b, w)>>r.shift] = int32(w + 1)
	}
}

func hash(b []byte, w int) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := wordAt(b, w)
	for k := 1; k < anchor; k++ {
		h = (bits.RotateLeft64(h, 29) ^ wordAt(b, w+k)) * prime
	}
	return h * prime
}

// find returns the position in the reference of the anchor words from w of b, or -1.
func (r *reference) find(b []byte, w int) int {
	if (w+anchor)*word > len(b) {
		return -1
	}
	at := int(r.table[hash(b, w)>>r.shift]) - 1
	if at >= 0 && string(r.bytes[at*word:(at+anchor)*word]) == string(b[w*word:(w+anchor)*word]) {
		return at
	}
	return -1
}

// suits reports whether b can be encoded as a difference from the reference.
func (r *reference) suits(b []byte) bool {
	return len(r.bytes) > 0 && len(b) <= maxGrowth*len(r.bytes)
}

type delta struct {
	steps, literals []byte
}

func (d *delta) append(dst []byte, r *reference, b []byte) []byte {
	d.steps, d.literals = d.steps[:0], d.literals[:0]
	n, m := len(b)/word, len(r.bytes)/word
	shift := 0
	for w := 0; w < n; {
		from := w
		for w < n && w+shift >= 0 && w+shift < m && wordAt(b, w) == wordAt(r.bytes, w+shift) {
			w++
		}

		d.steps = binary.AppendUvarint(d.steps, uint64(w-from))
		from = w
		next := shift
		for w < n {
			x := wordAt(b, w)
			if at := w + shift; at >= 0 && at < m {
				if x ^= wordAt(r.bytes, at); x == 0 {
					break
				}
			}

			if at := r.find(b, w); at >= 0 {
				next = at - w
				break
			}
			d.literals = binary.LittleEndian.AppendUint64(d.literals, x)
			w++
		}

		d.steps = binary.AppendUvarint(d.steps, uint64(w-from))
		d.steps = binary.AppendVarint(d.steps, int64(next-shift))
		shift = next
	}

	dst = binary.AppendUvarint(dst, uint64(len(d.steps)))
	dst = append(dst, d.steps...)
	dst = append(dst, d.literals...)
	return append(dst, b[n*word:]...)
}

const errDelta = fault("corrupt delta")

// step is a part of a sample: words equal to the reference, then other words. move is the
// change of the shift after it, in words.
type step struct {
	same, other uint64
	move        int64
}

func cutSteps(diff []byte) (steps, literals []byte, err error) {
	length, k := binary.Uvarint(diff)
	if k <= 0 || length > uint64(len(diff)-k) {
		return nil, nil, errDelta
	}
	return diff[k:][:length], diff[k:][length:], nil
}

// cutStep returns the first step and the bytes of the remaining steps.
func cutStep(steps []byte) (s step, rest []byte, err error) {
	same, k1 := binary.Uvarint(steps)
	other, k2 := binary.Uvarint(steps[max(k1, 0):])
	move, k3 := binary.Varint(steps[max(k1, 0)+max(k2, 0):])
	if k1 <= 0 || k2 <= 0 || k3 <= 0 || move < -maxLength || move > maxLength {
		return step{}, nil, errDelta
	}
	return step{same, other, move}, steps[k1+k2+k3:], nil
}

// apply appends to dst the sample of n bytes that differs from ref by diff.
func apply(dst, ref, diff []byte, n int) ([]byte, error) {
	steps, literals, err := cutSteps(diff)
	if err != nil || int64(n) > maxGrowth*(int64(len(ref))+int64(len(diff))) {
		return dst, errDelta
	}

	dst = slices.Grow(dst, min(n, len(ref)+len(diff))) // more on demand: n may be false
	words, m := int64(n/word), int64(len(ref)/word)
	var w, shift int64
	for len(steps) > 0 {
		s, rest, err := cutStep(steps)
		left := uint64(words - w)
		if err != nil || s.same > left || s.other > left-s.same || s.other > uint64(len(literals)/word) {
			return dst, errDelta
		}

		steps = rest
		from := w + shift
		if s.same > 0 {
			if from < 0 || from > m || s.same > uint64(m-from) {
				return dst, errDelta
			}
			dst = append(dst, ref[from*word:(from+int64(s.same))*word]...)
		}

		w += int64(s.same)
		for range s.other {
			x := wordAt(literals, 0)
			literals = literals[word:]
			if at := w + shift; at >= 0 && at < m {
				x ^= wordAt(ref, int(at))
			}
			dst = binary.LittleEndian.AppendUint64(dst, x)
			w++
		}

		shift += s.move
		if shift < -maxLength || shift > maxLength {
			return dst, errDelta
		}
	}

	if w != words || len(literals) != n%word {
		return dst, errDelta
	}
	return append(dst, literals...), nil
}
