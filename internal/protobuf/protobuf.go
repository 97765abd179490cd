// Package protobuf encodes messages of protocol buffers
// (https://protobuf.dev/programming-guides/encoding) field by field, without descriptions of the
// messages and without reflection.
package protobuf

import (
	"encoding/binary"
	"math"
)

// Wire types.
const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
	fixed32 = 5
)

// Uint appends a varint field. Pass a negative int32, int64 or enum as uint64(int64(n)).
func Uint(b []byte, field uint32, v uint64) []byte {
	return binary.AppendUvarint(tag(b, field, varint), v)
}

// Fixed64 appends a field of 8 bytes: fixed64 or sfixed64.
func Fixed64(b []byte, field uint32, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(tag(b, field, fixed64), v)
}

// Double appends a double field.
func Double(b []byte, field uint32, v float64) []byte {
	return Fixed64(b, field, math.Float64bits(v))
}

// String appends a string field, even if it is empty.
func String(b []byte, field uint32, s string) []byte {
	b = binary.AppendUvarint(tag(b, field, bytes), uint64(len(s)))
	return append(b, s...)
}

// Bytes appends a field with a message or bytes.
func Bytes(b []byte, field uint32, content []byte) []byte {
	b = Head(b, field, len(content))
	return append(b, content...)
}

// Head appends the tag and length that precede a message.
func Head(b []byte, field uint32, length int) []byte {
	return binary.AppendUvarint(tag(b, field, bytes), uint64(length))
}

// Begin starts a message of unknown length. Bytes appended before the call of End with the same
// place belong to it. Messages may be nested.
func Begin(b []byte, field uint32) (grown []byte, place int) {
	b = tag(b, field, bytes)
	return b, len(b)
}

// End ends the message that began at place. It moves the message by the bytes of its length.
func End(b []byte, place int) []byte {
	var length [binary.MaxVarintLen64]byte
	size := len(b) - place
	n := binary.PutUvarint(length[:], uint64(size))

	b = append(b, length[:n]...)
	copy(b[place+n:], b[place:place+size])
	copy(b[place:], length[:n])
	return b
}

// Len returns the size of a varint in bytes.
func Len(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

func tag(b []byte, field uint32, wire uint64) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|wire)
}
