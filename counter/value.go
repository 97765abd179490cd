package counter

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of a Value. The zero Value has no value.
const (
	KindNone  Kind = iota // no value
	KindInt               // an unsigned 64-bit integer, shown in decimal
	KindHex               // an unsigned 64-bit integer, shown as 16 hexadecimal digits
	KindHex32             // an unsigned 32-bit integer, shown as 8 hexadecimal digits
	KindFloat             // a decimal (float64)
	KindText              // text
)

// Value is the displayable value of a counter: an integer with all 64 bits, a decimal, or text. The
// zero Value is empty.
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

// FromBits returns the Value of the given kind with these 64 bits: the integer itself, or the IEEE
// 754 form of a decimal. It converts an element of a [Batch] to a Value.
func FromBits(k Kind, bits uint64) Value { return Value{bits: bits, kind: k} }

// Kind returns the kind of the Value.
func (v Value) Kind() Kind { return v.kind }

// isInteger reports whether the Value is an integer.
func (v Value) isInteger() bool {
	return v.kind == KindInt || v.kind == KindHex || v.kind == KindHex32
}

// Uint64 returns an integer Value; ok is false for other kinds.
func (v Value) Uint64() (n uint64, ok bool) { return v.bits, v.isInteger() }

// Float64 returns a numeric Value as a float64, rounding integers to the nearest one. ok is false
// for other kinds.
func (v Value) Float64() (f float64, ok bool) {
	switch {
	case v.kind == KindFloat:
		return math.Float64frombits(v.bits), true
	case v.isInteger():
		return float64(v.bits), true
	}
	return 0, false
}

// AsText returns the text of a Value; ok is false for other kinds.
func (v Value) AsText() (s string, ok bool) { return v.text, v.kind == KindText }

// Append appends the Value to dst: integers with all digits (or in hexadecimal with 0x), decimals
// in the shortest form that parses to the same number, text unchanged, and nothing for an empty
// Value.
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

// String returns the text that Append appends.
func (v Value) String() string { return string(v.Append(nil)) }

// MarshalJSON encodes integers and decimals as JSON numbers with all digits, text as a JSON string,
// and an empty Value as null. Infinite decimals and NaN become null, too.
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
