package counter

import (
	"fmt"
	"strings"
	"testing"
)

// headerFlags are the flags of winperf.h, written apart from the fields that
// Describe uses.
var headerFlags = map[string]Type{
	"PERF_SIZE_DWORD": 0x00000000, "PERF_SIZE_LARGE": 0x00000100,
	"PERF_SIZE_ZERO": 0x00000200, "PERF_SIZE_VARIABLE_LEN": 0x00000300,
	"PERF_TYPE_NUMBER": 0x00000000, "PERF_TYPE_COUNTER": 0x00000400,
	"PERF_TYPE_TEXT": 0x00000800, "PERF_TYPE_ZERO": 0x00000C00,
	"PERF_NUMBER_HEX": 0x00000000, "PERF_NUMBER_DECIMAL": 0x00010000, "PERF_NUMBER_DEC_1000": 0x00020000,
	"PERF_COUNTER_VALUE": 0x00000000, "PERF_COUNTER_RATE": 0x00010000, "PERF_COUNTER_FRACTION": 0x00020000,
	"PERF_COUNTER_BASE": 0x00030000, "PERF_COUNTER_ELAPSED": 0x00040000, "PERF_COUNTER_QUEUELEN": 0x00050000,
	"PERF_COUNTER_HISTOGRAM": 0x00060000, "PERF_COUNTER_PRECISION": 0x00070000,
	"PERF_TEXT_UNICODE": 0x00000000, "PERF_TEXT_ASCII": 0x00010000,
	"PERF_TIMER_TICK": 0x00000000, "PERF_TIMER_100NS": 0x00100000, "PERF_OBJECT_TIMER": 0x00200000,
	"PERF_DELTA_COUNTER": 0x00400000, "PERF_DELTA_BASE": 0x00800000,
	"PERF_INVERSE_COUNTER": 0x01000000, "PERF_MULTI_COUNTER": 0x02000000,
	"PERF_DISPLAY_NO_SUFFIX": 0x00000000, "PERF_DISPLAY_PER_SEC": 0x10000000, "PERF_DISPLAY_PERCENT": 0x20000000,
	"PERF_DISPLAY_SECONDS": 0x30000000, "PERF_DISPLAY_NOSHOW": 0x40000000,
	"PERF_COUNTER_HISTOGRAM_TYPE": 0x80000000,
	"1 (of samples)":              1, "2 (of averages)": 2, "3 (of raw values)": 3,
}

// described adds up the flags that a description names; unknown are the bits
// it calls unknown.
func described(t *testing.T, description string) (sum, unknown Type) {
	t.Helper()
	_, flags, ok := strings.Cut(description, " = ")
	if !ok {
		t.Fatalf("no flags in %q", description)
	}
	for flag := range strings.SplitSeq(flags, " | ") {
		if hex, ok := strings.CutSuffix(flag, " (unknown)"); ok {
			if _, err := fmt.Sscanf(hex, "0x%X", &unknown); err != nil {
				t.Fatalf("%q in %q: %v", flag, description, err)
			}
			continue
		}
		value, ok := headerFlags[flag]
		if !ok {
			t.Fatalf("%q in %q is no flag of winperf.h", flag, description)
		}
		sum |= value
	}
	return sum, unknown
}

// TestTypesAreTheirFlags: each type of the table is the sum of its flags, and
// only PERF_DOUBLE_RAW has a bit that winperf.h does not know.
func TestTypesAreTheirFlags(t *testing.T) {
	for info := range Types() {
		sum, unknown := described(t, info.Type.Describe())
		if sum|unknown != info.Type {
			t.Errorf("%s is 0x%08X, its flags add up to 0x%08X", info.Type.Describe(), uint32(info.Type), uint32(sum|unknown))
		}
		if want := info.Type & 0x2000; unknown != want {
			t.Errorf("%s: unknown bits 0x%08X, want 0x%08X", info.Type.Describe(), uint32(unknown), uint32(want))
		}
	}
}

func TestDescribe(t *testing.T) {
	tests := []struct {
		typ  Type
		want string
	}{
		{MultiTimerInv100NSec, "0x23510500 PERF_100NSEC_MULTI_TIMER_INV = PERF_SIZE_LARGE | PERF_TYPE_COUNTER | PERF_COUNTER_RATE | PERF_TIMER_100NS | PERF_DELTA_COUNTER | PERF_INVERSE_COUNTER | PERF_MULTI_COUNTER | PERF_DISPLAY_PERCENT"},
		{SampleBase, "0x40030401 PERF_SAMPLE_BASE = PERF_SIZE_DWORD | PERF_TYPE_COUNTER | PERF_COUNTER_BASE | 1 (of samples) | PERF_TIMER_TICK | PERF_DISPLAY_NOSHOW"},
		{CounterText, "0x00000B00 PERF_COUNTER_TEXT = PERF_SIZE_VARIABLE_LEN | PERF_TYPE_TEXT | PERF_TEXT_UNICODE | PERF_DISPLAY_NO_SUFFIX"},
		{0x70330C55, "0x70330C55 unknown type = PERF_SIZE_DWORD | PERF_TYPE_ZERO | 0x70330055 (unknown)"},
	}
	for _, tt := range tests {
		if got := tt.typ.Describe(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// FuzzDescribe: flags and unknown bits share nothing and add up to the word.
func FuzzDescribe(f *testing.F) {
	for info := range Types() {
		f.Add(uint32(info.Type))
	}
	f.Add(uint32(0xFFFFFFFF))
	f.Fuzz(func(t *testing.T, word uint32) {
		sum, unknown := described(t, Type(word).Describe())
		if uint32(sum|unknown) != word || sum&unknown != 0 {
			t.Fatalf("%s: flags 0x%08X, unknown 0x%08X", Type(word).Describe(), uint32(sum), uint32(unknown))
		}
	})
}
