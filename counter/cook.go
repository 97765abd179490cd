package counter

import (
	"math"
	"time"
)

// Clocks are the times of one sample. A type's timer bits select the clock (winperf.h:
// PERF_TIMER_TICK, PERF_TIMER_100NS, PERF_OBJECT_TIMER).
type Clocks struct {
	PerfTime   int64 // PERF_DATA_BLOCK.PerfTime, ticks
	PerfFreq   int64 // PERF_DATA_BLOCK.PerfFreq, ticks per second
	Time100ns  int64 // PERF_DATA_BLOCK.PerfTime100nSec, FILETIME in UTC
	ObjectTime int64 // PERF_OBJECT_TYPE.PerfTime, ticks of the object's own clock
	ObjectFreq int64 // PERF_OBJECT_TYPE.PerfFreq, ticks per second
}

// At returns the time of a clock in ticks, and its ticks per second.
func (c *Clocks) At(k Clock) (now, perSecond int64) {
	switch k {
	case TickClock:
		return c.PerfTime, c.PerfFreq
	case Clock100ns:
		return c.Time100ns, 1e7
	case ObjectClock:
		return c.ObjectTime, c.ObjectFreq
	}
	return 0, 0
}

// ClockStep returns how far the system time was set between two samples, in units of 100 ns: the time
// between them by the system time, minus the time by PerfTime. It is 0 if the difference is below the
// larger of 100 ms and 2 % of the time by PerfTime, or if PerfTime is not usable.
func ClockStep(prev, cur Clocks) int64 {
	const tolerance, share, limit = 1e6, 0.02, 1e18
	if prev.PerfFreq != cur.PerfFreq || cur.PerfFreq <= 0 || cur.PerfTime <= prev.PerfTime {
		return 0
	}
	passed := (float64(cur.PerfTime) - float64(prev.PerfTime)) / float64(cur.PerfFreq) * 1e7
	step := float64(cur.Time100ns) - float64(prev.Time100ns) - passed
	if size := math.Abs(step); size <= max(tolerance, passed*share) || size > limit {
		return 0
	}
	return int64(step)
}

// secondsBetween returns the seconds between two samples, by PerfTime or else by the clock k. It is 0 if
// neither is usable.
func secondsBetween(prev, cur Clocks, k Clock) float64 {
	if cur.PerfFreq > 0 && cur.PerfTime > prev.PerfTime {
		return float64(uint64(cur.PerfTime-prev.PerfTime)) / float64(cur.PerfFreq)
	}
	before, _ := prev.At(k)
	now, freq := cur.At(k)
	if freq <= 0 || now <= before {
		return 0
	}
	return float64(uint64(now-before)) / float64(freq)
}

// Sample is one raw sample of one counter with the other numbers that its formula may need.
type Sample struct {
	Value uint64 // the raw value, zero-extended from its width
	Base  uint64 // the raw value of its base counter
	Multi uint64 // the number of components of a PERF_MULTI_COUNTER type
	Clocks
}

// WrapPolicy says how to interpret a cumulative raw value or base of 4 bytes that fell between two
// samples. Values of 8 bytes never wrap.
type WrapPolicy uint8

// The policies.
const (
	// WrapPlausible treats a fall as a wrap around 2^32 if the instance is verified to be the same
	// and the difference modulo 2^32 is below 2^31.
	WrapPlausible WrapPolicy = iota
	// WrapNever treats every fall as an error, as PDH does.
	WrapNever
	// WrapAlways computes every difference modulo 2^32, except for totals over instances, which fall
	// when an instance ends.
	WrapAlways
)

// Match is the certainty that the older and the newer raw value of an element belong to the same
// instance.
type Match uint8

// The degrees of certainty.
const (
	Unmatched  Match = iota // no older value
	Verified                // the same instance
	Unverified              // probably the same instance
	Aggregate               // the same total over instances (_Total), which falls when an instance ends
)

// Options select between different conventions for computing values. The zero value is recommended.
type Options struct {
	// Wrap is the policy for falling values of 4 bytes.
	Wrap WrapPolicy
	// Clamp raises the small negative results that clock jitter causes in inverse timers to 0.
	Clamp bool
	// Cap100 lowers percentages above 100 to 100, as PDH does by default.
	Cap100 bool
	// NeedPrevious returns NoPrevious for a process or thread that began after the older sample, as
	// PDH does. By default its older raw values are taken as zero; see frame.CountsFromZero. It
	// applies to pairs of frames; NewFormula ignores it.
	NeedPrevious bool
	// Least is the shortest time between two samples for a rate; below it the status is TooClose. 0
	// means no limit, as in PDH.
	Least time.Duration
}

// Result is the value of one counter. Value is set only if Status is OK.
type Result struct {
	Value  Value
	Unit   Unit
	Status Status
}

// Cook computes the displayable value of a counter from one or two samples of the same instance. If
// prev is nil, two-sample types return NoPrevious. Values and bases have the sizes that their types
// define; for other sizes use [NewFormula].
//
// A text counter returns Unsupported: its text is its value.
func Cook(t Type, prev, cur *Sample, opt Options) Result {
	f := NewFormula(t, 0, 0, opt)
	return f.CookOne(prev, cur, Verified)
}

// CookOne computes a single value as [Cook] does. match is the certainty that both samples are of
// the same instance. prev may be nil; if cur is nil the result is NoInstance.
func (f *Formula) CookOne(prev, cur *Sample, match Match) Result {
	if cur == nil {
		return Result{Unit: f.unit, Status: NoInstance}
	}
	if prev == nil {
		prev, match = &Sample{}, Unmatched
	}

	second := cur.Base
	if f.NeedsMulti() {
		second = cur.Multi
	}

	var bits [1]uint64
	var status [1]Status
	f.Cook(prev.Clocks, cur.Clocks, &Batch{
		Prev: []uint64{prev.Value}, Cur: []uint64{cur.Value},
		PrevBase: []uint64{prev.Base}, CurBase: []uint64{second},
		Match: []Match{match}, Bits: bits[:], Status: status[:],
	})

	r := Result{Unit: f.unit, Status: status[0]}
	if r.Status == OK {
		r.Value = FromBits(f.kind, bits[0])
	}
	return r
}
