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
}

// used is the resources that the whole process used between two cycles.
type used struct {
	known          bool          // there is a cycle before
	processorKnown bool          // the system has the processor time
	elapsed        time.Duration // between the two cycles
	processor      time.Duration // user and system time of all threads
	allocations    uint64        // objects on the heap; the runtime counts a few of them later
	allocatedBytes uint64        // of these objects
}

// ownCounter is one counter of the object winperf.
type ownCounter struct {
	name  string
	unit  counter.Unit // counts are whole numbers, all else is a decimal
	needs ownNeed
	read  func(c *Cycle) float64
}

// ownNeed is what the value of an own counter needs.
type ownNeed uint8

const (
	always    ownNeed = iota // the cycle has it
	previous                 // a cycle before
	processor                // and the processor time of the program
)

// ownCounters are the counters of the object winperf.
var ownCounters = []ownCounter{
	{"Prepare Time", counter.Seconds, always, func(c *Cycle) float64 { return c.Cost.Prepare.Seconds() }},
	{"Sample Time", counter.Seconds, always, func(c *Cycle) float64 { return c.Cost.Sample.Seconds() }},
	{"Decode Time", counter.Seconds, always, func(c *Cycle) float64 { return c.Cost.Decode.Seconds() }},
	{"Cook Time", counter.Seconds, always, func(c *Cycle) float64 { return c.Cost.Cook.Seconds() }},
	{"Sample Bytes", counter.Count, always, func(c *Cycle) float64 { return float64(c.Cost.Bytes) }},
	{"Readings", counter.Count, always, func(c *Cycle) float64 { return float64(c.values) }},
	{"Anomalies", counter.Count, always, func(c *Cycle) float64 { return float64(len(c.Anomalies)) }},
	{"Missed Samples", counter.Count, always, func(c *Cycle) float64 { return float64(c.Missed) }},
	{"% Processor Time", counter.Percent, processor, func(c *Cycle) float64 {
		return 100 * c.used.processor.Seconds() / c.used.elapsed.Seconds()
	}},
	{"Processor Time", counter.Seconds, processor, func(c *Cycle) float64 {
		return c.used.processor.Seconds()
	}},
	{"Allocations", counter.Count, previous, func(c *Cycle) float64 {
		return float64(c.used.allocations)
	}},
	{"Allocated Bytes", counter.Count, previous, func(c *Cycle) float64 {
		return float64(c.used.allocatedBytes)
	}},
}

// value is the counter's value in a cycle.
func (o *ownCounter) value(c *Cycle) (counter.Value, counter.Status) {
	u := &c.used
	switch {
	case o.needs != always && !u.known:
		return counter.Value{}, counter.NoPrevious
	case o.needs == processor && (!u.processorKnown || u.elapsed <= 0):
		return counter.Value{}, counter.InvalidData
	case o.unit == counter.Count:
		return counter.Int(uint64(o.read(c))), counter.OK
	}
	return counter.Float(o.read(c)), counter.OK
}

// isOwn reports whether a path is about the measurement itself.
func isOwn(p winperf.Path) bool { return strings.EqualFold(p.Object, ownObject) }

// ownReading is one of the cycle's readings of the object winperf.
type ownReading struct {
	at, out int
	counter *ownCounter
	series  *winperf.Series
	reading winperf.Reading
}

// withoutOwn is the selection without what the measurement itself answers.
func withoutOwn(sel winperf.Selection) winperf.Selection {
	sel.Paths = slices.DeleteFunc(slices.Clone(sel.Paths), isOwn)
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
		p.own = append(p.own, ownReading{at: at, out: out, counter: c, series: p.ownSeries(c)})
		at, out = at+1, out+1
		p.twoSamples = p.twoSamples || c.needs != always
	}
	return at, out
}

func (p *plan) ownTaken(c *ownCounter) bool {
	return slices.ContainsFunc(p.own, func(o ownReading) bool { return o.counter == c })
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
	s.Type, s.Unit = counter.DoubleRaw, c.unit
	if c.unit == counter.Count {
		s.Type = counter.LargeRawCount
	}
	p.ownKnown = append(p.ownKnown, s)
	return s
}

// readOwn fills in the readings of the measurement itself, as the last thing
// in a cycle.
func (p *plan) readOwn(c *Cycle) {
	for i := range p.own {
		o := &p.own[i]
		value, status := o.counter.value(c)
		o.reading = winperf.Reading{Series: o.series, Time: c.Time, Value: value, Status: status}
		c.columns[o.out].Set(&o.reading)
	}
}
