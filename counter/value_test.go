package counter

import (
	"encoding/json"
	"math"
	"testing"
)

func TestValue(t *testing.T) {
	const big = math.MaxUint64
	tests := []struct {
		value   Value
		kind    Kind
		integer bool
		number  float64 // NaN = none
		text    string
		json    string
	}{
		{Value{}, KindNone, false, math.NaN(), "", "null"},
		{Int(big), KindInt, true, big, "18446744073709551615", "18446744073709551615"},
		{FromBits(KindInt, 7), KindInt, true, 7, "7", "7"},
		{FromBits(KindHex, 0xBEEF), KindHex, true, 0xBEEF, "0x000000000000BEEF", "48879"},
		{FromBits(KindHex32, 0xBEEF), KindHex32, true, 0xBEEF, "0x0000BEEF", "48879"},
		{Float(0.1), KindFloat, false, 0.1, "0.1", "0.1"},
		{FromBits(KindFloat, math.Float64bits(-2.5)), KindFloat, false, -2.5, "-2.5", "-2.5"},
		{Float(1e300), KindFloat, false, 1e300, "1e+300", "1e+300"},
		{Float(math.Inf(1)), KindFloat, false, math.Inf(1), "+Inf", "null"},
		{Text(`a "b"`), KindText, false, math.NaN(), `a "b"`, `"a \"b\""`},
		{Text(""), KindText, false, math.NaN(), "", `""`},
	}
	for _, tt := range tests {
		v := tt.value
		if v.Kind() != tt.kind || v.isInteger() != tt.integer || v.String() != tt.text || string(v.Append([]byte("x"))) != "x"+tt.text {
			t.Errorf("kind %d, integer %v, %q: want kind %d, %v, %q", v.Kind(), v.isInteger(), v, tt.kind, tt.integer, tt.text)
		}
		if f, ok := v.Float64(); ok == math.IsNaN(tt.number) || ok && f != tt.number {
			t.Errorf("%q.Float64 = %v, %v, want %v", v, f, ok, tt.number)
		}
		if n, ok := v.Uint64(); ok != tt.integer || ok && float64(n) != tt.number {
			t.Errorf("%q.Uint64 = %d, %v", v, n, ok)
		}
		if s, ok := v.AsText(); ok != (tt.kind == KindText) || ok && s != tt.text {
			t.Errorf("%q.AsText = %q, %v", v, s, ok)
		}
		if b, err := json.Marshal(v); err != nil || string(b) != tt.json {
			t.Errorf("%q in JSON: %s, %v, want %s", v, b, err, tt.json)
		}
	}
}
