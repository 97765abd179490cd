package pdhtext

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
)

// valueKind is the content of a field.
type valueKind uint8

const (
	isNumber    valueKind = iota
	isBlank               // no value
	isNoNumber            // C's text for infinity and not a number
	isTooLarge            // more than a float64 holds
	isUncertain           // one of two numbers
	isText                // anything else
)

// maxExact is 2^53: integers up to it are exact in float64, as are powers of ten up to
// 10^22.
const maxExact = 1 << 53

var exactPowers = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseValue reads a field. A number without sign, point and exponent that fits 64 bits is
// an integer, others the nearest float64. It returns the kind and the bits of the value
// (see counter.FromBits).
func parseValue(b []byte) (counter.Kind, uint64, valueKind) {
	if string(b) == " " { // Windows' missing value
		return counter.KindNone, 0, isBlank
	}

	const maxDigits = 19 // digits that fit 64 bits
	mantissa, digits, point := uint64(0), 0, -1
	for i, c := range b {
		switch {
		case '0' <= c && c <= '9':
			if digits < maxDigits {
				mantissa = mantissa*10 + uint64(c-'0')
			}
			digits++
		case c == '.' && point < 0:
			point = i
		default:
			return parseOdd(b)
		}
	}

	decimals := len(b) - point - 1
	switch {
	case digits == 0 || point < 0 && digits > maxDigits:
		return parseOdd(b)
	case point < 0:
		return counter.KindInt, mantissa, isNumber
	case digits <= maxDigits && mantissa <= maxExact && decimals < len(exactPowers):
		return decimal(float64(mantissa) / exactPowers[decimals]) // both exact: rounded once
	}

	if f, err := strconv.ParseFloat(string(b), 64); err == nil {
		return decimal(f)
	}
	return parseOdd(b)
}

// decimal returns a decimal as parseValue does.
func decimal(f float64) (counter.Kind, uint64, valueKind) {
	return counter.KindFloat, math.Float64bits(f), isNumber
}

// parseOdd reads the other fields: signs, exponents, integers of more than 19 digits,
// surrounding blanks, and text.
func parseOdd(b []byte) (counter.Kind, uint64, valueKind) {
	b = trimBlanks(b)
	if len(b) == 0 {
		return counter.KindNone, 0, isBlank
	}

	if len(bytes.Trim(b, "0123456789.-+eE")) > 0 { // ParseFloat accepts other notations, too
		if isNotFinite(b) {
			return counter.KindNone, 0, isNoNumber
		}
		return counter.KindNone, 0, isText
	}

	if len(bytes.Trim(b, "0123456789")) == 0 {
		if n, err := strconv.ParseUint(string(b), 10, 64); err == nil {
			return counter.KindInt, n, isNumber
		}
	}

	f, err := strconv.ParseFloat(string(b), 64)
	switch {
	case math.IsInf(f, 0):
		return counter.KindNone, 0, isTooLarge
	case err != nil:
		return counter.KindNone, 0, isText
	}
	return decimal(f)
}

// notFinite are the texts of C libraries for numbers that are not finite.
const notFinite = " nan nan(ind) inf infinity 1.#qnan 1.#ind 1.#inf 1.#snan "

func isNotFinite(b []byte) bool {
	const longest = 9
	if len(b) > longest || bytes.IndexByte(b, ' ') >= 0 {
		return false
	}
	word := strings.ToLower(strings.TrimPrefix(string(b), "-"))
	return strings.Contains(notFinite, " "+word+" ")
}
