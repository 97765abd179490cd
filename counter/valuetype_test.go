package counter_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/winperf/winperf/counter"
)

// One row for each pair of value type and wanted type.
func TestConversions(t *testing.T) {
	const exact, odd = 1 << 53, 1<<53 + 1
	tests := []struct {
		of                     counter.ValueType
		value                  counter.Value
		uint32, uint64, double string
	}{
		{counter.Integer32, counter.Int(7), "7 <nil>", "7 <nil>", "7.0 <nil>"},
		{counter.Integer32, counter.Int(math.MaxUint32), "4294967295 <nil>", "4294967295 <nil>", "4294967295.0 <nil>"},
		{counter.Integer32, counter.Int(math.MaxUint32 + 1), "error", "4294967296 <nil>", "4294967296.0 <nil>"},
		{counter.Integer64, counter.Int(7), "error", "7 <nil>", "7.0 <nil>"},
		{counter.Integer64, counter.Int(exact), "error", "9007199254740992 <nil>", "9007199254740992.0 <nil>"},
		{counter.Integer64, counter.Int(odd), "error", "9007199254740993 <nil>", "error"},
		{counter.Integer64, counter.Int(math.MaxUint64), "error", "18446744073709551615 <nil>", "error"},
		{counter.Integer64, counter.Int(1 << 63), "error", "9223372036854775808 <nil>", "9223372036854775808.0 <nil>"},
		{counter.Decimal, counter.Float(7), "error", "error", "7.0 <nil>"},
		{counter.Decimal, counter.Float(-0.5), "error", "error", "-0.5 <nil>"},
		{counter.TextValue, counter.Text("7"), "error", "error", "error"},
		{counter.NoValue, counter.Int(7), "error", "error", "error"},
		{counter.Integer32, counter.Value{}, "error", "error", "error"},
		{counter.Decimal, counter.Value{}, "error", "error", "error"},
	}
	integer := func(n uint64, err error) string {
		if errors.Is(err, counter.ErrConversion) && n == 0 {
			return "error"
		}
		return fmt.Sprint(n, err)
	}
	for _, tt := range tests {
		n32, err32 := tt.of.Uint32(tt.value)
		n64, err64 := tt.of.Uint64(tt.value)
		f, errF := tt.of.Float64(tt.value)
		double := fmt.Sprintf("%.1f %v", f, errF)
		if errors.Is(errF, counter.ErrConversion) && f == 0 {
			double = "error"
		}
		if got := integer(uint64(n32), err32); got != tt.uint32 {
			t.Errorf("%v of value type %v as 32-bit: %s, want %s", tt.value, tt.of, got, tt.uint32)
		}
		if got := integer(n64, err64); got != tt.uint64 {
			t.Errorf("%v of value type %v as 64-bit: %s, want %s", tt.value, tt.of, got, tt.uint64)
		}
		if double != tt.double {
			t.Errorf("%v of value type %v as decimal: %s, want %s", tt.value, tt.of, double, tt.double)
		}
	}
	// The numbers of the types are fixed.
	for n, word := range []string{"none", "32-bit", "64-bit", "decimal", "text", "value type 5"} {
		if got := counter.ValueType(n).String(); got != word {
			t.Errorf("value type %d is %s, want %s", n, got, word)
		}
	}
	if _, err := counter.Integer64.Uint32(counter.Int(5)); err == nil || err.Error() != "lossy conversion: 5 of value type 64-bit as a 32-bit integer" {
		t.Errorf("error %v", err)
	}
}

func TestValueTypes(t *testing.T) {
	tests := []struct {
		typ  counter.Type
		size int
		want counter.ValueType
	}{
		{counter.RawCount, 4, counter.Integer32},
		{counter.RawCount, 8, counter.Integer64}, // the definition's size goes before the type's
		{counter.LargeRawCount, 8, counter.Integer64},
		{counter.RawCountHex, 4, counter.Integer32},
		{counter.LargeRawCountHex, 8, counter.Integer64},
		{counter.Delta, 4, counter.Integer32},
		{counter.LargeDelta, 8, counter.Integer64},
		{counter.Timer100NSec, 8, counter.Decimal},
		{counter.ElapsedTime, 8, counter.Decimal},
		{counter.BulkCount, 8, counter.Decimal},
		{counter.RawFraction, 4, counter.Decimal},
		{counter.AverageBulk, 8, counter.Decimal},
		{counter.CounterText, 20, counter.TextValue},
		{counter.RawBase, 4, counter.NoValue},
		{counter.LargeRawBase, 8, counter.NoValue},
		{counter.NoData, 0, counter.NoValue},
		{counter.Histogram, 4, counter.NoValue},
		{0x12345678, 4, counter.NoValue},
	}
	for _, tt := range tests {
		if got := counter.ValueTypeOf(tt.typ, tt.size); got != tt.want {
			t.Errorf("%v of %d bytes: %v, want %v", tt.typ, tt.size, got, tt.want)
		}
	}
}
