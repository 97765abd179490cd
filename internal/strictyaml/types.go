package strictyaml

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// Pos is a place in a text that was decoded. The zero Pos is none. As a field of a
// structure, without a tag, it is set to where the structure begins.
type Pos struct {
	Source       string // what was read, as Decode was told
	Line, Column int    // from 1; columns are characters
	Partial      bool   // of a structure: something in it could not be read
}

// Errorf is an error about what stands there, in the same form as those of Decode.
// As with fmt.Errorf %w wraps an error.
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

// Value is a value that knows where it stood. Of one that the text does not have
// the Pos is zero.
type Value[T any] struct {
	V T
	Pos
}

func (v *Value[T]) placed(at Pos) any {
	v.Pos = at
	return &v.V
}

// Embedded is a value that stands in the text as it is, or as text that holds it as
// YAML once more. Places in that are places in the file where it is written as a
// block that begins with |, else they are the place of the text.
type Embedded[T any] struct{ V T }

func (e *Embedded[T]) embedded() any { return &e.V }

// Size is a number of bytes. In the text it has a unit: 500K, 100M, 2G, where K is
// 1024 bytes; the number alone is bytes.
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
