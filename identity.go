package winperf

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
)

// GUID identifies a counter set or provider of Perflib version 2. Its bytes are in the order of the
// Windows structure (the first three fields little-endian).
type GUID [16]byte

// IsZero reports whether all bytes are zero, which means no GUID.
func (g GUID) IsZero() bool { return g == GUID{} }

// guidOrder lists the bytes of a GUID in the order of its text. The structure's fields (guiddef.h)
// are numbers of 4, 2 and 2 bytes and eight single bytes; text has the high byte of a number first.
var guidOrder = [16]int{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}

// guidHyphen reports whether the text has a hyphen before its n-th byte.
func guidHyphen(n int) bool { return n == 4 || n == 6 || n == 8 || n == 10 }

// ParseGUID parses the registry form, {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, in upper or lower
// case, with or without braces. The error wraps ErrBadData.
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

// UnmarshalText sets g to the result of ParseGUID. After an error g is unchanged.
func (g *GUID) UnmarshalText(text []byte) error {
	v, err := ParseGUID(string(text))
	if err != nil {
		return err
	}
	*g = v
	return nil
}

// ObjectID identifies an object within one source: by its title index (version 1), its GUID
// (version 2), or both.
type ObjectID struct {
	Index uint32 // title index, 0 = none
	GUID  GUID   // counter set, zero = none
}

// Is reports whether two identities name the same object. It compares GUIDs if both have one, else
// title indices.
func (id ObjectID) Is(other ObjectID) bool {
	if !id.GUID.IsZero() && !other.GUID.IsZero() {
		return id.GUID == other.GUID
	}
	return id.Index == other.Index && id.Index != 0
}

// CounterID identifies a counter within its object: by its title index (version 1) or its ID
// (version 2).
type CounterID struct {
	Index uint32 // title index, 0 = none
	ID    uint32 // counter ID of version 2
}

// Series describes one counter of one instance: the properties that its readings have in common.
// Its readings have the same ID as long as the instance exists and keeps its name. A Series may be
// kept, and its pointer compared, unless the function that returns it limits its validity.
type Series struct {
	ID        SeriesID // the same for all readings of the series
	Path      Path     // with machine; the instance spelled as the source spells it
	ObjectID  ObjectID
	CounterID CounterID
	Type      counter.Type
	Unit      counter.Unit
	Scale     int32 // DefaultScale: the power of ten for graphs; never part of the value
	// Key distinguishes the instance from all earlier and later ones, if the object has the data for
	// it: 1234@133485408000000000 is the process with ID 1234 that began at this FILETIME, and
	// 1234/5678@... one of its threads. Otherwise it is "", and only the path identifies the
	// instance.
	Key string
	// Parent is the parent instance's name, the beginning of Path.Instance; "" if there is none or
	// it is unknown.
	Parent string
	text   string
}

// SeriesID identifies a series within this program: its counter and its instance. Only compare it;
// its contents have no meaning.
type SeriesID struct {
	Counter  *Series // shared by all series of one counter
	Instance uint32  // unique per instance of an object; the same for all counters of the instance
}

// NewSeries returns the Series of a path, with a new ID.
func NewSeries(p Path) *Series {
	s := &Series{Path: p, text: p.String()}
	s.ID.Counter = s
	return s
}

// Clone returns a copy with the same ID that stays valid.
func (s *Series) Clone() *Series {
	c := *s
	c.text = s.String()
	return &c
}

// String returns the path's text. A Series that stays valid stores the text, others format it at
// each call.
func (s *Series) String() string {
	if s.text == "" {
		return s.Path.String()
	}
	return s.text
}
