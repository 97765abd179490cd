package counter

import (
	"math"
	"time"
)

// Clocks are the times that belong to one sample. Which of them a type uses
// follows from its timer bits (winperf.h: PERF_TIMER_TICK, PERF_TIMER_100NS,
// PERF_OBJECT_TIMER).
type Clocks struct {
	PerfTime   int64 // PERF_DATA_BLOCK.PerfTime, ticks
	PerfFreq   int64 // PERF_DATA_BLOCK.PerfFreq, ticks per second
	Time100ns  int64 // PERF_DATA_BLOCK.PerfTime100nSec, FILETIME in UTC
	ObjectTime int64 // PERF_OBJECT_TYPE.PerfTime, ticks of the object's own clock
	ObjectFreq int64 // PERF_OBJECT_TYPE.PerfFreq, ticks per second
}

// At returns what a clock showed, and its ticks per second.
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

// ClockStep returns by how much the system time was set between two samples, in
// units of 100 ns: how much further it went than the performance counter. It is
// 0 where the two agree, as far as 100 ms or 2 % of the time between the
// samples, and where the performance counter cannot tell.
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

// apart is the time in seconds between two samples: by the performance counter, or where
// that says nothing by the clock of a formula. It is 0 where no clock tells.
func apart(prev, cur Clocks, k Clock) float64 {
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

// Sample is one raw sample of one counter with all that its formula may need.
type Sample struct {
	Value uint64 // the raw value, zero-extended from its width
	Base  uint64 // the raw value of its base counter
	Multi uint64 // the number of components of a PERF_MULTI_COUNTER type
	Clocks
}

// WrapPolicy says what a cumulative raw value of 4 bytes (or a base of 4
// bytes) that fell between two samples means. Values of 8 bytes never wrap.
type WrapPolicy uint8

// The policies.
const (
	// WrapPlausible takes a fall for a wrap around 2^32 when the instance is
	// known to be the same and the difference modulo 2^32 is below 2^31.
	WrapPlausible WrapPolicy = iota
	// WrapNever takes every fall for an error, as PDH does.
	WrapNever
	// WrapAlways computes every difference modulo 2^32, except for totals
	// over instances, which fall when an instance ends.
	WrapAlways
)

// Match says how well it is known that the older and the newer raw value of an
// element belong to the same instance.
type Match uint8

// The degrees.
const (
	Unmatched  Match = iota // there is no older value
	Verified                // the same instance
	Unverified              // the same by name and position only
	Aggregate               // a total over instances (_Total): the same, but it may fall
)

// Options choose between the readings of sources that differ. The zero value
// is the recommended one.
type Options struct {
	// Wrap is the policy for falling values of 4 bytes.
	Wrap WrapPolicy
	// Clamp raises the small negative results that clock jitter gives
	// inverse timers to 0.
	Clamp bool
	// Cap100 lowers percentages above 100 to 100, as PDH does by default.
	Cap100 bool
	// NeedPrevious gives NoPrevious to a process or thread that began after the older sample, as PDH does.
	// The default counts it from zero, see frame.CountsFromZero. Formulas ignore it.
	NeedPrevious bool
	// Least is the least time between two samples of which a rate is computed;
	// those of a shorter one are TooClose. 0 computes all, as PDH does.
	Least time.Duration
}

// Result is what became of one counter: Value holds something only when
// Status is OK.
type Result struct {
	Value  Value
	Unit   Unit
	Status Status
}

// Cook computes the displayable value of a counter from one or two samples of
// the same instance. prev may be nil: two-sample types then give NoPrevious.
// Values and bases have the sizes that their types say; where samples say
// other sizes use [NewFormula].
//
// A text counter gives Unsupported: its text is its value.
func Cook(t Type, prev, cur *Sample, opt Options) Result {
	f := NewFormula(t, 0, 0, opt)
	return f.CookOne(prev, cur, Verified)
}

// CookOne computes a single value as [Cook] does, from samples that are known to
// belong together as well as match tells. prev may be nil; without cur the
// result is NoInstance.
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
