package main

import "github.com/winperf/winperf/counter"

// processor is an invented processor, or a total of several.
type processor struct {
	name             string
	user, privileged uint64
	interrupts, dpcs uint64
	idleBreaks       uint64
	mhz              uint64
}

// processors are the instances in the order of Windows. Totals are averages of times and frequencies, and
// sums of events.
var processors = []processor{
	{name: "_Total", user: 30, privileged: 20, interrupts: 1500, dpcs: 60, idleBreaks: 400, mhz: 2100},
	{name: "0,_Total", user: 30, privileged: 20, interrupts: 1500, dpcs: 60, idleBreaks: 400, mhz: 2100},
	{name: "0,0", user: 50, privileged: 25, interrupts: 1000, dpcs: 40, idleBreaks: 100, mhz: 2400},
	{name: "0,1", user: 10, privileged: 15, interrupts: 500, dpcs: 20, idleBreaks: 300, mhz: 1800},
}

const (
	percent    = 1e5  // 1 % of a second, in units of 100 ns
	fullMHz    = 2400 // of a processor at its nominal frequency
	clockTicks = 64   // clock interrupts a second
)

// Percentages of the time, and of the nominal frequency.
func (p processor) busy() uint64  { return p.user + p.privileged }
func (p processor) speed() uint64 { return p.mhz * 100 / fullMHz }

// Units of 100 ns in a second.
func (p processor) userTime() uint64       { return p.user * percent }
func (p processor) privilegedTime() uint64 { return p.privileged * percent }
func (p processor) idleTime() uint64       { return (100 - p.busy()) * percent }

// registered is a counter of the set: its registration and its raw value, which for all types except
// PERF_COUNTER_RAWCOUNT is the increase per second.
type registered struct {
	id    uint32
	name  string
	typ   counter.Type
	base  uint32 // id of its base, or none
	value func(p processor) uint64
}

// counters are all counters of the set with their ids; 29 is unused.
var counters = []registered{
	{0, "% Processor Time", counter.TimerInv100NSec, none, processor.idleTime},
	{1, "% User Time", counter.Timer100NSec, none, processor.userTime},
	{2, "% Privileged Time", counter.Timer100NSec, none, processor.privilegedTime},
	{3, "Interrupts/sec", counter.CounterCounter, none, func(p processor) uint64 { return p.interrupts }},
	{4, "% DPC Time", counter.Timer100NSec, none, always(1 * percent)},
	{5, "% Interrupt Time", counter.Timer100NSec, none, always(2 * percent)},
	{6, "DPCs Queued/sec", counter.CounterCounter, none, func(p processor) uint64 { return p.dpcs }},
	{7, "DPC Rate", counter.RawCount, none, always(3)},
	{8, "% Idle Time", counter.Timer100NSec, none, processor.idleTime},
	{9, "% C1 Time", counter.Timer100NSec, none, processor.idleTime},
	{10, "% C2 Time", counter.Timer100NSec, none, always(0)},
	{11, "% C3 Time", counter.Timer100NSec, none, always(0)},
	{12, "C1 Transitions/sec", counter.BulkCount, none, func(p processor) uint64 { return p.idleBreaks }},
	{13, "C2 Transitions/sec", counter.BulkCount, none, always(0)},
	{14, "C3 Transitions/sec", counter.BulkCount, none, always(0)},
	{15, "% Priority Time", counter.TimerInv100NSec, none, always(75 * percent)},
	{16, "Parking Status", counter.RawCount, none, always(0)},
	{17, "Processor Frequency", counter.RawCount, none, func(p processor) uint64 { return p.mhz }},
	{18, "% of Maximum Frequency", counter.RawCount, none, processor.speed},
	{19, "Processor State Flags", counter.RawCount, none, always(0)},
	{20, "Clock Interrupts/sec", counter.CounterCounter, none, always(clockTicks)},
	{21, "Average Idle Time", counter.Precision100NSTimer, 22, processor.idleTime},
	{22, "Average Idle Time Base", counter.PrecisionTimestamp, none, always(100 * percent)},
	{23, "Idle Break Events/sec", counter.BulkCount, none, func(p processor) uint64 { return p.idleBreaks }},
	{24, "% Processor Performance", counter.AverageBulk, 25, processor.speed},
	{25, "% Processor Performance Base", counter.AverageBase, none, always(1)},
	{26, "% Processor Utility", counter.AverageBulk, 27, processor.busy},
	{27, "% Utility Base", counter.AverageBase, none, always(1)},
	{28, "% Privileged Utility", counter.AverageBulk, 27, func(p processor) uint64 { return p.privileged }},
	{30, "% Performance Limit", counter.RawCount, none, always(100)},
	{31, "Performance Limit Flags", counter.RawCount, none, always(0)},
}

func always(value uint64) func(processor) uint64 { return func(processor) uint64 { return value } }

// at returns the raw value of a processor at the given uptime in seconds.
func (c *registered) at(p processor, seconds int) uint64 {
	if c.typ == counter.RawCount {
		return c.value(p)
	}
	return c.value(p) * uint64(seconds)
}
