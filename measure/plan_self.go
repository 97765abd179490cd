package measure

import (
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
)

// selfObject is the name of the object with the counters of the measurement itself. Wildcards in a
// path's object do not match it.
const selfObject = "winperf"

// Cost has the durations of a cycle's steps, and the length of its sample.
type Cost struct {
	// Prepare and Sample are the durations of these steps. The step Decode has two fields: Decode is
	// the time to check and index the bytes, Cook the time for the rest, such as the formulas. With
	// RawOnly both are 0.
	Prepare, Sample, Decode, Cook time.Duration
	// Bytes is the length of the sample in bytes.
	Bytes int
}

type used struct {
	known          bool
	processorKnown bool // false if this system does not report it
	elapsed        time.Duration
	processor      time.Duration // user and system time of all threads
	allocations    uint64        // objects on the heap; the runtime counts some of them later
	allocatedBytes uint64
}

// selfCounter is one counter of the object winperf.
type selfCounter struct {
	name  string
	unit  counter.Unit // counts are integers, all others are decimals
	needs selfNeed
	read  func(c *Cycle) float64
}

type selfNeed uint8

const (
	always    selfNeed = iota
	previous           // a previous cycle
	processor          // a previous cycle and the processor time
)

var selfCounters = []selfCounter{
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

func (o *selfCounter) value(c *Cycle) (counter.Value, counter.Status) {
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

func isSelf(p winperf.Path) bool { return strings.EqualFold(p.Object, selfObject) }

type selfReading struct {
	at, out int
	counter *selfCounter
	series  *winperf.Series
	reading winperf.Reading
}

func withoutSelf(sel winperf.Selection) winperf.Selection {
	sel.Paths = slices.DeleteFunc(slices.Clone(sel.Paths), isSelf)
	return sel
}

// arrangeSelf plans the readings of a path of the object winperf. A counter belongs to the first path
// that selects it.
func (p *plan) arrangeSelf(w *part, at, out int) (int, int) {
	if !w.Machine(p.machine) {
		return at, out
	}
	for i := range selfCounters {
		c := &selfCounters[i]
		if !w.Path.Counter.Is(0, c.name) || p.selfTaken(c) || p.selfExcluded(c) {
			continue
		}
		p.self = append(p.self, selfReading{at: at, out: out, counter: c, series: p.selfSeries(c)})
		at, out = at+1, out+1
		p.twoSamples = p.twoSamples || c.needs != always
	}
	return at, out
}

func (p *plan) selfTaken(c *selfCounter) bool {
	return slices.ContainsFunc(p.self, func(o selfReading) bool { return o.counter == c })
}

func (p *plan) selfExcluded(c *selfCounter) bool {
	return slices.ContainsFunc(p.exclude, func(x *selection.Path) bool {
		return x.Machine(p.machine) && isSelf(x.Original) && x.Counter.Is(0, c.name)
	})
}

// selfSeries returns the same series until the machine changes.
func (p *plan) selfSeries(c *selfCounter) *winperf.Series {
	path := winperf.Path{Machine: p.machine, Object: selfObject, Counter: c.name}
	if p.source != "" {
		path.Instance, path.HasInstance = p.source, true
	}

	for _, s := range p.selfKnown {
		if s.Path == path {
			return s
		}
	}

	s := winperf.NewSeries(path)
	s.Type, s.Unit = counter.DoubleRaw, c.unit
	if c.unit == counter.Count {
		s.Type = counter.LargeRawCount
	}
	p.selfKnown = append(p.selfKnown, s)
	return s
}

// readSelf must be the last step of a cycle.
func (p *plan) readSelf(c *Cycle) {
	for i := range p.self {
		o := &p.self[i]
		value, status := o.counter.value(c)
		o.reading = winperf.Reading{Series: o.series, Time: c.Time, Value: value, Status: status}
		c.columns[o.out].Set(&o.reading)
	}
}
