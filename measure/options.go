package measure

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/schedule"
)

// Clock provides the time to a measurement. The time of day and the elapsed time are separate,
// because only the time of day can be set.
type Clock interface {
	// Now returns the time of day.
	Now() time.Time
	// Elapsed returns the time since a fixed moment. It never goes back; whether it advances while
	// the machine is suspended depends on the system.
	Elapsed() time.Duration
	// Timer returns a channel that receives one value after d, and a function that stops the timer.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// Options configure a [Measurement] and [Watch]. The zero Options are good defaults.
type Options struct {
	// Cook selects variants of the formulas. If Least is 0, LeastInterval is used, except for logs
	// that are computed as Windows does it. A negative Least means no limit.
	Cook counter.Options
	// Language is the language of object and counter names in paths, in a form that
	// nametable.ParseLanguage accepts; "" is the preferred language of the source.
	Language string
	// Exclude omits the counters and instances that these paths match.
	Exclude []winperf.Path
	// FramesOnly decodes frames but computes no readings.
	FramesOnly bool
	// RawOnly decodes nothing: a Cycle contains the Sample, an empty Frame and no Names, and its Time
	// is the time of the Clock when the sample began. It is for programs that store samples. The
	// source must have raw samples.
	RawOnly bool
	// Names are rules that rename instances. The first rule with a name for an instance applies. See
	// ByPID.
	Names []NameRule
	// Source is the name of the source in anomalies and in readings of the object winperf; "" is
	// suitable for a single source.
	Source string
	// Clock is the clock of the measurement; nil is the system clock, which on Linux advances while
	// the machine is suspended.
	Clock Clock

	// CostlyTogether takes costly objects in the same sample as the others. Without it, if the
	// selection has other objects, too, a live source's costly objects are sampled independently,
	// after the others and in parallel with the use of the readings, so that they never delay the
	// others. Their readings have their own times. Only their first sample is waited for, up to an
	// interval. With FramesOnly or RawOnly, samples always hold both.
	CostlyTogether bool
	// CostlyInterval is the minimum time between two independent samples of costly objects; 0 starts
	// the next one when the previous one is done. It is never less than half the interval.
	CostlyInterval time.Duration

	// Interval is the time between two samples of Watch; 0 means one second. The minimum is
	// LeastInterval.
	Interval time.Duration
	// Count ends Watch after this number of cycles; 0 means no end.
	Count int
	// For ends Watch of a live source when no further sample is due within this time after the first
	// one; 0 means no end. The last sample is complete, even if it is late.
	For time.Duration
	// End ends Watch of a live source when no further sample is due at or before this time of day of
	// the Clock; zero means no end.
	End time.Time
	// KeepFirst makes Watch yield the first cycle of a live source, too, in which counters that need
	// two samples have no value. In later cycles a process or thread that began after the previous
	// sample counts from zero, unless Cook.NeedPrevious is set.
	KeepFirst bool
	// Speed is the speed at which Watch replays a log: 1 is the recorded speed, 10 is ten times
	// faster; 0 is as fast as possible.
	Speed float64
}

// LeastInterval is the least time between two samples of which a rate is computed. Many times in the
// kernel of Linux have units of 10 ms: a rate over less time would be 0 or 100 %. The clocks of
// Windows tick every 15.6 ms or faster.
//
// It applies to live sources and to captures of a Linux host. Other logs are computed as Windows does
// it: PDH has no such limit, and a rate has no value only if the clock did not advance. Their values
// equal the values in Performance Monitor.
const LeastInterval = schedule.Least

func (o *Options) interval() time.Duration { return schedule.Interval(o.Interval) }
