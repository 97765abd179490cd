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

// Group makes series that share a bound on memory. The zero Group has the defaults.
type Group struct {
	// Exact is how many values of a series are kept, so that its percentiles are
	// exact; 0 means DefaultExact.
	Exact int
	// Memory is how many values all series together keep; 0 means DefaultMemory. Each
	// keeps a few in any case.
	Memory int
	// Above, where there is one, is the bound that Figures.Above is about.
	Above *float64

	kept  int // values that there is room for in all series
	fresh []Series
	rooms []float64
}

// A series has room for at least this many values, and for this many again once it
// has a sketch.
const (
	leastRoom   = 16
	waitingRoom = 64
)

// Series takes the values of one series, in the order of their times. A Group makes
// it. Times are counted from a moment that is the same for all series of the group.
type Series struct {
	values   []float64     // all, or those that are not in beyond yet
	previous time.Duration // of the reading before, with or without value; never is none
	newest   time.Duration // of last
	last     float64
	peak     float64       // the largest value
	peakAt   time.Duration // when it was there first
	present  time.Duration // see Figures.Present

	weights, weightedSum float64 // of a weighted series
	weighted             bool

	group   *Group
	beyond  *folded // nil while all values are kept
	missing int
	run     *run // nil where there is no bound
}

// never is a time before all others.
const never = time.Duration(math.MinInt64)

// slab is how many series are made at once, so that they stand side by side.
const slab = 64

// Series makes a series without values. In a weighted one each value stands for the
// time since the reading before, as a rate does, and the average goes by that.
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

// Add takes a value. One that is no finite number counts as missing.
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

// AddAll takes finite values of ascending times, as Add takes one.
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

// rise keeps a value that is the largest until now, and of equal ones the earliest.
func (s *Series) rise(t time.Duration, v float64) {
	if v > s.peak || v == s.peak && t < s.peakAt {
		s.peak, s.peakAt = v, t
	}
}

// Miss notes that there was no value at a time.
func (s *Series) Miss(t time.Duration) {
	s.missing++
	s.Pass(t)
}

// Pass notes that no value was to be expected at a time, such as of a rate at its
// first sample.
func (s *Series) Pass(t time.Duration) {
	s.previous = t
	if s.run != nil {
		s.run.on = false
	}
}

// Absent notes that the series had no reading after its last one until t. The next value
// covers the time since t at most.
func (s *Series) Absent(t time.Duration) {
	if s.previous < t {
		s.Pass(t)
	}
}

// Has reports whether the latest reading, with or without value, is of this time.
func (s *Series) Has(t time.Duration) bool { return t == s.previous }

// Break says that what comes now is from another record, and does not go on with what came
// before.
func (s *Series) Break() { s.Pass(never) }

// since is how long ago the reading before was.
func (s *Series) since(t time.Duration) time.Duration {
	if s.previous == never {
		return 0
	}
	return max(0, t-s.previous)
}

// grow makes room for n values, if they can be kept. A series that is full has room for one
// in any case: where there is none left, all its values go to the sketch.
func (s *Series) grow(n int) {
	g := s.group
	exact, memory := g.Exact, g.Memory
	if exact <= 0 {
		exact = DefaultExact
	}
	if memory <= 0 {
		memory = DefaultMemory
	}

	least := min(leastRoom, exact)
	room := min(max(4*cap(s.values), least, len(s.values)+n), exact)
	more := room - cap(s.values)
	switch {
	case s.beyond == nil && more > 0 && g.kept+more <= memory && room > leastRoom:
		s.values = append(make([]float64, 0, room), s.values...)
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

// first is room for the first values of a series.
func (g *Group) first() []float64 {
	if len(g.rooms) == 0 {
		g.rooms = make([]float64, slab*leastRoom)
	}
	room := g.rooms[:0:leastRoom]
	g.rooms = g.rooms[leastRoom:]
	return room
}

// fold puts the values into the sketch.
func (s *Series) fold() {
	if s.beyond == nil {
		s.beyond = &folded{}
	}
	s.beyond.add(s.values)

	// What waits needs less room than what is to be exact.
	if cap(s.values) > waitingRoom {
		s.group.kept -= cap(s.values) - waitingRoom
		s.values = make([]float64, 0, waitingRoom)
	}
	s.values = s.values[:0]
}

// folded is what is kept of values beyond the exact ones.
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

// run is how long values stay above a bound.
type run struct {
	bound   float64
	on      bool
	since   time.Duration
	longest time.Duration
	count   int // of values above
}

// runOn goes on with a value, which stands for the time since the reading before or, in
// a series that is not weighted, for its moment.
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
