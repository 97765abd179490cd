package protobuf

import (
	"encoding/binary"

	"github.com/winperf/winperf"
)

// Field is one decoded field of a message.
type Field struct {
	Number uint32
	// Uint is an integer, or the bits of a field of 4 or 8 bytes.
	Uint uint64
	// Bytes is the content of a string, bytes or message field; nil for other fields.
	Bytes []byte
}

// Next returns the first field of a message and the bytes after it. An error is a
// *[winperf.DataError] with the offset in b.
func Next(b []byte) (f Field, rest []byte, err error) {
	key, n := binary.Uvarint(b)
	if n <= 0 || key>>3 == 0 || key>>3 >= 1<<29 {
		return f, nil, damaged(0, "found no number of a field")
	}
	f.Number = uint32(key >> 3)
	rest = b[n:]

	switch wire := key & 7; wire {
	case varint:
		if f.Uint, n = binary.Uvarint(rest); n <= 0 {
			return f, nil, damaged(len(b)-len(rest), "an integer does not end")
		}
		return f, rest[n:], nil
	case fixed64:
		if len(rest) < 8 {
			return f, nil, damaged(len(b)-len(rest), "found the end, expected 8 bytes")
		}
		f.Uint = binary.LittleEndian.Uint64(rest)
		return f, rest[8:], nil
	case fixed32:
		if len(rest) < 4 {
			return f, nil, damaged(len(b)-len(rest), "found the end, expected 4 bytes")
		}
		f.Uint = uint64(binary.LittleEndian.Uint32(rest))
		return f, rest[4:], nil
	case bytes:
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return f, nil, damaged(len(b)-len(rest), "a field is longer than its message")
		}
		end := n + int(size)
		f.Bytes = rest[n:end:end]
		return f, rest[end:], nil
	default:
		return f, nil, damaged(0, "a field is of an unknown kind")
	}
}

func damaged(at int, msg string) error {
	return &winperf.DataError{Offset: int64(at), Msg: msg}
}
