package valueblock

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Decode decodes a block of n values into v. It checks all lengths, kinds and statuses; readers of
// v need no checks. Bits, Kinds, Status and Texts alias b if the processor can read them in place;
// Marks and Ages reuse the memory of v. An error is a *winperf.DataError that wraps
// winperf.ErrBadData, and leaves v empty.
func Decode(b []byte, n int, v *Values) error {
	v.Forget()
	d := decoder{all: b, rest: b}
	d.decode(n, v)
	if d.err != nil {
		v.Forget()
	}
	return d.err
}

// Forget empties v and drops its references to a decoded block.
func (v *Values) Forget() { *v = Values{Marks: v.Marks[:0], Ages: v.Ages[:0]} }

// decoder is a cursor over a block, and the first error.
type decoder struct {
	all, rest []byte
	err       error
}

// fail sets the first error, at the current offset minus back bytes.
func (d *decoder) fail(back int, format string, args ...any) {
	if d.err == nil {
		d.err = &winperf.DataError{
			Offset: int64(len(d.all) - len(d.rest) - back), Msg: "values: " + fmt.Sprintf(format, args...),
		}
	}
}

// take returns the next n parts of size bytes, or nil after an error.
func (d *decoder) take(n, size int, what string) []byte {
	if d.err == nil && len(d.rest)/size < n {
		d.fail(0, "%d bytes left, want %d %s of %d bytes", len(d.rest), n, what, size)
	}
	if d.err != nil {
		return nil
	}
	taken := d.rest[:n*size]
	d.rest = d.rest[n*size:]
	return taken
}

// decode reads a block of n values.
func (d *decoder) decode(n int, v *Values) {
	head := d.take(1, headSize, "head")
	if d.err != nil {
		return
	}
	if got := binary.LittleEndian.Uint32(head); uint64(got) != uint64(n) {
		d.fail(headSize, "%d values, want one for each of %d series", got, n)
	}
	flags, nanos := head[4], head[5]
	if flags&^(withMarks|withAges) != 0 || nanos > most || head[6]|head[7] != 0 || n == 0 && flags != 0 {
		d.fail(4, "flags %x of %d values", head[4:8], n)
	}

	words, kinds, statuses := d.take(n, 8, "words"), d.take(n, 1, "kinds"), d.take(n, 1, "statuses")
	var marks, ages []byte
	if flags&withMarks != 0 {
		marks = d.take(n, 2, "anomalies")
	}
	if flags&withAges != 0 {
		ages = d.take(n, 8, "ages")
	}
	if d.err != nil {
		return
	}

	v.Texts, v.Nanos = d.rest, nanos
	v.Bits, v.Kinds, v.Status = wordsOf(words), bytesOf[counter.Kind](kinds), bytesOf[counter.Status](statuses)
	d.values(v)
	d.marks(v, marks)
	d.ages(v, ages)
}

// wordsOf returns little-endian words, in place if byte order and alignment of the processor
// permit.
func wordsOf(b []byte) []uint64 {
	at := unsafe.SliceData(b)
	littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if littleEndian && uintptr(unsafe.Pointer(at))%unsafe.Alignof(uint64(0)) == 0 {
		return unsafe.Slice((*uint64)(unsafe.Pointer(at)), len(b)/8)
	}

	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

// bytesOf returns values of one byte each, in place.
func bytesOf[T ~uint8](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// values checks the words with their kinds and statuses, and that the words cover all texts without
// gaps.
func (d *decoder) values(v *Values) {
	texts := 0
	for i, kind := range v.Kinds {
		status := v.Status[i]
		if status == counter.OK && (kind == counter.KindInt || kind == counter.KindFloat) {
			continue
		}

		switch word := v.Bits[i]; {
		case status > counter.TooClose || kind > counter.KindText,
			(kind == counter.KindNone) != (status != counter.OK):
			d.fail(0, "value %d has kind %d and status %d", i, kind, status)
		case kind == counter.KindNone && word != 0, kind == counter.KindHex32 && word > math.MaxUint32:
			d.fail(0, "value %d of kind %d has the word %#x", i, kind, word)
		case kind == counter.KindText:
			if length := int64(uint32(word)); word>>32 != uint64(texts) || length > int64(len(v.Texts)-texts) {
				d.fail(0, "value %d is %d bytes of text from byte %d on, want byte %d and at most %d",
					i, length, word>>32, texts, len(v.Texts)-texts)
				return
			}
			texts += int(uint32(word))
		}
	}
	if texts != len(v.Texts) {
		d.fail(0, "%d bytes of text, want %d", len(v.Texts), texts)
	}
}

// marks decodes the anomalies. At least one must be set.
func (d *decoder) marks(v *Values, marks []byte) {
	if marks == nil {
		return
	}
	for ; len(marks) > 0; marks = marks[2:] {
		v.Marks = append(v.Marks, winperf.AnomalySet(binary.LittleEndian.Uint16(marks)))
	}
	if !slices.ContainsFunc(v.Marks, func(a winperf.AnomalySet) bool { return a != 0 }) {
		d.fail(0, "the flag for anomalies is set, but all are empty")
	}
}

// ages decodes the ages. At least one must not be zero.
func (d *decoder) ages(v *Values, ages []byte) {
	if ages == nil {
		return
	}
	for ; len(ages) > 0; ages = ages[8:] {
		v.Ages = append(v.Ages, time.Duration(binary.LittleEndian.Uint64(ages)))
	}
	if !slices.ContainsFunc(v.Ages, func(age time.Duration) bool { return age != 0 }) {
		d.fail(0, "the flag for ages is set, but all are zero")
	}
}
