package sensor

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// TimeSource is a clock of a source, whose time every sample holds. It is the
// cheapest thing to measure: it comes with any sample.
type TimeSource struct {
	// Name is source/clock: windows.winperf/tick is the performance counter
	// (PERF_DATA_BLOCK.PerfTime), windows.winperf/100ns the system time as a
	// FILETIME in UTC (PERF_DATA_BLOCK.PerfTime100nSec), and
	// windows.winperf/object/Process an object's own (PERF_OBJECT_TYPE.PerfTime).
	Name string
	// Clock is which of the sample's clocks it is.
	Clock counter.Clock
	// ObjectID is whose clock an object's own is.
	ObjectID winperf.ObjectID
	// Freq is the number of ticks per second. The clock may move in larger steps; the
	// system does not tell how large.
	Freq int64
}

// Resolution is the length of a tick in seconds.
func (t TimeSource) Resolution() float64 { return 1 / float64(t.Freq) }

// Read returns the clock's time in a sample, in ticks; ok is false where the
// sample does not have it, or no longer with the same frequency.
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

// timeSources are the clocks of a sample that have a frequency.
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
