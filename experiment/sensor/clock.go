package sensor

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// TimeSource is a clock of a source. Each sample holds its time, so reading it costs nothing extra.
type TimeSource struct {
	// Name is source/clock: windows.winperf/tick is the performance counter (PERF_DATA_BLOCK.PerfTime),
	// windows.winperf/100ns the system time as a FILETIME in UTC (PERF_DATA_BLOCK.PerfTime100nSec), and
	// windows.winperf/object/Process the clock of an object (PERF_OBJECT_TYPE.PerfTime).
	Name string
	// Clock selects one of the sample's clocks.
	Clock counter.Clock
	// ObjectID is the owner of an object clock.
	ObjectID winperf.ObjectID
	// Freq is the number of ticks per second. The clock may advance in larger steps, which systems do not
	// report.
	Freq int64
}

// Resolution returns the length of a tick in seconds.
func (t TimeSource) Resolution() float64 { return 1 / float64(t.Freq) }

// Read returns the clock's time in a sample, in ticks. ok is false if the sample lacks the clock or its
// frequency has changed.
func (t TimeSource) Read(f frame.Frame) (ticks int64, ok bool) {
	if f.IsZero() {
		return 0, false
	}
	c := f.Clocks()
	if t.Clock == counter.ObjectClock {
		o, found := f.Find(t.ObjectID)
		if !found {
			return 0, false
		}
		c = o.Clocks()
	}
	ticks, freq := c.At(t.Clock)
	return ticks, freq == t.Freq && freq > 0
}

func timeSources(source string, f frame.Frame, groups []Group) []TimeSource {
	var all []TimeSource
	escaped := sensorEscaper.Replace(source)
	clocks := f.Clocks()
	for _, k := range []counter.Clock{counter.TickClock, counter.Clock100ns} {
		if _, freq := clocks.At(k); freq > 0 {
			all = append(all, TimeSource{Name: escaped + "/" + k.String(), Clock: k, Freq: freq})
		}
	}

	for i := range groups {
		g := &groups[i]
		if g.clockFreq > 0 {
			all = append(all, TimeSource{
				Name:  escaped + "/" + counter.ObjectClock.String() + "/" + sensorEscaper.Replace(g.Name),
				Clock: counter.ObjectClock, ObjectID: g.ObjectID, Freq: g.clockFreq,
			})
		}
	}
	return all
}
