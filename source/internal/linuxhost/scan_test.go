package linuxhost

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	const bad = -1
	tests := []struct {
		word              string
		decimal           int64 // as uint64
		signed            int64
		hundredths        int64
		isSigned, isBigOK bool
	}{
		{word: "0", isSigned: true, hundredths: bad},
		{word: "007", decimal: 7, signed: 7, isSigned: true, hundredths: bad},
		{word: "9223372036854775807", decimal: math.MaxInt64, signed: math.MaxInt64, isSigned: true,
			hundredths: bad},
		{word: "18446744073709551615", decimal: bad, isBigOK: true, hundredths: bad},
		{word: "18446744073709551616", decimal: bad, hundredths: bad},
		{word: "99999999999999999999", decimal: bad, hundredths: bad},
		{word: "-100", decimal: bad, signed: -100, isSigned: true, hundredths: bad},
		{word: "--1", decimal: bad, hundredths: bad},
		{word: "-", decimal: bad, hundredths: bad},
		{word: "", decimal: bad, hundredths: bad},
		{word: "+1", decimal: bad, hundredths: bad},
		{word: "1 ", decimal: bad, hundredths: bad},
		{word: "0x1", decimal: bad, hundredths: bad},
		{word: "0.05", decimal: bad, hundredths: 5},
		{word: "12.34", decimal: bad, hundredths: 1234},
		{word: "1.2", decimal: bad, hundredths: bad},
		{word: ".12", decimal: bad, hundredths: bad},
		{word: "184467440737095516.00", decimal: bad, hundredths: bad},
	}
	for _, tt := range tests {
		n, ok := decimal([]byte(tt.word))
		if wantOK := tt.decimal != bad || tt.isBigOK; ok != wantOK || ok && n != uint64(tt.decimal) {
			t.Errorf("decimal(%q) = %d, %v", tt.word, n, ok)
		}
		s, ok := signed([]byte(tt.word))
		if ok != tt.isSigned || s != tt.signed {
			t.Errorf("signed(%q) = %d, %v", tt.word, s, ok)
		}
		h, ok := parseHundredths([]byte(tt.word))
		if ok != (tt.hundredths != bad) || ok && h != uint64(tt.hundredths) {
			t.Errorf("hundredths(%q) = %d, %v", tt.word, h, ok)
		}
	}
}

func TestScaled(t *testing.T) {
	tests := []struct {
		n, num, den, want uint64
		ok                bool
	}{
		{0, 10, 3, 0, true},
		{7, perSecond, 100, 700_000, true},
		{7, perSecond, 1024, 68_359, true},
		{math.MaxUint64, 3, 3, math.MaxUint64, true},
		{math.MaxUint64, 4, 3, 0, false},
		{math.MaxUint64, math.MaxUint64, 1, 0, false},
	}
	for _, tt := range tests {
		if got, ok := scaled(tt.n, tt.num, tt.den); ok != tt.ok || ok && got != tt.want {
			t.Errorf("scaled(%d, %d, %d) = %d, %v", tt.n, tt.num, tt.den, got, ok)
		}
	}
}
