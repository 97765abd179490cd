package counter

import (
	"errors"
	"fmt"
	"math"
)

// ErrConversion says that a value does not fit the wanted type without loss.
var ErrConversion = errors.New("lossy conversion")

// ValueType is what the readings of a counter are. It follows from the counter's
// definition and does not change while the definition stays the same.
type ValueType uint8

// The value types. Their numbers do not change; new ones come last.
const (
	NoValue   ValueType = iota // the sensor has no readings: a heading, a type that is not known
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

// ValueTypeOf returns the value type of the readings of a counter of type t, whose raw
// values have size bytes: 4, or 8 for what is wider. A base has no readings.
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

// Uint32 returns a value of a sensor of type t as a 32-bit integer. Only those
// of Integer32 are, whatever the value: what works once always works. Any
// other gives an error that wraps ErrConversion.
func (t ValueType) Uint32(v Value) (uint32, error) {
	n, ok := v.Uint64()
	if t != Integer32 || !ok || n > math.MaxUint32 {
		return 0, t.lossy(v, "a 32-bit integer")
	}
	return uint32(n), nil
}

// Uint64 returns a value of a sensor of type t as a 64-bit integer, which those
// of Integer32 and Integer64 are. Any other gives an error that wraps
// ErrConversion.
func (t ValueType) Uint64(v Value) (uint64, error) {
	n, ok := v.Uint64()
	if t != Integer32 && t != Integer64 || !ok {
		return 0, t.lossy(v, "a 64-bit integer")
	}
	return n, nil
}

// Float64 returns a value of a sensor of type t as a decimal, which every number
// is but those 64-bit integers that a float64 cannot hold exactly. These, and
// text, give an error that wraps ErrConversion.
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
		return fmt.Errorf("%w: there is no value to return as %s", ErrConversion, as)
	}
	return fmt.Errorf("%w: %v of value type %v as %s", ErrConversion, v, t, as)
}
