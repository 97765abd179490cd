package pdhtext

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

const noValue = `" "`

// Decimals outside these limits are written with an exponent, as %.17g of C does; whole
// numbers within them have no point.
const (
	exponentBelow = 1e-4
	exponentFrom  = 1e17
)

// appendNumber appends a quoted number, or a blank field if kind is no number. Hexadecimal
// integers are written in decimal, because all numbers are read as decimal.
func appendNumber(dst []byte, kind counter.Kind, bits uint64, dialect Dialect) []byte {
	switch kind {
	case counter.KindInt, counter.KindHex, counter.KindHex32:
		dst = strconv.AppendUint(append(dst, '"'), bits, 10)
		if dialect != Log {
			dst = append(dst, ".000000"...)
		}
		return append(dst, '"')
	case counter.KindFloat:
		if f := math.Float64frombits(bits); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return append(appendFloat(append(dst, '"'), f, dialect), '"')
		}
	}
	return append(dst, noValue...)
}

// appendFloat appends six decimals for a console, and the shortest exact digits for logs.
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

func appendField[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	dst = appendText(dst, s)
	return append(dst, '"')
}

// appendText appends text for a quoted field: quotes doubled, control characters as blanks,
// invalid UTF-8 as U+FFFD.
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
