package counter

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// documented holds what documents print of each type: its number in decimal
// (CounterType Qualifier and MS-PCQ), how many samples it needs, and whether
// it is a growing value of 4 bytes. It is written apart from the table.
var documented = []struct {
	name    string
	decimal uint32
	samples int
	wraps   bool
}{
	{"PERF_COUNTER_RAWCOUNT_HEX", 0, 1, false},
	{"PERF_COUNTER_LARGE_RAWCOUNT_HEX", 256, 1, false},
	{"PERF_COUNTER_RAWCOUNT", 65536, 1, false},
	{"PERF_COUNTER_LARGE_RAWCOUNT", 65792, 1, false},
	{"PERF_COUNTER_DELTA", 4195328, 2, true},
	{"PERF_COUNTER_LARGE_DELTA", 4195584, 2, false},
	{"PERF_COUNTER_COUNTER", 272696320, 2, true},
	{"PERF_COUNTER_BULK_COUNT", 272696576, 2, false},
	{"PERF_SAMPLE_COUNTER", 4260864, 2, true},
	{"PERF_COUNTER_TIMER", 541132032, 2, false},
	{"PERF_COUNTER_TIMER_INV", 557909248, 2, false},
	{"PERF_100NSEC_TIMER", 542180608, 2, false},
	{"PERF_100NSEC_TIMER_INV", 558957824, 2, false},
	{"PERF_OBJ_TIME_TIMER", 543229184, 2, false},
	{"PERF_COUNTER_MULTI_TIMER", 574686464, 2, false},
	{"PERF_COUNTER_MULTI_TIMER_INV", 591463680, 2, false},
	{"PERF_100NSEC_MULTI_TIMER", 575735040, 2, false},
	{"PERF_100NSEC_MULTI_TIMER_INV", 592512256, 2, false},
	{"PERF_COUNTER_QUEUELEN_TYPE", 4523008, 2, true},
	{"PERF_COUNTER_LARGE_QUEUELEN_TYPE", 4523264, 2, false},
	{"PERF_COUNTER_100NS_QUEUELEN_TYPE", 5571840, 2, false},
	{"PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", 6620416, 2, false},
	{"PERF_RAW_FRACTION", 537003008, 1, false},
	{"PERF_LARGE_RAW_FRACTION", 537003264, 1, false},
	{"PERF_SAMPLE_FRACTION", 549585920, 2, true},
	{"PERF_AVERAGE_TIMER", 805438464, 2, false},
	{"PERF_AVERAGE_BULK", 1073874176, 2, false},
	{"PERF_PRECISION_SYSTEM_TIMER", 541525248, 2, false},
	{"PERF_PRECISION_100NS_TIMER", 542573824, 2, false},
	{"PERF_PRECISION_OBJECT_TIMER", 543622400, 2, false},
	{"PERF_ELAPSED_TIME", 807666944, 1, false},
	{"PERF_COUNTER_TEXT", 2816, 1, false},
	{"PERF_COUNTER_NODATA", 1073742336, 0, false},
	{"PERF_SAMPLE_BASE", 1073939457, 0, true},
	{"PERF_AVERAGE_BASE", 1073939458, 0, true},
	{"PERF_RAW_BASE", 1073939459, 0, false},
	{"PERF_LARGE_RAW_BASE", 1073939712, 0, false},
	{"PERF_PRECISION_TIMESTAMP", 1073939712, 0, false},
	{"PERF_COUNTER_MULTI_BASE", 1107494144, 0, false},
	{"PERF_COUNTER_HISTOGRAM_TYPE", 2147483648, 0, false},
	{"PERF_DOUBLE_RAW", 0x00012000, 1, false},
	{"PERF_NUMBER_DEC_1000", 0x00020000, 1, false},
	{"0x00020100", 0x00020100, 1, false},
	{"0x40030503", 0x40030503, 0, false},
}

func TestTableAgreesWithDocuments(t *testing.T) {
	rows := 0
	for _, d := range documented {
		typ, err := ParseType(d.name)
		if err != nil {
			t.Errorf("%s is not in the table: %v", d.name, err)
			continue
		}
		if uint32(typ) != d.decimal {
			t.Errorf("%s = %d, documents have %d", d.name, uint32(typ), d.decimal)
		}
		info, _ := typ.Info()
		if info.Name == d.name {
			rows++
		} else if info.Alias != d.name {
			t.Errorf("%s: the row has the names %q and %q", d.name, info.Name, info.Alias)
		}
		if wraps := info.Cumulative && info.Bytes == 4; typ.Samples() != d.samples || wraps != d.wraps {
			t.Errorf("%s: %d samples, wraps %v; documents have %d, %v",
				d.name, typ.Samples(), wraps, d.samples, d.wraps)
		}
	}
	if rows != len(types) {
		t.Errorf("documents cover %d rows of %d", rows, len(types))
	}
}

// TestTableIsConsistent checks each row against the bits of its type and
// against the operands of its formula.
func TestTableIsConsistent(t *testing.T) {
	names := map[string]bool{}
	last := int64(-1)
	for info := range Types() {
		t.Run(info.Name, func(t *testing.T) {
			if int64(info.Type) <= last {
				t.Errorf("out of order after 0x%08X", last)
			}
			for _, name := range []string{info.Name, info.Alias} {
				if name != "" && names[name] {
					t.Errorf("the name %s stands twice", name)
				}
				names[name] = true
			}
			if info.Brief == "" || info.Source == "" || info.formula == noFormula {
				t.Error("brief, source or formula is missing")
			}
			checkBits(t, info)
			checkOperands(t, info)
		})
		last = int64(info.Type)
	}
}

func checkBits(t *testing.T, info Info) {
	typ := info.Type
	if wide := typ == AverageTimer || typ == DoubleRaw; info.Bytes != typ.Width() && !(wide && info.Bytes == 8) {
		t.Errorf("Bytes = %d, the size bits say %d", info.Bytes, typ.Width())
	}
	suffix := map[Type]Unit{0x10000000: PerSecond, 0x20000000: Percent, 0x30000000: Seconds}
	if unit, ok := suffix[typ&displayMask]; ok && info.Unit != unit {
		t.Errorf("Unit = %v, the suffix bits say %v", info.Unit, unit)
	}
	if typ&0x00400000 != 0 && (info.Samples != 2 || !info.Cumulative) {
		t.Error("PERF_DELTA_COUNTER needs two samples of a growing value")
	}
	if (info.formula == formulaQ) != typ.IsBase() {
		t.Errorf("IsBase = %v with formula %v", typ.IsBase(), info.formula)
	}
	if (info.Kind == KindText) != typ.IsText() {
		t.Errorf("IsText = %v with kind %v", typ.IsText(), info.Kind)
	}
	clock := map[Type]Clock{0x000000: TickClock, 0x100000: Clock100ns, 0x200000: ObjectClock}
	if times := operandD0 | operandD1; info.formula.operands()&times != 0 && info.Clock != clock[typ&timerMask] {
		t.Errorf("Clock = %v, the timer bits say %v", info.Clock, clock[typ&timerMask])
	}
}

func checkOperands(t *testing.T, info Info) {
	has := func(o operandSet) bool { return info.formula.operands()&o != 0 }
	typ := info.Type
	if (info.Samples == 2) != has(operandN0) {
		t.Errorf("%d samples with operands %v", info.Samples, info.formula.operands())
	}
	if has(operandD0|operandD1|operandTB) != (info.Clock != NoClock) {
		t.Errorf("clock %v with operands %v", info.Clock, info.formula.operands())
	}
	if typ.NeedsBase() != has(operandB1) || typ.IsMulti() != has(operandM1) {
		t.Errorf("NeedsBase = %v, IsMulti = %v with operands %v", typ.NeedsBase(), typ.IsMulti(), info.formula.operands())
	}
	if (info.Base != 0) != has(operandB1|operandM1) {
		t.Errorf("base %v with operands %v", info.Base, info.formula.operands())
	}
	if info.Base != 0 && !info.Base.IsBase() {
		t.Errorf("%v is no base", info.Base)
	}
	if has(operandN1) != (info.Formula() != "") {
		t.Errorf("formula %v has text %q and operands %v", info.formula, info.Formula(), info.formula.operands())
	}
	f := NewFormula(typ, 0, 0, Options{})
	if has(operandN1) == (info.Kind == KindNone || info.Kind == KindText) {
		t.Errorf("kind %d with operands %v", info.Kind, info.formula.operands())
	}
	if f.Kind() != info.Kind || f.Unit() != info.Unit || f.Samples() != info.Samples ||
		f.NeedsBase() != typ.NeedsBase() || f.NeedsMulti() != typ.IsMulti() {
		t.Errorf("the formula disagrees with the row: %+v", f)
	}
}

func TestUnknownTypes(t *testing.T) {
	for _, typ := range []Type{0x12345678, 0x00000001, 0xFFFFFFFF, 0x00000400} {
		if info, ok := typ.Info(); ok {
			t.Errorf("%v has the row %+v", typ, info)
		}
		if want := fmt.Sprintf("0x%08X", uint32(typ)); typ.String() != want {
			t.Errorf("String = %q, want %q", typ.String(), want)
		}
		if typ.Unit() != NoUnit || typ.Samples() != 0 || typ.Clock() != NoClock || typ.NeedsBase() || typ.Cumulative() {
			t.Errorf("%v claims to have a formula", typ)
		}
		f := NewFormula(typ, 0, 0, Options{})
		if f.Kind() != KindNone || f.Samples() != 0 {
			t.Errorf("%v has a formula: %+v", typ, f)
		}
	}
}

func TestBits(t *testing.T) {
	tests := []struct {
		typ                       Type
		base, text, multi, hidden bool
		width                     int
	}{
		{RawCount, false, false, false, false, 4},
		{BulkCount, false, false, false, false, 8},
		{CounterText, false, true, false, false, -1},
		{NoData, false, false, false, true, 0},
		{AverageBulk, false, false, false, true, 8},
		{AverageTimer, false, false, false, false, 4},
		{PrecisionSystemTimer, false, false, false, false, 8}, // its subtype 7 has the bits of BASE too
		{RawBase, true, false, false, true, 4},
		{largeRawBaseWMI, true, false, false, true, 8},
		{MultiTimer, false, false, true, false, 8},
		{MultiBase, true, false, false, true, 8},
		{Histogram, false, false, false, false, 4},
		{0x00030400, true, false, false, false, 4}, // unknown base
		{0x00010800, false, true, false, false, 4}, // unknown text: ASCII
		{0x52410500, false, false, true, false, 8}, // suffix 5 is not NOSHOW
	}
	for _, tt := range tests {
		if got := tt.typ.IsBase(); got != tt.base {
			t.Errorf("%v.IsBase = %v", tt.typ, got)
		}
		if got := tt.typ.IsText(); got != tt.text {
			t.Errorf("%v.IsText = %v", tt.typ, got)
		}
		if got := tt.typ.IsMulti(); got != tt.multi {
			t.Errorf("%v.IsMulti = %v", tt.typ, got)
		}
		if got := tt.typ&displayMask == displayNone; got != tt.hidden {
			t.Errorf("%v is not to be shown: %v", tt.typ, got)
		}
		if got := tt.typ.Width(); got != tt.width {
			t.Errorf("%v.Width = %d, want %d", tt.typ, got, tt.width)
		}
	}
}

func TestAcceptsBase(t *testing.T) {
	tests := []struct {
		typ, base Type
		ok, exact bool
	}{
		{RawFraction, RawBase, true, true},
		{RawFraction, LargeRawBase, true, false},
		{RawFraction, RawCount, false, false},
		{LargeRawFraction, LargeRawBase, true, true},
		{LargeRawFraction, largeRawBaseWMI, true, true},
		{PrecisionObjectTimer, PrecisionTimestamp, true, true},
		{SampleFraction, SampleBase, true, true},
		{SampleFraction, AverageBase, true, false},
		{AverageTimer, AverageBase, true, true},
		{AverageBulk, AverageBase, true, true},
		{AverageBulk, PrecisionSystemTimer, false, false},
		{MultiTimer, MultiBase, true, true},
		{MultiTimerInv100NSec, AverageBase, false, false},
		{SampleCounter, SampleBase, false, false}, // computed over time; a base behind it is ignored
		{RawCount, RawBase, false, false},
		{0x12345678, RawBase, false, false},
	}
	for _, tt := range tests {
		if ok, exact := tt.typ.AcceptsBase(tt.base); ok != tt.ok || exact != tt.exact {
			t.Errorf("%v.AcceptsBase(%v) = %v, %v, want %v, %v", tt.typ, tt.base, ok, exact, tt.ok, tt.exact)
		}
	}
}

func TestCumulative(t *testing.T) {
	falling := []Type{RawCount, LargeRawCountHex, RawFraction, ElapsedTime, RawBase, LargeRawBase, MultiBase, CounterText, DoubleRaw}
	growing := []Type{Delta, BulkCount, Timer, TimerInv100NSec, AverageTimer, AverageBulk, AverageBase, SampleBase, SampleFraction, ObjTimeQueueLen, Precision100NSTimer}
	for info := range Types() {
		if slices.Contains(falling, info.Type) && info.Type.Cumulative() || slices.Contains(growing, info.Type) && !info.Type.Cumulative() {
			t.Errorf("%v.Cumulative = %v", info.Type, info.Type.Cumulative())
		}
	}
}

// TestInverse: the types whose name ends in _INV count the time in which there was nothing to count.
func TestInverse(t *testing.T) {
	for info := range Types() {
		if want := strings.HasSuffix(info.Name, "_INV"); info.Type.Inverse() != want {
			t.Errorf("%v.Inverse = %v", info.Type, !want)
		}
		if want := strings.Contains(info.Formula(), "TB"); info.NeedsFrequency() != want {
			t.Errorf("%v.NeedsFrequency = %v for %s", info.Type, !want, info.Formula())
		}
	}
}

func TestTypeText(t *testing.T) {
	for info := range Types() {
		text, err := info.Type.MarshalText()
		if err != nil || string(text) != info.Name {
			t.Errorf("%v.MarshalText = %q, %v", info.Type, text, err)
		}
		var back Type
		if err := back.UnmarshalText(text); err != nil || back != info.Type {
			t.Errorf("UnmarshalText(%q) = %v, %v", text, back, err)
		}
	}
}

func TestWords(t *testing.T) {
	tests := []struct {
		got, want string
	}{
		{NoClock.String(), "none"}, {ObjectClock.String(), "object"}, {Clock(9).String(), "none"},
		{(&Info{formula: formulaC}).Formula(), "(N1 - N0) / ((D1 - D0) / TB)"}, {(&Info{formula: 99}).Formula(), ""},
		{OK.String(), "ok"}, {Unsupported.String(), "unsupported"}, {NotPermitted.String(), "not_permitted"}, {TooClose.String(), "too_close"}, {Status(99).String(), "invalid_data"},
		{NoUnit.String(), "none"}, {TextUnit.String(), "text"}, {Unit(99).String(), "none"},
	}
	for i, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%d: %q, want %q", i, tt.got, tt.want)
		}
	}
	for id := range TooClose + 1 {
		if text, err := id.MarshalText(); err != nil || string(text) != id.String() {
			t.Errorf("Status(%d).MarshalText = %q, %v", id, text, err)
		}
		if back, ok := ParseStatus(id.String()); !ok || back != id {
			t.Errorf("ParseStatus(%q) = %v, %v", id, back, ok)
		}
		named := []Status{NoInstance, NoCounter, NoObject}
		if want := slices.Contains(named, id); id.NamesNothing() != want {
			t.Errorf("%v.NamesNothing = %v", id, !want)
		}
	}
	for id := range TextUnit + 1 {
		if text, err := id.MarshalText(); err != nil || string(text) != id.String() {
			t.Errorf("Unit(%d).MarshalText = %q, %v", id, text, err)
		}
		if back, ok := ParseUnit(id.String()); !ok || back != id {
			t.Errorf("ParseUnit(%q) = %v, %v", id, back, ok)
		}
	}

	_, status := ParseStatus("OK")
	_, unit := ParseUnit("per second")
	if status || unit {
		t.Errorf("a word that is none is a status: %v, a unit: %v", status, unit)
	}

	for id := range math.MaxUint8 + 1 { // none of the numbers behind the last one is a word
		if s := Status(id); s > TooClose && s.String() != "invalid_data" {
			t.Errorf("Status(%d) = %q", id, s)
		}
		if u := Unit(id); u > TextUnit && u.String() != "none" {
			t.Errorf("Unit(%d) = %q", id, u)
		}
		if c := Clock(id); c > ObjectClock && c.String() != "none" {
			t.Errorf("Clock(%d) = %q", id, c)
		}
		if f := formulaID(id); f > formulaR && ((&Info{formula: f}).Formula() != "" || f.operands() != 0) {
			t.Errorf("formulaID(%d) = %q", id, (&Info{formula: f}).Formula())
		}
	}
}

// TestSecond: the second number of a raw value of PDH is the one that its formula needs.
func TestSecond(t *testing.T) {
	for info := range Types() {
		base, clock := info.Type.Second()
		operands := info.formula.operands()
		if base != (operands&operandB1 != 0) {
			t.Errorf("%s: base %v with operands %v", info.Name, base, operands)
		}
		if timed := !base && operands&(operandD0|operandD1) != 0; timed != (clock != NoClock) || timed && clock != info.Clock {
			t.Errorf("%s: clock %v with operands %v", info.Name, clock, operands)
		}
	}
	c := Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3, ObjectTime: 4, ObjectFreq: 5}
	for clock, want := range [][2]int64{{}, {1, 2}, {3, 1e7}, {4, 5}} {
		if now, perSecond := c.At(Clock(clock)); now != want[0] || perSecond != want[1] {
			t.Errorf("clock %v: %d at %d per second, want %d", Clock(clock), now, perSecond, want)
		}
	}
}

// TestTimerClock: the constants of winperf.h name the clock of each timer.
func TestTimerClock(t *testing.T) {
	timers := 0
	for info := range Types() {
		want := NoClock
		if strings.Contains(info.Name, "TIMER") && info.Unit == Percent {
			timers++
			switch {
			case strings.Contains(info.Name, "100NS"):
				want = Clock100ns
			case strings.Contains(info.Name, "OBJ"):
				want = ObjectClock
			default:
				want = TickClock
			}
		}
		if got := info.Type.TimerClock(); got != want {
			t.Errorf("%s: %v, want %v", info.Name, got, want)
		}
	}
	if timers < 12 {
		t.Errorf("%d timers", timers)
	}
}

func TestOverTime(t *testing.T) {
	over := []Type{
		CounterCounter, BulkCount, SampleCounter, Timer, TimerInv100NSec, MultiTimer,
		PrecisionObjectTimer, QueueLen100NS,
	}
	for _, typ := range over {
		if !typ.OverTime() {
			t.Errorf("%v is not about the time between two samples", typ)
		}
	}
	not := []Type{
		RawCount, LargeRawFraction, Delta, AverageTimer, AverageBulk, SampleFraction,
		ElapsedTime, CounterText, AverageBase, 0x12345678,
	}
	for _, typ := range not {
		if typ.OverTime() {
			t.Errorf("%v is about the time between two samples", typ)
		}
	}
}
