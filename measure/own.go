package measure

import (
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
)

// ownObject is the name of the object under which a measurement measures
// itself. Paths such as \winperf\Sample Time select its counters by this name;
// wildcards in the object's name do not.
const ownObject = "winperf"

// Cost is what a cycle cost.
type Cost struct {
	// Prepare, Sample, Decode and Cook are how long the stages lasted: Decode
	// is the check and index of the bytes, Cook the rest of Measurement.Decode.
	Prepare, Sample, Decode, Cook time.Duration
	// Bytes is the length of the sample.
	Bytes int
	// Usage is what the whole program used since the cycle before. It is
	// filled in only where a path asks for a counter of the object winperf.
	Usage Usage
}

// Usage is what the program used between two cycles.
type Usage struct {
	Known          bool // there is a cycle before
	ProcessorKnown bool // the system tells the processor time
	Elapsed        time.Duration
	Processor      time.Duration // user and system time of all threads
	Allocations    uint64        // objects on the heap; the runtime counts a few of them later
	AllocatedBytes uint64
}

// ownCounter is one counter of the object winperf.
type ownCounter struct {
	name string
	typ  counter.Type
	unit counter.Unit
	two  bool // it needs a cycle before
	read func(c *Cycle) (counter.Value, counter.Status)
}

func seconds(d time.Duration) counter.Value { return counter.Float(d.Seconds()) }

// ofCycle is a counter whose value the cycle always has.
func ofCycle(read func(c *Cycle) counter.Value) func(*Cycle) (counter.Value, counter.Status) {
	return func(c *Cycle) (counter.Value, counter.Status) { return read(c), counter.OK }
}

// ofUsage is a counter that needs a cycle before.
func ofUsage(read func(u *Usage) counter.Value) func(*Cycle) (counter.Value, counter.Status) {
	return func(c *Cycle) (counter.Value, counter.Status) {
		if !c.Cost.Usage.Known {
			return counter.Value{}, counter.NoPrevious
		}
		return read(&c.Cost.Usage), counter.OK
	}
}

// ofProcessor is a counter that needs the program's processor time.
func ofProcessor(read func(u *Usage) counter.Value) func(*Cycle) (counter.Value, counter.Status) {
	return func(c *Cycle) (counter.Value, counter.Status) {
		if u := &c.Cost.Usage; u.Known && (!u.ProcessorKnown || u.Elapsed <= 0) {
			return counter.Value{}, counter.InvalidData
		}
		return ofUsage(read)(c)
	}
}

// ownCounters are the counters of the object winperf.
var ownCounters = []ownCounter{
	{"Prepare Time", counter.DoubleRaw, counter.Seconds, false, ofCycle(func(c *Cycle) counter.Value {
		return seconds(c.Cost.Prepare)
	})},
	{"Sample Time", counter.DoubleRaw, counter.Seconds, false, ofCycle(func(c *Cycle) counter.Value {
		return seconds(c.Cost.Sample)
	})},
	{"Decode Time", counter.DoubleRaw, counter.Seconds, false, ofCycle(func(c *Cycle) counter.Value {
		return seconds(c.Cost.Decode)
	})},
	{"Cook Time", counter.DoubleRaw, counter.Seconds, false, ofCycle(func(c *Cycle) counter.Value {
		return seconds(c.Cost.Cook)
	})},
	{"Sample Bytes", counter.LargeRawCount, counter.Count, false, ofCycle(func(c *Cycle) counter.Value {
		return counter.Int(uint64(c.Cost.Bytes))
	})},
	{"Readings", counter.LargeRawCount, counter.Count, false, ofCycle(func(c *Cycle) counter.Value {
		return counter.Int(uint64(c.values))
	})},
	{"Anomalies", counter.LargeRawCount, counter.Count, false, ofCycle(func(c *Cycle) counter.Value {
		return counter.Int(uint64(len(c.Anomalies)))
	})},
	{"Missed Samples", counter.LargeRawCount, counter.Count, false, ofCycle(func(c *Cycle) counter.Value {
		return counter.Int(uint64(c.Missed))
	})},
	{"% Processor Time", counter.DoubleRaw, counter.Percent, true, ofProcessor(func(u *Usage) counter.Value {
		return counter.Float(100 * u.Processor.Seconds() / u.Elapsed.Seconds())
	})},
	{"Processor Time", counter.DoubleRaw, counter.Seconds, true, ofProcessor(func(u *Usage) counter.Value {
		return seconds(u.Processor)
	})},
	{"Allocations", counter.LargeRawCount, counter.Count, true, ofUsage(func(u *Usage) counter.Value {
		return counter.Int(u.Allocations)
	})},
	{"Allocated Bytes", counter.LargeRawCount, counter.Count, true, ofUsage(func(u *Usage) counter.Value {
		return counter.Int(u.AllocatedBytes)
	})},
}

// isOwn reports whether a path is about the measurement itself.
func isOwn(p winperf.Path) bool { return strings.EqualFold(p.Object, ownObject) }

// ownReading is one of the cycle's readings of the object winperf.
type ownReading struct {
	at, out int
	counter *ownCounter
	series  *winperf.Series
}

// withoutOwn is the selection without what the measurement itself answers.
func withoutOwn(sel winperf.Selection) winperf.Selection {
	var paths []winperf.Path
	for _, p := range sel.Paths {
		if !isOwn(p) {
			paths = append(paths, p)
		}
	}
	sel.Paths = paths
	return sel
}

// arrangeOwn gives the readings that a path wants of the measurement itself
// their places, from reading at and column out on, and returns the next ones.
// A counter belongs to the first path that wants it.
func (p *plan) arrangeOwn(w *part, at, out int) (int, int) {
	if !w.Machine(p.machine) {
		return at, out
	}
	for i := range ownCounters {
		c := &ownCounters[i]
		if !w.Path.Counter.Is(0, c.name) || p.ownTaken(c) || p.ownExcluded(c) {
			continue
		}
		p.own = append(p.own, ownReading{at, out, c, p.ownSeries(c)})
		at, out = at+1, out+1
		p.twoSamples = p.twoSamples || c.two
	}
	return at, out
}

func (p *plan) ownTaken(c *ownCounter) bool {
	for i := range p.own {
		if p.own[i].counter == c {
			return true
		}
	}
	return false
}

func (p *plan) ownExcluded(c *ownCounter) bool {
	return slices.ContainsFunc(p.exclude, func(x *selection.Path) bool {
		return x.Machine(p.machine) && isOwn(x.Asked) && x.Counter.Is(0, c.name)
	})
}

// ownSeries is the series of an own counter, the same as long as the machine is.
func (p *plan) ownSeries(c *ownCounter) *winperf.Series {
	path := winperf.Path{Machine: p.machine, Object: ownObject, Counter: c.name}
	if p.source != "" {
		path.Instance, path.HasInstance = p.source, true
	}

	for _, s := range p.ownKnown {
		if s.Path == path {
			return s
		}
	}

	s := winperf.NewSeries(path)
	s.Type, s.Unit = c.typ, c.unit
	p.ownKnown = append(p.ownKnown, s)
	return s
}

// readOwn fills in the readings of the measurement itself, as the last thing
// in a cycle.
func (p *plan) readOwn(c *Cycle) {
	for i := range p.own {
		o := &p.own[i]
		value, status := o.counter.read(c)
		r := winperf.Reading{Series: o.series, Time: c.Time, Value: value, Status: status}
		if c.has.readings {
			c.readings[o.at] = r
			continue
		}
		c.columns[o.out] = p.store.reading(len(p.nothing)+i, o.at, &r)
	}
}
