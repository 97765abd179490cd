package counter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestParseType(t *testing.T) {
	for info := range Types() {
		number := uint32(info.Type)
		spellings := []string{
			strconv.FormatUint(uint64(number), 10), fmt.Sprintf("0x%x", number), fmt.Sprintf("0X%08X", number),
		}
		for _, name := range []string{info.Name, info.Alias} {
			if short, ok := strings.CutPrefix(name, "PERF_"); ok {
				spellings = append(spellings, name, short, "Perf_"+short, strings.ToLower(name), strings.ToLower(short))
			}
		}
		for _, s := range spellings {
			if got, err := ParseType(s); err != nil || got != info.Type {
				t.Errorf("ParseType(%q) = %v, %v, want %v", s, got, err, info.Type)
			}
		}
	}
	for s, want := range map[string]Type{"0x12345678": 0x12345678, "9": 9, "10": 10, "4294967295": 0xFFFFFFFF} {
		if got, err := ParseType(s); err != nil || got != want {
			t.Errorf("the unknown number %s: %v, %v", s, got, err)
		}
	}
}

func TestParseTypeErrors(t *testing.T) {
	const plain = "expected a name such as PERF_COUNTER_RAWCOUNT, or a 32-bit number"
	tests := []struct{ in, want string }{
		{"", plain},
		{"PERF_", plain},
		{"0x", plain},
		{"4294967296", plain},
		{"0x100000000", plain},
		{"-1", plain},
		{"1.5", plain},
		{"nonsense", plain},
		{strings.Repeat("PERF_", 1000), plain},
		{"PERF_COUNTER_BULKCOUNT", "did you mean PERF_COUNTER_BULK_COUNT?"},
		{"rawcount", "did you mean PERF_COUNTER_RAWCOUNT?"},
		{"AverageTimer", "did you mean PERF_AVERAGE_TIMER?"},
		{"100NSEC_TIMR", "did you mean PERF_100NSEC_TIMER?"},
		{"AXXXXGE_BULK", "did you mean PERF_AVERAGE_BULK?"}, // a third of it is replaced
		{"AXXXXXE_BULK", plain},
		{"AVERAGE_BULKXXXXXX", "did you mean PERF_AVERAGE_BULK?"},
		{"AVERAGE_BULKXXXXXXX", plain},
		{"precision_time_stamp", "did you mean PERF_PRECISION_TIMESTAMP?"},
	}
	for _, tt := range tests {
		typ, err := ParseType(tt.in)
		want := fmt.Sprintf("unknown counter type %q: %s", tt.in, tt.want)
		if !errors.Is(err, ErrType) || err.Error() != want || typ != 0 {
			t.Errorf("ParseType(%.40q) = %v, %v\nwant %s", tt.in, typ, err, want)
		}
	}
}

// FuzzParseType: what parses prints as something that parses to the same
// type, and what does not parse says so in one line.
func FuzzParseType(f *testing.F) {
	for _, s := range []string{"PERF_COUNTER_COUNTER", "average_bulk", "0x10410500", "65536", "RAWCONT", "\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		typ, err := ParseType(s)
		if err != nil {
			if !errors.Is(err, ErrType) || typ != 0 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("ParseType(%q) = %v, %v", s, typ, err)
			}
			return
		}
		if back, err := ParseType(typ.String()); err != nil || back != typ {
			t.Fatalf("ParseType(%q) = %v, which reads back as %v, %v", s, typ, back, err)
		}
	})
}
