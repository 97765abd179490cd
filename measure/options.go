package measure

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/schedule"
)

// Clock is what a measurement tells the time by. The time of day and the time
// that passes are apart, since the one can be set and the other cannot.
type Clock interface {
	// Now is the time of day.
	Now() time.Time
	// Elapsed is how long ago some fixed moment was. It never goes back; whether
	// it stands still while the machine is suspended is up to the system.
	Elapsed() time.Duration
	// Timer returns a channel that gets a value when the time has passed, and
	// what gives the timer up.
	Timer(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// Options for a [Measurement] and for [Watch]. The zero Options are good
// defaults.
type Options struct {
	// Cook chooses between readings of the formulas. Where Least is 0 it becomes
	// LeastInterval, but for logs that are computed as Windows does it; below 0 there is no bound.
	Cook counter.Options
	// Language of object and counter names in paths, as nametable.ParseLanguage
	// takes it; "" is the source's preferred one.
	Language string
	// Exclude leaves out what these paths name.
	Exclude []winperf.Path
	// FramesOnly makes no readings: the frames are what is wanted.
	FramesOnly bool
	// RawOnly decodes nothing. A Cycle then holds the sample in Sample, an empty Frame, and
	// no Names. Its Time is when the sample was taken by the clock of this machine. RawOnly
	// is for programs that store samples. The source must have raw samples.
	RawOnly bool
	// Names are rules that give instances other names, the first that has a name
	// for an instance first. See ByPID.
	Names []NameRule
	// Source names the source in anomalies and in readings of the measurement
	// itself; "" suits where there is only one.
	Source string
	// Clock is what the measurement tells the time by; nil is the system's clock. On Linux
	// that goes on while the machine is suspended.
	Clock Clock

	// CostlyTogether takes costly objects in the same sample as the others.
	// Without it, a live source's costly objects are sampled apart where others
	// are wanted too, after these and beside the use of the readings, so that
	// they never delay the others; their readings have their own times. Only their first sample is
	// waited for, as long as an interval. Frames that are wanted as
	// they are, FramesOnly and RawOnly, always hold both.
	CostlyTogether bool
	// CostlyInterval is the least time between two samples of costly objects
	// that are sampled apart; 0 takes the next one when the last is done. It is
	// never less than half the interval.
	CostlyInterval time.Duration

	// Interval is the time between two samples of Watch; 0 means one second. A shorter one
	// than LeastInterval is raised to that.
	Interval time.Duration
	// Count ends Watch after so many cycles; 0 means no end.
	Count int
	// For ends Watch of a live source when no further sample is due in this time since
	// the first one; 0 means no end. The last sample is as whole as all others, also when
	// it is late.
	For time.Duration
	// End ends Watch of a live source when no further sample is due before this time of
	// day, or just at it, on the Clock, which can be set; zero means no end.
	End time.Time
	// KeepFirst makes Watch yield the first cycle of a live source too, in
	// which counters that need two samples have no value yet. In later cycles a process or thread that
	// began after the previous sample counts from zero, unless Cook.NeedPrevious is set.
	KeepFirst bool
	// Speed is the pace of recorded sources in Watch: 1 is that of the record,
	// 10 is ten times faster; 0 is as fast as possible.
	Speed float64
}

// LeastInterval is the least time between two samples of which a rate is computed. Many of
// the times that the kernel of Linux tells have units of 10 ms: a rate over less time is 0 or
// 100 %, whatever happened. The clocks of Windows tick every 15.6 ms or faster.
//
// It applies to live sources and to captures of a Linux host. Other recorded sources are
// computed as Windows does it: PDH knows no such bound, and only a clock that stands still
// leaves a rate without a value. So the values are those of Performance Monitor, however
// close the samples of a log are.
const LeastInterval = schedule.Least

// interval is the time between two samples.
func (o *Options) interval() time.Duration { return schedule.Interval(o.Interval) }
