package counter

import (
	"fmt"
	"strings"
)

// field is one field of the flag word, present if t&on == is.
type field struct {
	on, is Type
	mask   Type
	flags  []flag
}

// flag is one value of a field, by its name in winperf.h.
type flag struct {
	value Type
	name  string
}

const anywhere Type = 0 // field.on: the field is in every word

// fields are the fields of the flag word (winperf.h, PERF_COUNTER_DEFINITION.CounterType).
var fields = [...]field{
	{anywhere, 0, sizeMask, []flag{
		{0x000, "PERF_SIZE_DWORD"}, {0x100, "PERF_SIZE_LARGE"},
		{0x200, "PERF_SIZE_ZERO"}, {0x300, "PERF_SIZE_VARIABLE_LEN"},
	}},
	{anywhere, 0, typeMask, []flag{
		{0x000, "PERF_TYPE_NUMBER"}, {0x400, "PERF_TYPE_COUNTER"},
		{0x800, "PERF_TYPE_TEXT"}, {0xC00, "PERF_TYPE_ZERO"},
	}},
	{typeMask, typeNumber, subtypeMask, []flag{
		{0x00000, "PERF_NUMBER_HEX"}, {0x10000, "PERF_NUMBER_DECIMAL"}, {0x20000, "PERF_NUMBER_DEC_1000"},
	}},
	{typeMask, typeCounter, subtypeMask, []flag{
		{0x00000, "PERF_COUNTER_VALUE"}, {0x10000, "PERF_COUNTER_RATE"},
		{0x20000, "PERF_COUNTER_FRACTION"}, {0x30000, "PERF_COUNTER_BASE"},
		{0x40000, "PERF_COUNTER_ELAPSED"}, {0x50000, "PERF_COUNTER_QUEUELEN"},
		{0x60000, "PERF_COUNTER_HISTOGRAM"}, {0x70000, "PERF_COUNTER_PRECISION"},
	}},
	{typeMask, typeText, subtypeMask, []flag{
		{0x00000, "PERF_TEXT_UNICODE"}, {0x10000, "PERF_TEXT_ASCII"},
	}},
	// The header has no names for these values of bases.
	{typeMask | subtypeMask, typeCounter | subtypeBase, 0xFF, []flag{
		{1, "1 (of samples)"}, {2, "2 (of averages)"}, {3, "3 (of raw values)"},
	}},
	{typeMask, typeCounter, timerMask, []flag{
		{0x000000, "PERF_TIMER_TICK"}, {0x100000, "PERF_TIMER_100NS"}, {0x200000, "PERF_OBJECT_TIMER"},
	}},
	{anywhere, 0, 0x00400000, []flag{{0x00400000, "PERF_DELTA_COUNTER"}}},
	{anywhere, 0, 0x00800000, []flag{{0x00800000, "PERF_DELTA_BASE"}}},
	{anywhere, 0, flagInverse, []flag{{flagInverse, "PERF_INVERSE_COUNTER"}}},
	{anywhere, 0, flagMulti, []flag{{flagMulti, "PERF_MULTI_COUNTER"}}},
	{anywhere, 0, displayMask, []flag{
		{0x00000000, "PERF_DISPLAY_NO_SUFFIX"}, {0x10000000, "PERF_DISPLAY_PER_SEC"},
		{0x20000000, "PERF_DISPLAY_PERCENT"}, {0x30000000, "PERF_DISPLAY_SECONDS"},
		{displayNone, "PERF_DISPLAY_NOSHOW"},
	}},
	{anywhere, 0, Histogram, []flag{{Histogram, "PERF_COUNTER_HISTOGRAM_TYPE"}}},
}

// Describe returns the type's number, name and flags as in winperf.h. The type may be unknown:
//
//	0x20510500 PERF_100NSEC_TIMER = PERF_SIZE_LARGE | PERF_TYPE_COUNTER | ...
//	0x00012000 PERF_DOUBLE_RAW = PERF_SIZE_DWORD | ... | 0x00002000 (unknown)
func (t Type) Describe() string {
	var parts []string
	rest := t
	for _, f := range fields {
		if t&f.on != f.is {
			continue
		}
		for _, flag := range f.flags {
			if t&f.mask == flag.value {
				parts = append(parts, flag.name)
				rest &^= flag.value
			}
		}
	}

	if rest != 0 {
		parts = append(parts, hexWord(rest)+" (unknown)")
	}
	name := "unknown type"
	if row := lookup(t); row != &unknown {
		name = row.Name
	}
	return hexWord(t) + " " + name + " = " + strings.Join(parts, " | ")
}

// hexWord formats a word as documents do.
func hexWord(t Type) string { return fmt.Sprintf("0x%08X", uint32(t)) }
