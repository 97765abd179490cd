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
	Empty bool // the counter has no text, not even an empty one
}

// ParseString reads an answer that is one text.
func ParseString(b []byte) (string, error) {
	if terminated(b) < 0 {
		return "", fault(checkString, 0, int64(len(b)), 0)
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

// ParseStrings takes a table of texts apart: a PERF_STRING_BUFFER_HEADER, its
// PERF_STRING_COUNTER_HEADER structures and the texts. Microsoft Learn counts
// their offsets from the start of the table, [MS-PCQ] from the end of the
// structures: where any offset points into the structures, it is the latter.
//
// The errors are of type [*winperf.DataError]; a text that cannot be read costs itself, and
// only the header costs all.
func ParseStrings(b []byte) ([]CounterString, []error) {
	if len(b) < stringsSize {
		return nil, []error{fault(checkStrings, 0, int64(len(b)), stringsSize)}
	}
	size, n := u32(b, 0), u32(b, 4)
	if size < stringsSize || int64(size) > int64(len(b)) {
		return nil, []error{fault(checkStringsSize, 0, int64(size), int64(len(b)))}
	}

	b = b[:size]
	if room := (size - stringsSize) / stringHeaderSize; n > room {
		return nil, []error{fault(checkStringCount, 4, int64(n), int64(room))}
	}

	var errs []error
	all := make([]CounterString, 0, n)
	texts := stringsSize + stringHeaderSize*n
	origin := stringOrigin(b, texts)
	total := 0 // bytes of text; entries may share one, but not so as to multiply the input
	for at := uint32(stringsSize); at < texts; at += stringHeaderSize {
		s := CounterString{ID: u32(b, int(at))}
		off := u32(b, int(at)+4)
		if off == noString {
			s.Empty = true
			all = append(all, s)
			continue
		}

		pos := uint64(origin) + uint64(off)
		if pos >= uint64(len(b)) {
			errs = append(errs, fault(checkStringOffset, at+4, int64(off), int64(size-origin)))
			continue
		}

		length := terminated(b[pos:])
		if length < 0 {
			errs = append(errs, fault(checkString, uint32(pos), int64(len(b))-int64(pos), 0))
			continue
		}

		if total += length; total > maxShared*len(b) {
			errs = append(errs, fault(checkStringTotal, at+4, int64(total), int64(maxShared*len(b))))
			break
		}
		s.Text = wire.Text(b[pos:][:length], wire.UTF16LE)
		all = append(all, s)
	}
	return all, errs
}

// maxShared bounds how many bytes of text a table may stand for, as a multiple
// of its own size: entries may point to the same text.
const maxShared = 4

// stringOrigin tells from where the offsets of a table of texts count.
func stringOrigin(b []byte, texts uint32) uint32 {
	for at := uint32(stringsSize); at < texts; at += stringHeaderSize {
		if u32(b, int(at)+4) < texts {
			return texts
		}
	}
	return 0
}

// AppendStrings appends a table of texts with offsets as Microsoft Learn counts
// them. The error wraps ErrEncode.
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
