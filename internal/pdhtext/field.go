package pdhtext

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// noValue is the field of a value that is missing.
const noValue = `" "`

// Decimals outside these bounds are written with an exponent, as %.17g of C
// does; whole numbers within them have no point.
const (
	exponentBelow = 1e-4
	exponentFrom  = 1e17
)

// appendValue appends the quoted value of a reading. Hexadecimal integers are
// written in decimal, so that every number of a log reads back the same way.
func appendValue(dst []byte, r *winperf.Reading, dialect Dialect) []byte {
	if r.Status != counter.OK {
		return append(dst, noValue...)
	}
	if text, ok := r.Value.AsText(); ok {
		return appendField(dst, text)
	}

	if n, ok := r.Value.Uint64(); ok {
		dst = append(dst, '"')
		dst = strconv.AppendUint(dst, n, 10)
		if dialect != Log {
			dst = append(dst, ".000000"...)
		}
		return append(dst, '"')
	}

	f, ok := r.Value.Float64()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, noValue...)
	}

	dst = append(dst, '"')
	dst = appendFloat(dst, f, dialect)
	return append(dst, '"')
}

// appendFloat appends six decimals for a console and the shortest digits that
// read back to the same number for logs.
func appendFloat(dst []byte, f float64, dialect Dialect) []byte {
	if dialect != Log {
		return strconv.AppendFloat(dst, f, 'f', 6, 64)
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && size < exponentBelow || size >= exponentFrom {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// appendField appends a quoted field.
func appendField[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	dst = appendText(dst, s)
	return append(dst, '"')
}

// appendText appends what stands between the quotes: quotes doubled, control
// characters as blanks, invalid UTF-8 as U+FFFD.
func appendText[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); {
		r, size := safetext.Rune(s, i)
		i += size

		switch {
		case r == '"':
			dst = append(dst, `""`...)
		case unicode.IsControl(r):
			dst = append(dst, ' ')
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
