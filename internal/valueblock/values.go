package valueblock

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Values are displayable values in parallel slices. The zero Values are empty.
type Values struct {
	// Bits are the values, see counter.FromBits; a text's word is its span in Texts.
	Bits []uint64
	// Kinds are KindNone if the status is not OK.
	Kinds  []counter.Kind
	Status []counter.Status
	// Marks are the anomalies that affect the values; empty for none.
	Marks []winperf.AnomalySet
	// Ages are the times between the values and the sample; empty if all are zero.
	Ages []time.Duration
	// Nanos is the number of nanoseconds of the sample's time below its FILETIME of 100 ns units: 0
	// to 99.
	Nanos uint8
	// Texts are all texts, concatenated.
	Texts []byte
}

// Reset empties v, keeping its memory.
func (v *Values) Reset() {
	v.Bits, v.Kinds, v.Status = v.Bits[:0], v.Kinds[:0], v.Status[:0]
	v.Marks, v.Ages, v.Texts, v.Nanos = v.Marks[:0], v.Ages[:0], v.Texts[:0], 0
}

// Grow reserves memory for n further values.
func (v *Values) Grow(n int) {
	v.Bits, v.Kinds, v.Status = slices.Grow(v.Bits, n), slices.Grow(v.Kinds, n), slices.Grow(v.Status, n)
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.Bits) }

// Add appends a value. If the status is not OK the value is ignored; if the value is empty although
// the status is OK, the status becomes counter.InvalidData.
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

// AddBits appends a value that is not text. Kind and bits must be 0 if the status is not OK.
func (v *Values) AddBits(kind counter.Kind, bits uint64, status counter.Status) {
	// In separate assignments append sets only a length if the capacity suffices, and no pointer,
	// which would cost a write barrier of the garbage collector.
	v.Bits = append(v.Bits, bits)
	v.Kinds = append(v.Kinds, kind)
	v.Status = append(v.Status, status)
}

// Mark adds anomalies to the latest value.
func (v *Values) Mark(a winperf.AnomalySet) {
	if a == 0 {
		return
	}
	v.Marks = padded(v.Marks, v.Len())
	v.Marks[v.Len()-1] |= a
}

// SetAge sets the age of the latest value relative to the sample.
func (v *Values) SetAge(age time.Duration) {
	if age == 0 {
		return
	}
	v.Ages = padded(v.Ages, v.Len())
	v.Ages[v.Len()-1] = age
}

// padded returns s extended to length n.
func padded[T any](s []T, n int) []T { return append(s, make([]T, n-len(s))...) }

// span returns the word of a text.
func span(offset, length int) uint64 { return uint64(offset)<<32 | uint64(length) }

// Text returns the text whose word is bits. The bytes alias Texts.
func (v *Values) Text(bits uint64) []byte { return v.Texts[bits>>32:][:uint32(bits)] }

const (
	headSize = 8
	// The flags.
	withMarks, withAges = 1, 2
	// most is the largest Nanos.
	most = 99
)

// Fill encodes the values of series at a time into raw, reusing the memory of its Bytes.
func (v *Values) Fill(raw *winperf.Raw, at time.Time, series []*winperf.Series) {
	v.Nanos = uint8(at.Nanosecond() % (most + 1))
	raw.Format, raw.Series, raw.Clocks.Time100ns = winperf.FormatValues, series, winperf.ToFiletime(at)
	raw.Bytes = v.Append(raw.Bytes[:0])
}

// Append appends the encoded block to b.
func (v *Values) Append(b []byte) []byte {
	n := v.Len()
	flags := byte(0)
	if len(v.Marks) > 0 {
		flags |= withMarks
	}
	if len(v.Ages) > 0 {
		flags |= withAges
	}
	b = slices.Grow(b, v.size())
	b = append(binary.LittleEndian.AppendUint32(b, uint32(n)), flags, v.Nanos, 0, 0)

	at := len(b)
	b = b[:at+10*n]
	words, kinds, statuses := b[at:][:8*n], b[at+8*n:][:n], b[at+9*n:][:n]
	for i, w := range v.Bits {
		binary.LittleEndian.PutUint64(words[8*i:], w)
	}
	for i, k := range v.Kinds {
		kinds[i] = byte(k)
	}
	for i, s := range v.Status {
		statuses[i] = byte(s)
	}

	if flags&withMarks != 0 {
		for _, mark := range v.Marks {
			b = binary.LittleEndian.AppendUint16(b, uint16(mark))
		}
		b = append(b, make([]byte, 2*(n-len(v.Marks)))...)
	}
	if flags&withAges != 0 {
		for _, age := range v.Ages {
			b = binary.LittleEndian.AppendUint64(b, uint64(age))
		}
		b = append(b, make([]byte, 8*(n-len(v.Ages)))...)
	}
	return append(b, v.Texts...)
}

// size returns the size of the encoded block.
func (v *Values) size() int {
	size := headSize + 10*v.Len() + len(v.Texts)
	if len(v.Marks) > 0 {
		size += 2 * v.Len()
	}
	if len(v.Ages) > 0 {
		size += 8 * v.Len()
	}
	return size
}
