package counter

// Type is a counter type: the number of a PERF_* constant of winperf.h, which consists of flags. Any
// number is a valid Type; [Type.Info] reports whether it is known.
type Type uint32

// The counter types of winperf.h, in the order of their numbers. A Go name is the constant's name
// without PERF_, a leading COUNTER_ and a trailing _TYPE. Exceptions: a leading 100NSEC or 100NS
// moves to the end, because a Go name cannot begin with a digit, and CounterCounter and CounterText
// keep their prefix.
const (
	RawCountHex          Type = 0x00000000 // PERF_COUNTER_RAWCOUNT_HEX
	LargeRawCountHex     Type = 0x00000100 // PERF_COUNTER_LARGE_RAWCOUNT_HEX
	CounterText          Type = 0x00000B00 // PERF_COUNTER_TEXT
	RawCount             Type = 0x00010000 // PERF_COUNTER_RAWCOUNT
	LargeRawCount        Type = 0x00010100 // PERF_COUNTER_LARGE_RAWCOUNT
	Delta                Type = 0x00400400 // PERF_COUNTER_DELTA
	LargeDelta           Type = 0x00400500 // PERF_COUNTER_LARGE_DELTA
	SampleCounter        Type = 0x00410400 // PERF_SAMPLE_COUNTER
	QueueLen             Type = 0x00450400 // PERF_COUNTER_QUEUELEN_TYPE
	LargeQueueLen        Type = 0x00450500 // PERF_COUNTER_LARGE_QUEUELEN_TYPE
	QueueLen100NS        Type = 0x00550500 // PERF_COUNTER_100NS_QUEUELEN_TYPE
	ObjTimeQueueLen      Type = 0x00650500 // PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE
	CounterCounter       Type = 0x10410400 // PERF_COUNTER_COUNTER
	BulkCount            Type = 0x10410500 // PERF_COUNTER_BULK_COUNT
	RawFraction          Type = 0x20020400 // PERF_RAW_FRACTION
	LargeRawFraction     Type = 0x20020500 // PERF_LARGE_RAW_FRACTION
	Timer                Type = 0x20410500 // PERF_COUNTER_TIMER
	PrecisionSystemTimer Type = 0x20470500 // PERF_PRECISION_SYSTEM_TIMER
	Timer100NSec         Type = 0x20510500 // PERF_100NSEC_TIMER
	Precision100NSTimer  Type = 0x20570500 // PERF_PRECISION_100NS_TIMER
	ObjTimeTimer         Type = 0x20610500 // PERF_OBJ_TIME_TIMER
	PrecisionObjectTimer Type = 0x20670500 // PERF_PRECISION_OBJECT_TIMER
	SampleFraction       Type = 0x20C20400 // PERF_SAMPLE_FRACTION
	TimerInv             Type = 0x21410500 // PERF_COUNTER_TIMER_INV
	TimerInv100NSec      Type = 0x21510500 // PERF_100NSEC_TIMER_INV
	MultiTimer           Type = 0x22410500 // PERF_COUNTER_MULTI_TIMER
	MultiTimer100NSec    Type = 0x22510500 // PERF_100NSEC_MULTI_TIMER
	MultiTimerInv        Type = 0x23410500 // PERF_COUNTER_MULTI_TIMER_INV
	MultiTimerInv100NSec Type = 0x23510500 // PERF_100NSEC_MULTI_TIMER_INV
	AverageTimer         Type = 0x30020400 // PERF_AVERAGE_TIMER
	ElapsedTime          Type = 0x30240500 // PERF_ELAPSED_TIME
	NoData               Type = 0x40000200 // PERF_COUNTER_NODATA
	AverageBulk          Type = 0x40020500 // PERF_AVERAGE_BULK
	SampleBase           Type = 0x40030401 // PERF_SAMPLE_BASE
	AverageBase          Type = 0x40030402 // PERF_AVERAGE_BASE
	RawBase              Type = 0x40030403 // PERF_RAW_BASE
	LargeRawBase         Type = 0x40030500 // PERF_LARGE_RAW_BASE
	PrecisionTimestamp   Type = 0x40030500 // PERF_PRECISION_TIMESTAMP, the same number
	MultiBase            Type = 0x42030500 // PERF_COUNTER_MULTI_BASE
	Histogram            Type = 0x80000000 // PERF_COUNTER_HISTOGRAM_TYPE
)

// Types that winperf.h does not define. ParseType and Types know more of them.
const (
	DoubleRaw       Type = 0x00012000 // PERF_DOUBLE_RAW of WMI: the raw value is a float64
	rawDec1000      Type = 0x00020000 // PERF_NUMBER_DEC_1000, of 4 bytes
	largeRawDec1000 Type = 0x00020100 // PERF_NUMBER_DEC_1000, of 8 bytes
	largeRawBaseWMI Type = 0x40030503 // how one WMI page writes PERF_LARGE_RAW_BASE
)

// Fields of the flag word and some of their values (winperf.h,
// PERF_COUNTER_DEFINITION.CounterType).
const (
	sizeMask    Type = 0x00000300
	sizeDWORD   Type = 0x00000000
	sizeLarge   Type = 0x00000100
	sizeZero    Type = 0x00000200
	typeMask    Type = 0x00000C00
	typeNumber  Type = 0x00000000
	typeCounter Type = 0x00000400
	typeText    Type = 0x00000800
	subtypeMask Type = 0x000F0000
	subtypeBase Type = 0x00030000
	timerMask   Type = 0x00300000
	flagInverse Type = 0x01000000
	flagMulti   Type = 0x02000000
	displayMask Type = 0x70000000
	displayNone Type = 0x40000000
)

// Info returns the description of the type; ok is false for an unknown type.
func (t Type) Info() (info Info, ok bool) {
	row := lookup(t)
	return *row, row != &unknown
}

// String returns the type's name in winperf.h, such as "PERF_100NSEC_TIMER", or its number in
// hexadecimal: "0x12345678".
func (t Type) String() string {
	if row := lookup(t); row != &unknown {
		return row.Name
	}
	return hexWord(t)
}

// MarshalText returns the text of String. The error is always nil.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets t to the result of [ParseType].
func (t *Type) UnmarshalText(text []byte) (err error) {
	*t, err = ParseType(string(text))
	return err
}

// IsBase reports whether the type is a base: the divisor of a fraction or an average.
func (t Type) IsBase() bool {
	return t&(typeMask|subtypeMask) == typeCounter|subtypeBase
}

// IsText reports whether the raw value is text.
func (t Type) IsText() bool { return t&typeMask == typeText }

// IsMulti reports whether the type is a multi-timer: the sum of several components, whose formula
// needs their number. It is false for [MultiBase].
func (t Type) IsMulti() bool { return t&flagMulti != 0 && !t.IsBase() }

// Inverse reports whether the raw value measures inactive time, such as the idle time of a
// processor. The displayable value is then the rest of the time.
func (t Type) Inverse() bool { return t&flagInverse != 0 && lookup(t).Cumulative }

// Width returns the bytes of the raw value according to the size bits: 4, 8, 0 for none, -1 for a
// variable length. A size in the sample (PERF_COUNTER_DEFINITION.CounterSize) has priority; see
// also Info.Bytes.
func (t Type) Width() int {
	switch t & sizeMask {
	case sizeDWORD:
		return 4
	case sizeLarge:
		return 8
	case sizeZero:
		return 0
	}
	return -1
}

// NeedsBase reports whether the formula needs the value of a base counter. It is false for
// multi-timers, whose number of components may be in a base counter; see [Type.IsMulti].
func (t Type) NeedsBase() bool {
	return lookup(t).formula.operands()&operandB1 != 0
}

// AcceptsBase reports whether base can be the base of t (ok), and whether it is the type that t
// defines (exact). If only ok is true, show a warning. Multi-timers accept only [MultiBase].
func (t Type) AcceptsBase(base Type) (ok, exact bool) {
	want := lookup(t).Base
	if want == noBase || !base.IsBase() {
		return false, false
	}
	if base == largeRawBaseWMI {
		base = LargeRawBase
	}
	exact = base == want
	return exact || want != MultiBase, exact
}

// Clock returns the clock that the formula uses.
func (t Type) Clock() Clock { return lookup(t).Clock }

// TimerClock returns the clock whose ticks a timer counts in its raw value, and NoClock for all other
// types. Except for precision timers, this is also the clock of the formula.
func (t Type) TimerClock() Clock {
	switch t {
	case Precision100NSTimer:
		return Clock100ns
	case PrecisionSystemTimer:
		return TickClock
	case PrecisionObjectTimer:
		return ObjectClock
	case Timer, Timer100NSec, ObjTimeTimer, TimerInv, TimerInv100NSec,
		MultiTimer, MultiTimer100NSec, MultiTimerInv, MultiTimerInv100NSec:
		return t.Clock()
	}
	return NoClock
}

// Second returns the meaning of the second raw value that PDH stores for a counter of this type
// (PDH_RAW_COUNTER.SecondValue of pdh.h): the base's raw value, or else the time of a clock. If
// base is false and clock is NoClock, the second value has no meaning.
func (t Type) Second() (base bool, clock Clock) {
	if t.NeedsBase() {
		return true, NoClock // an average uses only the frequency of its clock
	}
	return false, t.Clock()
}

// Samples returns the number of samples that the displayable value needs: 2, 1, or 0 for a type
// without one.
func (t Type) Samples() int { return lookup(t).Samples }

// OverTime reports whether the displayable value describes the time between two samples: a rate, a
// share of time, the average length of a queue. To average such values, weight each value by its time.
// It is false for averages over events, whatever their duration, and for states at one moment.
func (t Type) OverTime() bool {
	formula := lookup(t).formula
	return formula == formulaM || formulas[formula].operands&times == times
}

// Unit returns the unit of the displayable value.
func (t Type) Unit() Unit { return lookup(t).Unit }

// Cumulative reports whether the raw value of an instance only grows, except for a restart and,
// with 4 bytes, a wrap around 2^32.
func (t Type) Cumulative() bool { return lookup(t).Cumulative }
