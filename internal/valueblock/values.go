package valueblock

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Values are displayable values in parallel slices. The zero Values hold nothing.
type Values struct {
	// Bits are the values, see counter.FromBits; of a text they are Texts' [Span].
	Bits []uint64
	// Kinds are KindNone where the status is not OK.
	Kinds  []counter.Kind
	Status []counter.Status
	// Marks are the anomalies that touch the values; empty where there are none.
	Marks []winperf.AnomalySet
	// Times are when the values were sampled, as FILETIME; empty where all have the time of the sample.
	Times []int64
	// Texts are all texts, one after the other.
	Texts []byte
}

// Reset empties v, and keeps its memory.
func (v *Values) Reset() {
	v.Bits, v.Kinds, v.Status = v.Bits[:0], v.Kinds[:0], v.Status[:0]
	v.Marks, v.Times, v.Texts = v.Marks[:0], v.Times[:0], v.Texts[:0]
}

// Grow makes room for n further values.
func (v *Values) Grow(n int) {
	v.Bits, v.Kinds, v.Status = slices.Grow(v.Bits, n), slices.Grow(v.Kinds, n), slices.Grow(v.Status, n)
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.Bits) }

// Add appends a value. If the status is not OK the value is not kept; if a value that is OK holds
// nothing, its status becomes counter.InvalidData.
func (v *Values) Add(value counter.Value, status counter.Status) {
	kind := value.Kind()
	if status == counter.OK && kind == counter.KindNone {
		status = counter.InvalidData
	}
	if status != counter.OK {
		v.AddBits(counter.KindNone, 0, status)
		return
	}

	switch n, whole := value.Uint64(); {
	case whole:
		v.AddBits(kind, n, status)
	case kind == counter.KindText:
		s, _ := value.AsText()
		v.AddBits(kind, span(len(v.Texts), len(s)), status)
		v.Texts = append(v.Texts, s...)
	default:
		f, _ := value.Float64()
		v.AddBits(kind, math.Float64bits(f), status)
	}
}

// AddBits appends a value that is no text. Kind and bits must be 0 where the status is not OK.
func (v *Values) AddBits(kind counter.Kind, bits uint64, status counter.Status) {
	v.Bits, v.Kinds, v.Status = append(v.Bits, bits), append(v.Kinds, kind), append(v.Status, status)
}

// Mark adds anomalies to the value that was added last.
func (v *Values) Mark(a winperf.AnomalySet) {
	if a == 0 {
		return
	}
	v.Marks = padded(v.Marks, v.Len(), 0)
	v.Marks[v.Len()-1] |= a
}

// SetTime sets the time of the value that was added last, as FILETIME. sample is the time of the sample.
func (v *Values) SetTime(t, sample int64) {
	if t == sample && len(v.Times) == 0 {
		return
	}
	v.Times = padded(v.Times, v.Len(), sample)
	v.Times[v.Len()-1] = t
}

// padded returns s with a length of n; the elements added are fill.
func padded[T any](s []T, n int, fill T) []T {
	for len(s) < n {
		s = append(s, fill)
	}
	return s
}

// span is the word of a text.
func span(offset, length int) uint64 { return uint64(offset)<<32 | uint64(length) }

// Text returns the text whose word is bits. The bytes alias Texts.
func (v *Values) Text(bits uint64) []byte { return v.Texts[bits>>32:][:uint32(bits)] }

const (
	headSize = 8
	// The flags.
	withMarks, withTimes = 1, 2
)

// Append appends the block of the values to b. sample is the time of the sample, which values without
// a time of their own have.
func (v *Values) Append(b []byte, sample int64) []byte {
	n := v.Len()
	flags := byte(0)
	if len(v.Marks) > 0 {
		flags |= withMarks
	}
	if len(v.Times) > 0 {
		flags |= withTimes
	}
	b = slices.Grow(b, headSize+20*n+len(v.Texts))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(n)), flags, 0, 0, 0)

	for _, w := range v.Bits {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, k := range v.Kinds {
		b = append(b, byte(k))
	}
	for _, s := range v.Status {
		b = append(b, byte(s))
	}

	if flags&withMarks != 0 {
		for i := range n {
			mark := winperf.AnomalySet(0)
			if i < len(v.Marks) {
				mark = v.Marks[i]
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(mark))
		}
	}
	if flags&withTimes != 0 {
		for i := range n {
			t := sample
			if i < len(v.Times) {
				t = v.Times[i]
			}
			b = binary.LittleEndian.AppendUint64(b, uint64(t))
		}
	}
	return append(b, v.Texts...)
}
