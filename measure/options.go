package measure

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/schedule"
)

// Clock provides the time to a measurement. The time of day and the elapsed time are separate,
// because users can set the time of day.
type Clock interface {
	// Now returns the time of day.
	Now() time.Time
	// Elapsed returns the time since a fixed moment. It never decreases. Whether it advances while
	// the machine is suspended depends on the system.
	Elapsed() time.Duration
	// Timer returns a channel that receives one value after d, and a function that stops the timer.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// Options configure a [Measurement] and [Watch]. The zero Options are good defaults.
type Options struct {
	// Cook selects variants of the formulas. If its Least is 0, [LeastInterval] is used for the
	// sources to which it applies. A negative Least means no limit.
	Cook counter.Options
	// Language is the language of object and counter names in paths, in a form that
	// nametable.ParseLanguage accepts; "" is the preferred language of the source.
	Language string
	// Exclude omits the counters and instances that these paths match.
	Exclude []winperf.Path
	// FramesOnly decodes frames but computes no readings.
	FramesOnly bool
	// RawOnly decodes nothing: a Cycle contains the Sample, an empty Frame and no Names, and its
	// Time is the time of the Clock at the start of the sample. It is for programs that store
	// samples. If the source has no raw samples, Decode fails with an error that wraps
	// winperf.ErrNotSupported.
	RawOnly bool
	// Names are rules that rename instances. The first rule with a name for an instance applies. See
	// ByPID.
	Names []NameRule
	// Source is the name of the source in anomalies and in readings of the object winperf; it may
	// be "" if there is only one source.
	Source string
	// Clock is the clock of the measurement; nil is the system clock, which on Linux advances while
	// the machine is suspended.
	Clock Clock

	// CostlyTogether samples costly objects together with the other objects. Without it, if the
	// selection has both kinds, the costly objects of a live source are sampled independently, in
	// parallel with the use of the readings, so that they never delay the other objects. Their readings
	// have their own times. Only the first Prepare waits for them, no longer than Interval. With
	// FramesOnly or RawOnly, costly objects are always sampled together with the others.
	CostlyTogether bool
	// CostlyInterval is the minimum time between two independent samples of costly objects. It is
	// never less than half of Interval.
	CostlyInterval time.Duration

	// Interval is the time between two samples of Watch; 0 means one second. The minimum is
	// LeastInterval.
	Interval time.Duration
	// Count ends Watch after this number of cycles; 0 means no end.
	Count int
	// For ends Watch of a live source when no further sample is due within this time after the
	// first sample; 0 means no end. A late last sample is still yielded.
	For time.Duration
	// End ends Watch of a live source when no further sample is due at or before this time of day of
	// the Clock; zero means no end.
	End time.Time
	// KeepFirst makes Watch yield the first cycle, too, in which counters that need two samples have
	// no value.
	KeepFirst bool
	// Speed is the speed at which Watch replays a log: 1 is the recorded speed, 10 is ten times
	// faster; 0 is as fast as possible.
	Speed float64
}

// LeastInterval is the shortest time between two samples from which a rate is computed: 10 ms. The
// Linux kernel counts many durations in units of 10 ms, so that a rate over less time would be 0 or
// 100 %. The clocks of Windows tick every 15.6 ms or faster.
//
// It applies to live sources and to captures of a Linux host. Other logs have no limit, as in
// Performance Monitor.
const LeastInterval = schedule.Least

func (o *Options) interval() time.Duration { return schedule.Interval(o.Interval) }
