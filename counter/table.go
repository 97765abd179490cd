package counter

import (
	"iter"
	"slices"
)

// Info describes one counter type.
type Info struct {
	Type Type
	// Name is the constant of winperf.h, or the number in hexadecimal if no document names it.
	Name    string
	Alias   string    // another constant with the same number, "" = none
	formula formulaID // formula of the displayable value
	Clock   Clock     // clock of the formula
	Base    Type      // type of its base or component count, 0 = none
	Samples int       // number of samples needed: 2, 1, or 0 for no displayable value
	Bytes   int       // bytes of the raw value if a sample does not define them: 4, 8, 0 = none, -1 = variable
	Kind    Kind      // kind of the displayable value
	Unit    Unit      // unit of the displayable value
	// Cumulative: the raw value of an instance only grows, except for a restart or a wrap.
	Cumulative bool
	Brief      string // meaning of the value, in one line
	Source     string // the document that defines it
}

// Clock selects one of the [Clocks] for a formula.
type Clock uint8

// The clocks.
const (
	NoClock     Clock = iota // no clock: the value needs none, or the base measures the time
	TickClock                // PerfTime and PerfFreq of PERF_DATA_BLOCK (PERF_TIMER_TICK)
	Clock100ns               // PerfTime100nSec of PERF_DATA_BLOCK, 10^7 per second (PERF_TIMER_100NS)
	ObjectClock              // PerfTime and PerfFreq of PERF_OBJECT_TYPE (PERF_OBJECT_TIMER)
)

var clockWords = [...]string{"none", "tick", "100ns", "object"}

// String returns the clock's word: "none", "tick", "100ns" or "object".
func (k Clock) String() string {
	if int(k) < len(clockWords) {
		return clockWords[k]
	}
	return clockWords[NoClock]
}

// Documents that define types. Titles without a publisher are pages on Microsoft Learn.
const (
	header    = "winperf.h"
	headerPCQ = "winperf.h; MS-PCQ"
	calc      = "winperf.h; Calculating Counter Values"
	wmi       = "CounterType Qualifier (WMI)"
)

const noBase Type = 0 // a type without base

// unknown is the row for every word that is not in the table.
var unknown Info

// Types ranges over all known types in the order of their numbers.
func Types() iter.Seq[Info] { return slices.Values(types[:]) }

// lookup returns the row of a type, or &unknown.
func lookup(t Type) *Info {
	lo, hi := 0, len(types)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if types[mid].Type < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}

	if lo < len(types) && types[lo].Type == t {
		return &types[lo]
	}
	return &unknown
}

// types lists the counter types in the order of their numbers. The columns are the fields of Info:
// type, name, alias, formula, clock, base, samples, bytes, kind, unit, cumulative, brief, source.
var types = [...]Info{
	{RawCountHex, "PERF_COUNTER_RAWCOUNT_HEX", "",
		formulaA, NoClock, noBase, 1, 4, KindHex32, Count, false,
		"the raw value, shown in hexadecimal", calc},
	{LargeRawCountHex, "PERF_COUNTER_LARGE_RAWCOUNT_HEX", "",
		formulaA, NoClock, noBase, 1, 8, KindHex, Count, false, "the raw value, shown in hexadecimal", calc},
	{CounterText, "PERF_COUNTER_TEXT", "",
		formulaP, NoClock, noBase, 1, -1, KindText, TextUnit, false, "a text", header},
	{RawCount, "PERF_COUNTER_RAWCOUNT", "",
		formulaA, NoClock, noBase, 1, 4, KindInt, Count, false, "the raw value", calc},
	{LargeRawCount, "PERF_COUNTER_LARGE_RAWCOUNT", "",
		formulaA, NoClock, noBase, 1, 8, KindInt, Count, false, "the raw value", calc},
	// Its size bits say 4 bytes, and 0x2000 is no flag of winperf.h.
	{DoubleRaw, "PERF_DOUBLE_RAW", "",
		formulaA3, NoClock, noBase, 1, 8, KindFloat, Count, false, "the raw value, a double", wmi},
	// winperf.h has the flag, but no type with it.
	{rawDec1000, "PERF_NUMBER_DEC_1000", "",
		formulaA2, NoClock, noBase, 1, 4, KindFloat, Count, false, "the raw value in thousandths", header},
	{largeRawDec1000, "0x00020100", "",
		formulaA2, NoClock, noBase, 1, 8, KindFloat, Count, false, "the raw value in thousandths", header},
	{Delta, "PERF_COUNTER_DELTA", "",
		formulaB, NoClock, noBase, 2, 4, KindInt, Count, true,
		"how much was added since the previous sample", headerPCQ},
	{LargeDelta, "PERF_COUNTER_LARGE_DELTA", "",
		formulaB, NoClock, noBase, 2, 8, KindInt, Count, true,
		"how much was added since the previous sample", headerPCQ},
	{SampleCounter, "PERF_SAMPLE_COUNTER", "",
		formulaC, TickClock, noBase, 2, 4, KindFloat, PerSecond, true, "events per second", calc},
	{QueueLen, "PERF_COUNTER_QUEUELEN_TYPE", "",
		formulaH, TickClock, noBase, 2, 4, KindFloat, Count, true, "the average length of a queue", calc},
	{LargeQueueLen, "PERF_COUNTER_LARGE_QUEUELEN_TYPE", "",
		formulaH, TickClock, noBase, 2, 8, KindFloat, Count, true, "the average length of a queue", calc},
	{QueueLen100NS, "PERF_COUNTER_100NS_QUEUELEN_TYPE", "",
		formulaH, Clock100ns, noBase, 2, 8, KindFloat, Count, true, "the average length of a queue", calc},
	{ObjTimeQueueLen, "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", "",
		formulaH, ObjectClock, noBase, 2, 8, KindFloat, Count, true, "the average length of a queue", calc},
	{CounterCounter, "PERF_COUNTER_COUNTER", "",
		formulaC, TickClock, noBase, 2, 4, KindFloat, PerSecond, true, "events per second", calc},
	{BulkCount, "PERF_COUNTER_BULK_COUNT", "",
		formulaC, TickClock, noBase, 2, 8, KindFloat, PerSecond, true, "events or amounts per second", calc},
	{RawFraction, "PERF_RAW_FRACTION", "",
		formulaI, NoClock, RawBase, 1, 4, KindFloat, Percent, false, "a part of a whole", calc},
	{LargeRawFraction, "PERF_LARGE_RAW_FRACTION", "",
		formulaI, NoClock, LargeRawBase, 1, 8, KindFloat, Percent, false, "a part of a whole", calc},
	{Timer, "PERF_COUNTER_TIMER", "",
		formulaD, TickClock, noBase, 2, 8, KindFloat, Percent, true,
		"the share of time something was active", calc},
	{PrecisionSystemTimer, "PERF_PRECISION_SYSTEM_TIMER", "",
		formulaM, NoClock, PrecisionTimestamp, 2, 8, KindFloat, Percent, true,
		"the share of time something was active, by the provider's own time stamps", calc},
	{Timer100NSec, "PERF_100NSEC_TIMER", "",
		formulaD, Clock100ns, noBase, 2, 8, KindFloat, Percent, true,
		"the share of time something was active", calc},
	{Precision100NSTimer, "PERF_PRECISION_100NS_TIMER", "",
		formulaM, NoClock, PrecisionTimestamp, 2, 8, KindFloat, Percent, true,
		"the share of time something was active, by the provider's own time stamps", calc},
	{ObjTimeTimer, "PERF_OBJ_TIME_TIMER", "",
		formulaD, ObjectClock, noBase, 2, 8, KindFloat, Percent, true,
		"the share of time something was active", calc},
	{PrecisionObjectTimer, "PERF_PRECISION_OBJECT_TIMER", "",
		formulaM, NoClock, PrecisionTimestamp, 2, 8, KindFloat, Percent, true,
		"the share of time something was active, by the provider's own time stamps", calc},
	{SampleFraction, "PERF_SAMPLE_FRACTION", "",
		formulaJ, NoClock, SampleBase, 2, 4, KindFloat, Percent, true,
		"the share of operations that had some result", calc},
	{TimerInv, "PERF_COUNTER_TIMER_INV", "",
		formulaE, TickClock, noBase, 2, 8, KindFloat, Percent, true,
		"the share of time something was active, from its idle time", calc},
	{TimerInv100NSec, "PERF_100NSEC_TIMER_INV", "",
		formulaE, Clock100ns, noBase, 2, 8, KindFloat, Percent, true,
		"the share of time something was active, from its idle time", calc},
	{MultiTimer, "PERF_COUNTER_MULTI_TIMER", "",
		formulaF1, TickClock, MultiBase, 2, 8, KindFloat, Percent, true,
		"the share of time that several components were active", calc},
	{MultiTimer100NSec, "PERF_100NSEC_MULTI_TIMER", "",
		formulaF2, Clock100ns, MultiBase, 2, 8, KindFloat, Percent, true,
		"the share of time that several components were active", calc},
	{MultiTimerInv, "PERF_COUNTER_MULTI_TIMER_INV", "",
		formulaG, TickClock, MultiBase, 2, 8, KindFloat, Percent, true,
		"the share of time that several components were active, from their idle time", calc},
	{MultiTimerInv100NSec, "PERF_100NSEC_MULTI_TIMER_INV", "",
		formulaG, Clock100ns, MultiBase, 2, 8, KindFloat, Percent, true,
		"the share of time that several components were active, from their idle time", calc},
	// Its size bits say 4 bytes, but Windows provides 8. Only the clock's frequency is used.
	{AverageTimer, "PERF_AVERAGE_TIMER", "",
		formulaK, TickClock, AverageBase, 2, 8, KindFloat, Seconds, true,
		"the time of an operation on average", calc},
	{ElapsedTime, "PERF_ELAPSED_TIME", "",
		formulaO, ObjectClock, noBase, 1, 8, KindFloat, Seconds, false,
		"the time since something started", calc},
	{NoData, "PERF_COUNTER_NODATA", "",
		formulaP, NoClock, noBase, 0, 0, KindNone, NoUnit, false, "a heading without a value", header},
	{AverageBulk, "PERF_AVERAGE_BULK", "",
		formulaL, NoClock, AverageBase, 2, 8, KindFloat, Count, true,
		"items of an operation on average", calc},
	{SampleBase, "PERF_SAMPLE_BASE", "",
		formulaQ, NoClock, noBase, 0, 4, KindNone, NoUnit, true, "the base of PERF_SAMPLE_FRACTION", calc},
	{AverageBase, "PERF_AVERAGE_BASE", "",
		formulaQ, NoClock, noBase, 0, 4, KindNone, NoUnit, true,
		"the base of PERF_AVERAGE_TIMER and PERF_AVERAGE_BULK", calc},
	{RawBase, "PERF_RAW_BASE", "",
		formulaQ, NoClock, noBase, 0, 4, KindNone, NoUnit, false, "the base of PERF_RAW_FRACTION", calc},
	{LargeRawBase, "PERF_LARGE_RAW_BASE", "PERF_PRECISION_TIMESTAMP",
		formulaQ, NoClock, noBase, 0, 8, KindNone, NoUnit, false,
		"the base of PERF_LARGE_RAW_FRACTION and of the precision timers", calc},
	{largeRawBaseWMI, "0x40030503", "",
		formulaQ, NoClock, noBase, 0, 8, KindNone, NoUnit, false,
		"PERF_LARGE_RAW_BASE, as one page of the documentation spells it", wmi},
	{MultiBase, "PERF_COUNTER_MULTI_BASE", "",
		formulaQ, NoClock, noBase, 0, 8, KindNone, NoUnit, false,
		"the number of components of a multi-timer", calc},
	{Histogram, "PERF_COUNTER_HISTOGRAM_TYPE", "",
		formulaR, NoClock, noBase, 0, 4, KindNone, NoUnit, false, "begin or end of a histogram", header},
}
