package stats

import (
	"math"
	"time"
)

// Defaults of a [Group].
const (
	DefaultExact  = 1024
	DefaultMemory = 4 << 20
)

// Group makes series with a common memory limit. The zero Group has the defaults.
type Group struct {
	// Exact is the number of values kept for exact percentiles of a series; 0 means DefaultExact.
	Exact int
	// Memory is the number of values kept in all series; 0 means DefaultMemory. Each series keeps a
	// few in any case.
	Memory int
	// Above is the threshold of Figures.Above; nil for none.
	Above *float64

	kept        int // capacity of all series
	fresh       []Series
	firstValues []float64
}

// The smallest capacity of a series, without and with a sketch.
const (
	minCapacity    = 16
	sketchCapacity = 64
)

// Series collects the values of one series, in the order of their times. It is made by a Group.
// Times are relative to a common origin of the group.
type Series struct {
	values   []float64     // all values, or those not in beyond
	previous time.Duration // of the previous reading, with or without value, or never
	newest   time.Duration // of last
	last     float64
	peak     float64       // the largest value
	peakAt   time.Duration // its first time
	present  time.Duration // see Figures.Present

	weights, weightedSum float64 // of a weighted series
	weighted             bool

	group   *Group
	beyond  *folded // nil while all values are kept
	missing int
	run     *run // nil without a threshold
}

// never is a time before all others.
const never = time.Duration(math.MinInt64)

// slab is the number of series allocated together.
const slab = 64

// Series returns an empty series. A value of a weighted one covers the time since the previous
// reading, like a rate, and is averaged by time.
func (g *Group) Series(weighted bool) *Series {
	if len(g.fresh) == 0 {
		g.fresh = make([]Series, slab)
	}
	s := &g.fresh[0]
	g.fresh = g.fresh[1:]
	s.group, s.weighted, s.previous, s.newest = g, weighted, never, never
	s.peak = math.Inf(-1)
	if g.Above != nil {
		s.run = &run{bound: *g.Above}
	}
	return s
}

// Add adds a value. A value that is not finite counts as missing.
func (s *Series) Add(t time.Duration, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		s.Miss(t)
		return
	}

	since := s.since(t)
	s.present += since
	if s.weighted {
		seconds := since.Seconds()
		s.weights += seconds
		s.weightedSum += seconds * v
	}

	s.rise(t, v)
	if s.run != nil {
		s.runOn(t, v)
	}
	if t >= s.newest {
		s.newest, s.last = t, v
	}
	s.previous = t

	if len(s.values) == cap(s.values) {
		s.grow(1)
	}
	s.values = append(s.values, v)
}

// AddAll adds finite values with ascending times.
func (s *Series) AddAll(times []time.Duration, values []float64) {
	if len(values) == 0 {
		return
	}
	if len(values) > cap(s.values)-len(s.values) {
		s.grow(len(values))
	}

	little := len(values) > cap(s.values)-len(s.values)
	if little || s.weighted || s.run != nil || times[0] < s.newest {
		for i, t := range times {
			s.Add(t, values[i])
		}
		return
	}

	for i, v := range values {
		s.rise(times[i], v)
	}

	end := len(times) - 1
	s.present += s.since(times[0]) + times[end] - times[0]
	s.values = append(s.values, values...)
	s.last, s.newest, s.previous = values[end], times[end], times[end]
}

// rise updates the first largest value.
func (s *Series) rise(t time.Duration, v float64) {
	if v > s.peak || v == s.peak && t < s.peakAt {
		s.peak, s.peakAt = v, t
	}
}

// Miss records a missing value.
func (s *Series) Miss(t time.Duration) {
	s.missing++
	s.Pass(t)
}

// Pass records that no value could be expected, such as of a rate in its first sample.
func (s *Series) Pass(t time.Duration) {
	s.previous = t
	if s.run != nil {
		s.run.on = false
	}
}

// Absent records that the series had no reading after its last one until t. The next value covers
// at most the time since t.
func (s *Series) Absent(t time.Duration) {
	if s.previous < t {
		s.Pass(t)
	}
}

// Has reports whether the latest reading, with or without value, has this time.
func (s *Series) Has(t time.Duration) bool { return t == s.previous }

// Break separates the values of two logs.
func (s *Series) Break() { s.Pass(never) }

func (s *Series) since(t time.Duration) time.Duration {
	if s.previous == never {
		return 0
	}
	return max(0, t-s.previous)
}

// grow makes room for n values if the limits allow it. A full series gets room for at least one:
// its values move to the sketch if necessary.
func (s *Series) grow(n int) {
	g := s.group
	exact, memory := g.Exact, g.Memory
	if exact <= 0 {
		exact = DefaultExact
	}
	if memory <= 0 {
		memory = DefaultMemory
	}

	least := min(minCapacity, exact)
	capacity := min(max(4*cap(s.values), least, len(s.values)+n), exact)
	more := capacity - cap(s.values)
	switch {
	case s.beyond == nil && more > 0 && g.kept+more <= memory && capacity > minCapacity:
		s.values = append(make([]float64, 0, capacity), s.values...)
	case s.beyond == nil && cap(s.values) == 0:
		s.values, more = g.first()[:0:least], least
	case len(s.values) == cap(s.values):
		s.fold()
		return
	default:
		return
	}
	g.kept += more
}

func (g *Group) first() []float64 {
	if len(g.firstValues) == 0 {
		g.firstValues = make([]float64, slab*minCapacity)
	}
	values := g.firstValues[:0:minCapacity]
	g.firstValues = g.firstValues[minCapacity:]
	return values
}

func (s *Series) fold() {
	if s.beyond == nil {
		s.beyond = &folded{}
	}
	s.beyond.add(s.values)

	// With a sketch, less memory is needed.
	if cap(s.values) > sketchCapacity {
		s.group.kept -= cap(s.values) - sketchCapacity
		s.values = make([]float64, 0, sketchCapacity)
	}
	s.values = s.values[:0]
}

// folded has the values beyond the exact ones.
type folded struct {
	moments moments
	sketch  sketch
}

func (f *folded) add(values []float64) {
	m := momentsOf(values)
	f.moments.merge(m)
	if m.min == m.max {
		f.sketch.add(m.min, len(values))
		return
	}
	for _, v := range values {
		f.sketch.add(v, 1)
	}
}

// run is the time above a threshold.
type run struct {
	bound   float64
	on      bool
	since   time.Duration
	longest time.Duration
	count   int // of values above
}

// runOn adds a value, which covers the time since the previous reading or, in an unweighted series,
// its own time only.
func (s *Series) runOn(t time.Duration, v float64) {
	r := s.run
	if !(v > r.bound) {
		r.on = false
		return
	}

	r.count++
	if back := t < s.previous; back || !r.on {
		r.on, r.since = true, t
		if s.weighted {
			r.since = t - s.since(t)
		}
	}
	r.longest = max(r.longest, t-r.since)
}
