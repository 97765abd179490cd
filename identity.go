package winperf

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
)

// GUID names a counter set or provider of Perflib version 2, in the byte order
// of the Windows structure (the first three fields little-endian).
type GUID [16]byte

// IsZero reports whether the GUID is all zero, which stands for none.
func (g GUID) IsZero() bool { return g == GUID{} }

// guidOrder are the bytes of a GUID in the order in which its text gives them:
// the structure's fields (guiddef.h) are numbers of 4, 2 and 2 bytes and eight
// single bytes, and text gives numbers high byte first.
var guidOrder = [16]int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}

// guidHyphen reports whether a hyphen stands before the n-th byte of the text.
func guidHyphen(n int) bool { return n == 4 || n == 6 || n == 8 || n == 10 }

// ParseGUID reads the registry form, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, in
// either case and with or without the braces. The error wraps ErrBadData.
func ParseGUID(s string) (GUID, error) {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	pos, end := 0, len(s)
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		pos, end = 1, end-1
	}

	if end-pos != len(form) {
		return GUID{}, fmt.Errorf("%w: GUID \"%s\" of %d bytes, expected {%s}",
			ErrBadData, printable(s), len(s), form)
	}
	var g GUID
	for n, i := range guidOrder {
		if guidHyphen(n) {
			if s[pos] != '-' {
				return GUID{}, fmt.Errorf("%w: GUID \"%s\", byte offset %d: expected a hyphen",
					ErrBadData, printable(s), pos)
			}
			pos++
		}

		v, err := strconv.ParseUint(s[pos:pos+2], 16, 8)
		if err != nil {
			return GUID{}, fmt.Errorf("%w: GUID \"%s\", byte offset %d: expected two hexadecimal digits",
				ErrBadData, printable(s), pos)
		}
		g[i] = byte(v)
		pos += 2
	}
	return g, nil
}

// String returns the registry form in lower case, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}.
func (g GUID) String() string {
	var buf [38]byte
	return string(g.append(buf[:0]))
}

func (g GUID) append(b []byte) []byte {
	b = append(b, '{')
	for n, i := range guidOrder {
		if guidHyphen(n) {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, g[i:i+1])
	}
	return append(b, '}')
}

// MarshalText returns the text of String. The error is always nil.
func (g GUID) MarshalText() ([]byte, error) { return g.append(nil), nil }

// UnmarshalText sets g to what ParseGUID reads. After an error g is unchanged.
func (g *GUID) UnmarshalText(text []byte) error {
	v, err := ParseGUID(string(text))
	if err != nil {
		return err
	}
	*g = v
	return nil
}

// ObjectID is the identity of an object within one source: its title index
// (version 1), its GUID (version 2), or both.
type ObjectID struct {
	Index uint32 // title index, 0 = none
	GUID  GUID   // counter set, zero = none
}

// Is reports whether two identities are of one object: by GUID where both have
// one, else by title index.
func (id ObjectID) Is(other ObjectID) bool {
	if !id.GUID.IsZero() && !other.GUID.IsZero() {
		return id.GUID == other.GUID
	}
	return id.Index == other.Index && id.Index != 0
}

// CounterID is the identity of a counter within its object: its title index
// (version 1) or its id (version 2).
type CounterID struct {
	Index uint32 // title index, 0 = none
	ID    uint32 // version 2 counter id
}

// Series is one counter of one instance: what stays the same from one reading
// of it to the next. As long as an instance lives, its readings carry the same
// ID. A Series may be kept and compared by its pointer, too, except where it
// is documented to be valid for a while only.
type Series struct {
	ID        SeriesID // the same for all readings of the series in this program
	Path      Path     // with machine; the instance spelled as the source spells it
	ObjectID  ObjectID
	CounterID CounterID
	Type      counter.Type
	Unit      counter.Unit
	Scale     int32 // DefaultScale: the power of ten for graphs; never part of the value
	// Key tells the instance from all others there ever were, where the object
	// holds what that takes: 1234@133485408000000000 is the process with the id
	// 1234 that began at this FILETIME, and 1234/5678@... one of its threads.
	// Elsewhere it is "", and the path is all there is.
	Key string
	// Parent is the name of the parent instance, with which Path.Instance begins; "" for
	// an instance without one and where it is not known.
	Parent string
	text   string
}

// SeriesID tells one series from all others of this program. What it holds means
// nothing by itself.
type SeriesID struct {
	Counter  *Series // what the series of one counter have in common
	Instance uint32  // tells them apart; the same for all counters of an instance
}

// NewSeries returns the Series of a path, which has an ID of its own.
func NewSeries(p Path) *Series {
	s := &Series{Path: p, text: p.String()}
	s.ID.Counter = s
	return s
}

// Clone returns a copy, of the same ID, that stays valid.
func (s *Series) Clone() *Series {
	c := *s
	c.text = s.String()
	return &c
}

// String returns the path's text. Of a series that stays valid it is made once.
func (s *Series) String() string {
	if s.text == "" {
		return s.Path.String()
	}
	return s.text
}
