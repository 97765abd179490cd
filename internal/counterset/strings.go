package counterset

import (
	"fmt"
	"math"

	"github.com/winperf/winperf/internal/wire"
)

// noString is the offset of a counter without a text.
const noString = 0xFFFFFFFF

// CounterString is the name or help text of one counter.
type CounterString struct {
	ID    uint32
	Text  string
	Empty bool // no text, not even an empty one
}

// ParseString reads an answer that is one text.
func ParseString(b []byte) (string, error) {
	if terminated(b) < 0 {
		return "", checkString.Fault(0, int64(len(b)), 0)
	}
	return wire.Text(b, wire.UTF16LE), nil
}

// AppendString appends a text with its NUL. The error wraps ErrEncode: the text
// has a NUL inside.
func AppendString(dst []byte, s string) ([]byte, error) {
	b, err := wire.EncodeText(s, wire.UTF16LE)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrEncode, err)
	}
	return append(dst, b...), nil
}

// ParseStrings decodes a table of texts: a PERF_STRING_BUFFER_HEADER, its
// PERF_STRING_COUNTER_HEADER structures and the texts. Offsets are from the start of the
// table (Microsoft Learn) or from the end of the structures ([MS-PCQ]): the latter if any
// offset is inside the structures.
//
// The errors are of type [*winperf.DataError]. An unreadable text affects only itself; an
// unreadable header affects all.
func ParseStrings(b []byte) ([]CounterString, []error) {
	if len(b) < stringsSize {
		return nil, []error{checkStrings.Fault(0, int64(len(b)), stringsSize)}
	}
	size, n := u32(b, 0), u32(b, 4)
	if size < stringsSize || int64(size) > int64(len(b)) {
		return nil, []error{checkStringsSize.Fault(0, int64(size), int64(len(b)))}
	}

	b = b[:size]
	if space := (size - stringsSize) / stringHeaderSize; n > space {
		return nil, []error{checkStringCount.Fault(4, int64(n), int64(space))}
	}

	var errs []error
	all := make([]CounterString, 0, n)
	t := stringTable{b: b, texts: stringsSize + stringHeaderSize*n}
	t.origin = stringOrigin(b, t.texts)
	for at := uint32(stringsSize); at < t.texts; at += stringHeaderSize {
		s, err := t.entry(at)
		if err == nil {
			all = append(all, s)
			continue
		}
		errs = append(errs, err)
		if t.total > maxShared*len(b) {
			break
		}
	}
	return all, errs
}

// stringTable is a table of texts being decoded.
type stringTable struct {
	b             []byte
	texts, origin uint32 // begin of the texts, and origin of their offsets
	total         int    // bytes of text; limited, because entries may share texts
}

// entry reads the entry at a place.
func (t *stringTable) entry(at uint32) (CounterString, error) {
	s := CounterString{ID: u32(t.b, int(at))}
	off := u32(t.b, int(at)+4)
	if off == noString {
		s.Empty = true
		return s, nil
	}

	size := len(t.b)
	pos := uint64(t.origin) + uint64(off)
	if pos >= uint64(size) {
		return s, checkStringOffset.Fault(at+4, int64(off), int64(size)-int64(t.origin))
	}

	length := terminated(t.b[pos:])
	if length < 0 {
		return s, checkString.Fault(uint32(pos), int64(size)-int64(pos), 0)
	}
	if t.total += length; t.total > maxShared*size {
		return s, checkStringTotal.Fault(at+4, int64(t.total), int64(maxShared*size))
	}
	s.Text = wire.Text(t.b[pos:][:length], wire.UTF16LE)
	return s, nil
}

// maxShared limits the bytes of text to a multiple of the table's size, because entries may
// share texts.
const maxShared = 4

// stringOrigin returns the origin of the offsets of a table of texts.
func stringOrigin(b []byte, texts uint32) uint32 {
	for at := uint32(stringsSize); at < texts; at += stringHeaderSize {
		if u32(b, int(at)+4) < texts {
			return texts
		}
	}
	return 0
}

// AppendStrings appends a table of texts with offsets as on Microsoft Learn. The error
// wraps ErrEncode.
func AppendStrings(dst []byte, all []CounterString) ([]byte, error) {
	start := len(dst)
	dst = le.AppendUint32(dst, 0)
	dst = le.AppendUint32(dst, uint32(len(all)))
	for _, s := range all {
		dst = le.AppendUint32(dst, s.ID)
		dst = le.AppendUint32(dst, noString)
	}

	for k, s := range all {
		if s.Empty {
			continue
		}
		le.PutUint32(dst[start+stringsSize+k*stringHeaderSize+4:], uint32(len(dst)-start))
		var err error
		if dst, err = AppendString(dst, s.Text); err != nil {
			return dst[:start], fmt.Errorf("counter %d: %w", s.ID, err)
		}
	}

	dst = pad(dst, start)
	if size := len(dst) - start; int64(size) > math.MaxInt32 {
		return dst[:start], fmt.Errorf("%w: %d bytes of text", ErrEncode, size)
	}
	le.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst, nil
}
