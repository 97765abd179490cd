package counter

import (
	"errors"
	"fmt"
	"math"
)

// ErrConversion means that a value does not fit the requested type without loss.
var ErrConversion = errors.New("lossy conversion")

// ValueType is the type of all readings of a counter. It depends only on the counter's definition.
type ValueType uint8

// The value types. Their numbers do not change; new types are added at the end.
const (
	NoValue   ValueType = iota // no readings: a base, NoData, an unknown type
	Integer32                  // an unsigned 32-bit integer
	Integer64                  // an unsigned 64-bit integer
	Decimal                    // a float64
	TextValue                  // text
)

var valueTypeWords = [...]string{"none", "32-bit", "64-bit", "decimal", "text"}

// String returns the word: "32-bit", "64-bit", "decimal", "text" or "none".
func (t ValueType) String() string {
	if int(t) < len(valueTypeWords) {
		return valueTypeWords[t]
	}
	return fmt.Sprintf("value type %d", uint8(t))
}

// ValueTypeOf returns the value type of a counter of type t whose raw values have size bytes. It is
// NoValue for a base.
func ValueTypeOf(t Type, size int) ValueType {
	info, _ := t.Info()
	switch kind := info.Kind; {
	case t.IsBase():
		return NoValue
	case t.IsText():
		return TextValue
	case kind == KindFloat:
		return Decimal
	case kind == KindInt || kind == KindHex || kind == KindHex32:
		if size == 4 {
			return Integer32
		}
		return Integer64
	}
	return NoValue
}

// Uint32 returns a value of a counter with value type t as a 32-bit integer. It succeeds for all
// values of Integer32 and for no other type, even if the number is small. Otherwise the error wraps
// ErrConversion.
func (t ValueType) Uint32(v Value) (uint32, error) {
	n, ok := v.Uint64()
	if t != Integer32 || !ok || n > math.MaxUint32 {
		return 0, t.lossy(v, "a 32-bit integer")
	}
	return uint32(n), nil
}

// Uint64 returns a value of a counter with value type t as a 64-bit integer. It succeeds for
// Integer32 and Integer64. Otherwise the error wraps ErrConversion.
func (t ValueType) Uint64(v Value) (uint64, error) {
	n, ok := v.Uint64()
	if t != Integer32 && t != Integer64 || !ok {
		return 0, t.lossy(v, "a 64-bit integer")
	}
	return n, nil
}

// Float64 returns a value of a counter with value type t as a float64. Text, and 64-bit integers
// that a float64 cannot represent exactly, give an error that wraps ErrConversion.
func (t ValueType) Float64(v Value) (float64, error) {
	f, ok := v.Float64()
	number := t == Integer32 || t == Integer64 || t == Decimal
	if !ok || !number {
		return 0, t.lossy(v, "a decimal")
	}
	if n, whole := v.Uint64(); whole && (f >= 1<<64 || uint64(f) != n) {
		return 0, t.lossy(v, "a decimal")
	}
	return f, nil
}

func (t ValueType) lossy(v Value, as string) error {
	if v.Kind() == KindNone {
		return fmt.Errorf("%w: no value to return as %s", ErrConversion, as)
	}
	return fmt.Errorf("%w: %v of value type %v as %s", ErrConversion, v, t, as)
}
