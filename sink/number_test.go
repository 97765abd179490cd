package sink

import (
	"math"
	"testing"

	"github.com/winperf/winperf/counter"
)

func TestAppendNumber(t *testing.T) {
	tests := []struct {
		value counter.Value
		unit  counter.Unit
		text  string
	}{
		{counter.Int(0), counter.Count, "0"},
		{counter.Int(999), counter.Count, "999"},
		{counter.Int(1000), counter.Count, "1000"},
		{counter.Int(math.MaxUint64), counter.Count, "18446744073709551615"},
		{counter.FromBits(counter.KindHex32, 0x12345), counter.Count, "0x00012345"},
		{counter.FromBits(counter.KindHex, 0x12345), counter.Count, "0x0000000000012345"},
		{counter.Float(0), counter.Percent, "0.00"},
		{counter.Float(12.345), counter.Percent, "12.35"},
		{counter.Float(0.004), counter.Percent, "0.004"},
		{counter.Float(0.00000123456), counter.PerSecond, "1.23e-06"},
		{counter.Float(-1234.5), counter.PerSecond, "-1234.50"},
		{counter.Float(-123.5), counter.PerSecond, "-123.50"},
		{counter.Float(999999.99), counter.PerSecond, "999999.99"},
		{counter.Float(123456789.5), counter.PerSecond, "123456790"},
		{counter.Float(1e21), counter.PerSecond, "1e+21"},
		{counter.Float(0), counter.Seconds, "0.000000"},
		{counter.Float(0.0000123456), counter.Seconds, "1.23e-05"},
		{counter.Float(0.000123456), counter.Seconds, "0.000123"},
		{counter.Float(1.23456), counter.Seconds, "1.235"},
		{counter.Float(1234.56), counter.Seconds, "1234.6"},
		{counter.Float(1234567.8), counter.Seconds, "1234568"},
		{counter.Float(math.NaN()), counter.Percent, "NaN"},
		{counter.Float(math.Inf(1)), counter.Percent, "+Inf"},
	}
	for _, test := range tests {
		if got := string(AppendNumber(nil, test.value, test.unit)); got != test.text {
			t.Errorf("%v %v: %q, want %q", test.value, test.unit, got, test.text)
		}
	}
}
