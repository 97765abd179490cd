package nametable

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
)

func TestParseLanguage(t *testing.T) {
	tests := []struct{ in, want string }{
		{"9", "009"}, {"009", "009"}, {"0x9", "009"}, {"0x409", "009"}, {"0409", "009"}, {"0X0809", "009"},
		{"7", "007"}, {"407", "007"}, {"c07", "007"},
		{"a", "00A"}, {"00A", "00A"}, {"c0a", "00A"},
		{"4", "004"}, {"404", "404"}, {"0x0804", "804"}, {"c04", "C04"}, {"1004", "1004"},
		{"16", "016"}, {"0416", "416"}, {"816", "816"},

		// By code and by name. No language has the number of a code.
		{"de", "007"}, {"DE", "007"}, {"de-AT", "007"}, {"de_DE.UTF-8", "007"}, {"German", "007"}, {"english", "009"},
		{"da", "006"}, {"ca", "003"}, {"fr", "00C"}, {"zh", "804"}, {"zh-Hant", "404"}, {"zh-TW", "404"}, {"pt", "416"},
		{"pt-PT", "816"}, {"pt-BR", "416"}, {"nn-NO", "014"},
	}
	for _, tt := range tests {
		if got, err := ParseLanguage(tt.in); got != tt.want || err != nil {
			t.Errorf("ParseLanguage(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"", "0x", "0", "000", "400", "Klingon", "xx", "-9", "+9", " 9", "10009",
		"0x0x9", "0_9"} {
		if got, err := ParseLanguage(in); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("ParseLanguage(%q) = %q, %v, want an error", in, got, err)
		}
	}
}
