package view

import (
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// table has the values of series over time. It has a bin for each sample, or for several if it reached
// its limit.
type table struct {
	lean  bool // averages only
	limit int  // the number of values kept
	most  int  // the number of rows kept
	seed  maphash.Seed

	mu      sync.RWMutex
	rows    []*row
	times   []int64 // of the last sample of each bin, in milliseconds since 1970
	before  int64   // time of the sample before the first bin; 0 without one
	samples int     // all samples added
	stride  int     // samples per bin
	open    int     // samples in the last bin
	width   int64   // milliseconds covered by the last bin before the current sample
	used    int     // the number of values in the rows
	text    int     // bytes of the names of the rows
	states  int     // changes of status in all rows
	lost    bool    // rows were omitted
	full    int     // the sample in which no row could be removed

	names   map[uint64]*row // by the hash of nameOf
	columns []tableColumn   // of the latest sample, by position
}

// row has the values of one series. A value is NaN if it is missing.
type row struct {
	series  *winperf.Series // with its latest name
	name    uint64          // in the names of the table
	from    int             // the first bin
	average []float64
	// Of tables with several samples per bin; otherwise they are nil, and equal to average.
	minimum, maximum []float64

	first, latest int64   // times of the first and the latest sample of the series
	states        []state // changes of the status
	resets        []int64
}

// state is the status of a series from a time on.
type state struct {
	at     int64
	status counter.Status
}

// tableColumn is the destination of a column.
type tableColumn struct {
	series []*winperf.Series
	rows   []*row
}

// Limits of a row.
const (
	maxStates = 10_000
	maxResets = 1000
	// valuesPerRow is the least number of values per row of a full table.
	valuesPerRow = 32
	// textPerRow is the average length of the names of the rows of a full table.
	textPerRow = 256
)

func newTable(limit int, lean bool) *table {
	return &table{
		limit: limit, most: limit / valuesPerRow, lean: lean, stride: 1, seed: maphash.MakeSeed(),
		names: map[uint64]*row{},
	}
}

// add adds the columns of a sample. Samples that are not later than the last one are ignored.
func (t *table) add(at time.Time, columns []winperf.Column) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := at.UnixMilli()
	if n := len(t.times); n > 0 && now <= t.times[n-1] {
		return
	}

	weight := t.extend(now)
	if len(columns) < len(t.columns) {
		clear(t.columns[len(columns):])
	}
	t.columns = slices.Grow(t.columns[:0], len(columns))[:len(columns)]
	for i := range columns {
		t.column(&columns[i], &t.columns[i], now, weight)
	}

	t.width += weight
	for t.used > t.limit && t.stride < 1<<20 && len(t.times) > 1 {
		t.halve()
	}
}

// extend adds a bin or continues the last one, and returns the time covered by the sample.
func (t *table) extend(now int64) (weight int64) {
	last := t.before
	if n := len(t.times); n > 0 {
		last = t.times[n-1]
	}
	if last > 0 {
		weight = now - last
	}

	t.samples++
	if len(t.times) == 0 || t.open == t.stride {
		t.times, t.open, t.width = append(t.times, now), 1, 0
		return weight
	}
	t.times[len(t.times)-1] = now
	t.open++
	return weight
}

func (t *table) column(c *winperf.Column, to *tableColumn, now, weight int64) {
	to.follow(c.AllSeries())

	for n, status := range c.Status {
		r := to.rows[n]
		if r == nil {
			if r = t.row(to.series[n], status, c.KindOf(n)); r == nil {
				continue
			}
			to.rows[n] = r
		}

		v := math.NaN()
		if status == counter.OK {
			if f, ok := c.Value(n).Float64(); ok && !math.IsInf(f, 0) {
				v = f
			}
		}
		t.set(r, now, v, weight)
		if !t.lean {
			t.note(r, now, status)
			if c.Anomalies(n).Has(winperf.CounterReset) && len(r.resets) < maxResets {
				r.resets = append(r.resets, now)
			}
		}
	}
}

// follow updates the series of a column and keeps their rows. Instances keep their order, so that a search
// close to the previous position suffices.
func (c *tableColumn) follow(series []*winperf.Series) {
	if len(series) == len(c.series) && (len(series) == 0 || &series[0] == &c.series[0]) {
		return
	}

	const ahead = 16
	rows := make([]*row, len(series))
	next := 0
	for n, s := range series {
		near := c.series[next:min(next+ahead, len(c.series))]
		if i := slices.Index(near, s); i >= 0 {
			rows[n] = c.rows[next+i]
			next += i + 1
		}
	}
	c.series, c.rows = series, rows
}

// row returns the row of a series, nil for a text or if the series names nothing.
func (t *table) row(s *winperf.Series, status counter.Status, kind counter.Kind) *row {
	if status.NamesNothing() || kind == counter.KindText {
		return nil
	}

	name := t.hash(s)
	r := t.names[name]
	if r == nil && t.isFull() && t.full != t.samples {
		t.evict()
	}
	switch {
	case r != nil:
		t.text -= textOf(r.series)
		r.series = s
	case t.isFull():
		t.lost = true
		return nil
	default:
		r = &row{series: s, name: name, from: len(t.times) - 1}
		t.rows = append(t.rows, r)
		t.names[name] = r
	}

	t.text += textOf(s)
	return r
}

func (t *table) isFull() bool { return len(t.rows) >= t.most || t.text >= textPerRow*t.most }

// textOf returns the memory of the texts that a series does not share with the other series of its counter.
func textOf(s *winperf.Series) int { return len(s.Path.Instance) + len(s.Key) }

// nameOf returns the identity of a series: with the key of its instance, which survives renaming, if it
// has one.
func nameOf(s *winperf.Series) string {
	if s.Key == "" {
		return s.String()
	}
	p := s.Path
	p.Instance, p.Index = "", 0
	return p.String() + "\x00" + s.Key
}

func (t *table) hash(s *winperf.Series) uint64 { return maphash.String(t.seed, nameOf(s)) }

// evict removes the rows of instances that ended, the short ones first, until an eighth of the rows is free.
func (t *table) evict() {
	now := t.times[len(t.times)-1]
	if n := len(t.times); n > 1 {
		now = t.times[n-2] // rows of the current sample may not have their value yet
	}
	var ended []int64
	for _, r := range t.rows {
		if r.latest < now {
			ended = append(ended, r.latest-r.first)
		}
	}
	if t.lost = true; len(ended) == 0 {
		t.full = t.samples
		return
	}
	slices.Sort(ended)
	longest := ended[min(t.most/8, len(ended)-1)]
	t.remove(func(r *row) bool { return r.latest < now && r.latest-r.first <= longest })
}

// remove removes rows.
func (t *table) remove(which func(*row) bool) {
	t.rows = slices.DeleteFunc(t.rows, func(r *row) bool {
		is := which(r)
		if is {
			t.used -= r.size()
			t.text -= textOf(r.series)
			t.states -= len(r.states)
			delete(t.names, r.name)
		}
		return is
	})
}

// set adds the value of a sample to the last bin.
func (t *table) set(r *row, now int64, v float64, weight int64) {
	if r.first == 0 {
		r.first = now
	}
	r.latest = now
	at := len(t.times) - 1 - r.from
	for len(r.average) <= at {
		t.grow(r)
	}

	old := r.average[at]
	switch {
	case math.IsNaN(v):
		return
	case math.IsNaN(old):
		r.average[at] = v
	default:
		r.average[at] = mean(old, v, t.width, weight)
	}
	if r.minimum == nil {
		return
	}
	if math.IsNaN(old) {
		r.minimum[at], r.maximum[at] = v, v
	} else {
		r.minimum[at], r.maximum[at] = min(r.minimum[at], v), max(r.maximum[at], v)
	}
}

// mean returns the mean of two values, weighted by the times that they cover.
func mean(a, b float64, of, with int64) float64 {
	if of+with <= 0 {
		return a/2 + b/2
	}
	share := float64(with) / float64(of+with)
	return a*(1-share) + b*share
}

// grow adds an empty bin to a row.
func (t *table) grow(r *row) {
	nan := math.NaN()
	r.average = append(r.average, nan)
	t.used++
	if t.stride == 1 || t.lean {
		return
	}
	if r.minimum == nil { // all earlier bins have one value
		earlier := r.average[:len(r.average)-1]
		r.minimum, r.maximum = slices.Clone(earlier), slices.Clone(earlier)
		t.used += 2 * len(earlier)
	}
	r.minimum, r.maximum = append(r.minimum, nan), append(r.maximum, nan)
	t.used += 2
}

// note records a change of the status, but at most one change for each four values of a full table.
func (t *table) note(r *row, at int64, status counter.Status) {
	n := len(r.states)
	if n > 0 && (r.states[n-1].status == status || n >= maxStates || t.states >= t.limit/4) {
		return
	}
	r.states = append(r.states, state{at, status})
	t.states++
}

// widthOf returns the milliseconds that a bin covers, 0 if unknown.
func (t *table) widthOf(bin int) int64 {
	switch {
	case bin > 0:
		return t.times[bin] - t.times[bin-1]
	case t.before > 0:
		return t.times[0] - t.before
	}
	return 0
}

// search returns the first bin whose time is at or after at.
func (t *table) search(at int64) int {
	return sort.Search(len(t.times), func(i int) bool { return t.times[i] >= at })
}

// status returns the reason why a row has no value at a time.
func (r *row) status(at int64) counter.Status {
	if len(r.average) == 0 || at < r.first || at > r.latest {
		return counter.NoInstance
	}
	i := sort.Search(len(r.states), func(i int) bool { return r.states[i].at > at })
	if i == 0 || r.states[i-1].status == counter.OK {
		return counter.NoInstance // it was absent and returned
	}
	return r.states[i-1].status
}

// cell is the value of a row in a bin.
type cell struct{ minimum, average, maximum float64 }

func (r *row) cell(bin int) cell {
	i := bin - r.from
	if i < 0 || i >= len(r.average) {
		nan := math.NaN()
		return cell{nan, nan, nan}
	}
	v := r.average[i]
	if r.minimum == nil {
		return cell{v, v, v}
	}
	return cell{r.minimum[i], v, r.maximum[i]}
}

// interval returns the usual time between two samples in milliseconds, 0 if unknown. The table is locked.
func (t *table) interval() int64 {
	var steps []int64
	for i := max(1, len(t.times)-200); i < len(t.times); i++ {
		steps = append(steps, (t.times[i]-t.times[i-1])/int64(t.stride))
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}
