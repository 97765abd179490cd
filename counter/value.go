package counter

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Kind tells what a [Value] holds.
type Kind uint8

// The kinds of a Value. The zero Value holds nothing.
const (
	KindNone  Kind = iota // no value
	KindInt               // an unsigned 64-bit integer, shown in decimal
	KindHex               // an unsigned 64-bit integer, shown as 16 hexadecimal digits
	KindHex32             // an unsigned 32-bit integer, shown as 8 hexadecimal digits
	KindFloat             // a decimal (float64)
	KindText              // text
)

// Value is the displayable value of a counter. It keeps all 64 bits of an
// integer, a decimal, or text; the zero Value holds nothing.
type Value struct {
	text string
	bits uint64
	kind Kind
}

// Int returns a Value that holds the integer n.
func Int(n uint64) Value { return Value{bits: n, kind: KindInt} }

// Float returns a Value that holds the decimal f.
func Float(f float64) Value { return Value{bits: math.Float64bits(f), kind: KindFloat} }

// Text returns a Value that holds the text s.
func Text(s string) Value { return Value{text: s, kind: KindText} }

// FromBits returns the Value of the given kind whose 64 bits are bits: the
// integer itself, or the IEEE 754 form of a decimal. It is how an element of a
// [Batch] becomes a Value.
func FromBits(k Kind, bits uint64) Value { return Value{bits: bits, kind: k} }

// Kind tells what the Value holds.
func (v Value) Kind() Kind { return v.kind }

// isInteger reports whether the Value holds an integer.
func (v Value) isInteger() bool {
	return v.kind == KindInt || v.kind == KindHex || v.kind == KindHex32
}

// Uint64 returns the integer that the Value holds; ok is false for every other kind.
func (v Value) Uint64() (n uint64, ok bool) { return v.bits, v.isInteger() }

// Float64 returns the Value as a decimal: a decimal as it is, an integer
// rounded to the nearest float64. ok is false when it holds no number.
func (v Value) Float64() (f float64, ok bool) {
	switch {
	case v.kind == KindFloat:
		return math.Float64frombits(v.bits), true
	case v.isInteger():
		return float64(v.bits), true
	}
	return 0, false
}

// AsText returns the text that the Value holds; ok is false for every other kind.
func (v Value) AsText() (s string, ok bool) { return v.text, v.kind == KindText }

// Append appends the Value to dst: integers with all digits (or in hexadecimal
// with 0x), decimals in the shortest form that reads back to the same number,
// text as it is, and nothing for no value.
func (v Value) Append(dst []byte) []byte {
	switch v.kind {
	case KindInt:
		return strconv.AppendUint(dst, v.bits, 10)
	case KindHex:
		return fmt.Appendf(dst, "0x%016X", v.bits)
	case KindHex32:
		return fmt.Appendf(dst, "0x%08X", v.bits)
	case KindFloat:
		return strconv.AppendFloat(dst, math.Float64frombits(v.bits), 'g', -1, 64)
	case KindText:
		return append(dst, v.text...)
	}
	return dst
}

// String returns what Append appends.
func (v Value) String() string { return string(v.Append(nil)) }

// MarshalJSON writes numbers as JSON numbers with all their digits, text as a
// JSON string, and no value as null. A decimal that JSON cannot hold
// (infinite or not a number) is null too.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.isInteger():
		return strconv.AppendUint(nil, v.bits, 10), nil
	case v.kind == KindFloat:
		f := math.Float64frombits(v.bits)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return []byte("null"), nil
		}
		return json.Marshal(f)
	case v.kind == KindText:
		return json.Marshal(v.text)
	}
	return []byte("null"), nil
}
