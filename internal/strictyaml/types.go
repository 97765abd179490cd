package strictyaml

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// Pos is a place in a decoded text. The zero Pos is none. A field of this type without a
// tag is set to the beginning of its structure.
type Pos struct {
	Source       string // the name passed to Decode
	Line, Column int    // from 1; columns are characters
	Partial      bool   // the structure was not completely decoded
}

// Errorf returns an error about this place, in the form of Decode's errors. As with
// fmt.Errorf %w wraps an error.
func (p Pos) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	var kind error
	if errors.Unwrap(err) != nil {
		kind = err
	}
	return p.wrap(kind, err.Error())
}

func (p Pos) wrap(kind error, msg string) *winperf.DataError {
	return &winperf.DataError{
		Err: kind, Msg: msg, Source: p.Source, Offset: -1, Line: p.Line, Column: p.Column,
	}
}

// Value is a value with its place. If it is missing in the text the Pos is zero.
type Value[T any] struct {
	V T
	Pos
}

func (v *Value[T]) placed(at Pos) any {
	v.Pos = at
	return &v.V
}

// Embedded is a value written directly or as text that contains YAML. Places inside the
// text are places in the file if it is a block that begins with |, otherwise the place of
// the text.
type Embedded[T any] struct{ V T }

func (e *Embedded[T]) embedded() any { return &e.V }

// Any accepts any value and ignores it. [PlacesOf] has its text.
type Any struct{}

// Into is decoded into the value that To points to. Without To any value is accepted and ignored.
type Into struct{ To any }

func (i *Into) placed(Pos) any {
	if i.To == nil {
		return &Any{}
	}
	return i.To
}

// Short is a value with several keys that may be written as one word.
type Short[T any] struct {
	Word string
	V    T
}

func (s *Short[T]) short() (word *string, value any) { return &s.Word, &s.V }

// Size is a number of bytes. In the text it may have a unit: 500K, 100M, 2G, where K is
// 1024 bytes.
type Size int64

// UnmarshalText reads the size.
func (s *Size) UnmarshalText(text []byte) error {
	digits := strings.TrimRight(string(text), "bBiIkKmMgGtT ")
	power := 0.0
	switch strings.ToUpper(strings.TrimSpace(string(text[len(digits):]))) {
	case "", "B":
	case "K", "KB", "KIB":
		power = 1
	case "M", "MB", "MIB":
		power = 2
	case "G", "GB", "GIB":
		power = 3
	case "T", "TB", "TIB":
		power = 4
	default:
		return errSize
	}

	n, err := strconv.ParseFloat(digits, 64)
	n *= math.Pow(1024, power)
	if err != nil || !(n >= 0 && n <= 1<<60) {
		return errSize
	}
	*s = Size(n)
	return nil
}

var errSize = errors.New("expected a size such as 500K, 100M or 2G")
