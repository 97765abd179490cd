package logs

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/measure"
)

// Gatherer makes statistics of the values of samples: a row for each counter of each
// instance, in the order in which they were there first. The zero Gatherer is ready for use.
type Gatherer struct {
	// Above is what values are counted above; nil for nothing.
	Above *float64
	// ByPath makes one row of all instances that had the same name, one after the other.
	ByPath bool

	Samples     int
	First, Last time.Time // the earliest and the latest sample

	rows   []Row
	group  stats.Group
	origin time.Time // that statistics count times from
	latest time.Time // of the sample before in the same log; zero for none

	ids     map[winperf.SeriesID]*stats.Series
	names   map[string]*stats.Series
	columns []gatheredColumn // by position: what was there in the sample before
	given   gatheredColumn   // of readings: what was there in the values that were given last

	// Of samples that hold readings filling takes the values. When it is full a goroutine gives
	// them to their series, while more come in; rows, group, names and given are the goroutine's
	// until it puts the memory back into spare.
	filling *waiting
	spare   chan *waiting // holds one, or the goroutine is at work
}

// Row is the values of one counter.
type Row struct {
	Series *winperf.Series
	Values *stats.Series
}

// gatheredColumn is where the values of a column go.
type gatheredColumn struct {
	series []*winperf.Series
	to     []*stats.Series // nil as long as there is nothing by the name
	// before and at are when the column was sampled last in this log, and before that; zero
	// for never.
	before, at time.Time
}

// waiting are values of samples that came as readings, on their way to their series: to give
// each series one value of every sample would touch the memory of all of them each time,
// where several samples at once touch it once.
type waiting struct {
	series []*winperf.Series // by position; nil where there was nothing by the name yet
	times  []time.Duration
	before []time.Time // by time: Gatherer.latest
	values []float64   // by time and position, with the marks below
	rows   int         // that there is room for
}

// What waits where there is no number.
var (
	missed  = math.NaN()
	passed  = math.Inf(1)  // none could be expected
	unknown = math.Inf(-1) // nothing was read
)

// Rows returns the rows, with all that was added.
func (g *Gatherer) Rows() []Row {
	g.settle()
	return g.rows
}

// Figures returns the figures of each row, with these percentiles.
func (g *Gatherer) Figures(percents ...float64) []stats.Figures {
	rows := g.Rows()
	all := make([]stats.Figures, len(rows))
	var group sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		from, to := len(rows)*part/parts, len(rows)*(part+1)/parts
		group.Go(func() {
			for i := from; i < to; i++ {
				all[i] = rows[i].Values.Figures(percents...)
			}
		})
	}
	group.Wait()
	return all
}

// Begin says that samples of another log follow.
func (g *Gatherer) Begin() {
	for _, row := range g.Rows() {
		row.Values.Break()
	}
	g.latest = time.Time{}
	for i := range g.columns {
		g.columns[i].before, g.columns[i].at = time.Time{}, time.Time{}
	}
}

// Time returns the time that statistics count as t, such as [stats.Figures.MaxAt].
func (g *Gatherer) Time(t time.Duration) time.Time { return g.origin.Add(t) }

// Add takes a sample.
func (g *Gatherer) Add(cycle *measure.Cycle) {
	g.Samples++
	if g.First.IsZero() || cycle.Time.Before(g.First) {
		g.First = cycle.Time
	}
	if cycle.Time.After(g.Last) {
		g.Last = cycle.Time
	}

	if g.Samples == 1 {
		g.origin, g.group.Above = cycle.Time, g.Above
		g.names = make(map[string]*stats.Series, cycle.Len())
	}

	defer func() { g.latest = cycle.Time }()
	if cycle.Frame.IsZero() {
		g.readings(cycle.Readings())
		return
	}
	g.settle()
	if g.ids == nil {
		g.ids = make(map[winperf.SeriesID]*stats.Series, cycle.Len())
	}

	columns := cycle.Columns()
	if more := len(columns) - len(g.columns); more > 0 {
		g.columns = append(g.columns, make([]gatheredColumn, more)...)
	}

	for i := range columns {
		if col := &columns[i]; col.Kind != counter.KindText {
			g.column(col, &g.columns[i], !col.Time.Equal(cycle.Time))
		}
	}
}

// column takes the values of a column. One that was sampled apart is there again until
// the next one is, and counts once.
func (g *Gatherer) column(col *winperf.Column, to *gatheredColumn, apart bool) {
	to.follow(col)
	if !col.Time.Equal(to.at) {
		to.before, to.at = to.at, col.Time
	}

	t := col.Time.Sub(g.origin)
	for n, status := range col.Status {
		values := to.to[n]
		if values == nil {
			if NamesNothing(status) {
				continue
			}
			values = g.row(to.series[n])
			to.to[n] = values
			g.absent(values, to.before)
		}

		switch {
		case apart && values.Has(t):
		case status != counter.OK:
			noValue(values, t, status)
		case col.Kind == counter.KindFloat:
			values.Add(t, math.Float64frombits(col.Bits[n]))
		default:
			values.Add(t, float64(col.Bits[n]))
		}
	}
}

// absent notes that a series was not in the sample before, which was taken at a time.
func (g *Gatherer) absent(values *stats.Series, before time.Time) {
	if !before.IsZero() {
		values.Absent(before.Sub(g.origin))
	}
}

// readings takes values that came cooked, which are no columns.
func (g *Gatherer) readings(readings []winperf.Reading) {
	if g.filling == nil {
		g.filling, g.spare = &waiting{}, make(chan *waiting, 1)
		g.spare <- &waiting{}
	}
	if len(readings) > len(g.filling.series) {
		g.flush()
		g.filling.grow(len(readings))
	}

	var last time.Time
	var series []*winperf.Series
	var row []float64
	for n := range readings {
		r := &readings[n]
		if r.Time != last { // nearly always they are of one time
			last = r.Time
			series, row = g.next(last)
		}

		if series[n] != r.Series {
			if NamesNothing(r.Status) || r.Value.Kind() == counter.KindText {
				continue
			}
			if len(g.filling.times) > 1 { // others may wait in its place, and new rows keep their order
				g.flush()
				series, row = g.next(last)
			}
			series[n] = r.Series
		}

		v, is := r.Value.Float64()
		switch {
		case is && r.Status == counter.OK && !math.IsInf(v, 0):
			row[n] = v
		case hasNoValue(r.Status):
			row[n] = passed
		default:
			row[n] = missed
		}
	}
}

// next begins the values of another moment.
func (g *Gatherer) next(t time.Time) ([]*winperf.Series, []float64) {
	if len(g.filling.times) == g.filling.rows {
		g.flush()
	}
	w := g.filling
	row := w.row(len(w.times))
	w.times, w.before = append(w.times, t.Sub(g.origin)), append(w.before, g.latest)
	for n := range row {
		row[n] = unknown
	}
	return w.series, row
}

// flush gives what waits to its series: if it is much in a goroutine, while more comes in.
func (g *Gatherer) flush() {
	full := g.filling
	if len(full.times) == 0 {
		return
	}
	spare := <-g.spare

	const worthwhile = 4096 // for fewer values a goroutine costs more than it saves
	if len(full.series)*len(full.times) < worthwhile || runtime.GOMAXPROCS(0) == 1 {
		g.give(full)
		g.spare <- spare
		return
	}

	g.filling = spare
	spare.grow(len(full.series))
	copy(spare.series, full.series)
	go func() {
		g.give(full)
		g.spare <- full
	}()
}

// settle waits until all series have what was added.
func (g *Gatherer) settle() {
	if g.filling != nil {
		g.flush()
		g.spare <- <-g.spare
	}
}

// give gives series what waits for them.
func (g *Gatherer) give(w *waiting) {
	if more := len(w.series) - len(g.given.series); more > 0 {
		g.given.series = append(g.given.series, make([]*winperf.Series, more)...)
		g.given.to = append(g.given.to, make([]*stats.Series, more)...)
	}

	values := make([]float64, len(w.times))
	sorted := slices.IsSorted(w.times)
	for n, series := range w.series {
		if series == nil {
			continue
		}
		if g.given.series[n] != series {
			g.given.series[n], g.given.to[n] = series, g.named(series)
			first := 0
			for first < len(w.times)-1 && w.values[first*len(w.series)+n] == unknown {
				first++
			}
			g.absent(g.given.to[n], w.before[first])
		}

		to, whole := g.given.to[n], sorted
		for i := range values {
			v := w.values[i*len(w.series)+n]
			values[i], whole = v, whole && v-v == 0
		}
		if whole {
			to.AddAll(w.times, values)
		} else {
			addMarked(to, w.times, values)
		}
	}
	w.times, w.before = w.times[:0], w.before[:0]
}

// addMarked gives a series values among which are marks.
func addMarked(to *stats.Series, times []time.Duration, values []float64) {
	for i, t := range times {
		switch v := values[i]; v {
		case unknown:
		case passed:
			to.Pass(t)
		default:
			to.Add(t, v)
		}
	}
}

// grow makes room for so many readings. Of few more moments wait.
func (w *waiting) grow(n int) {
	const least, most, enough = 16, 64, 1 << 16
	if n > len(w.series) {
		w.series = append(w.series, make([]*winperf.Series, n-len(w.series))...)
		w.rows = min(max(enough/n, least), most)
		w.values = make([]float64, w.rows*n)
	}
}

// row is the values of a moment.
func (w *waiting) row(i int) []float64 {
	n := len(w.series)
	return w.values[i*n : (i+1)*n]
}

// noValue notes that a series has no value at a time: it misses one, unless there could
// be none.
func noValue(s *stats.Series, t time.Duration, status counter.Status) {
	if hasNoValue(status) {
		s.Pass(t)
		return
	}
	s.Miss(t)
}

// hasNoValue reports whether a status says that there could be no value.
func hasNoValue(status counter.Status) bool {
	return status == counter.NoPrevious || NamesNothing(status)
}

// follow makes room for the series of a column and keeps what is known of them.
func (c *gatheredColumn) follow(col *winperf.Column) {
	series := col.AllSeries()
	if n := len(series); n == len(c.series) && (n == 0 || &series[0] == &c.series[0]) {
		return
	}

	// Instances keep their order: behind some that left or came stand those that were there.
	const ahead = 4
	values := make([]*stats.Series, len(series))
	next := 0
	for n, s := range series {
		near := c.series[next:min(next+ahead, len(c.series))]
		if i := slices.Index(near, s); i >= 0 {
			values[n] = c.to[next+i]
			next += i + 1
		}
	}
	c.series, c.to = series, values
}

// row finds the row of a series, and makes one where there is none.
func (g *Gatherer) row(series *winperf.Series) *stats.Series {
	values := g.ids[series.ID]
	if values == nil {
		values = g.named(series)
		g.ids[series.ID] = values
	}
	return values
}

// named finds the row of a series by its name, and makes one where there is none.
func (g *Gatherer) named(series *winperf.Series) *stats.Series {
	name := g.Name(series)
	values := g.names[name]
	if values == nil {
		// JSON lines have no types, but their units show the rates.
		overTime := series.Type.OverTime() || series.Unit == counter.PerSecond
		values = g.group.Series(overTime)
		g.names[name] = values
		g.rows = append(g.rows, Row{series, values})
	}
	return values
}

// Name tells series apart: an instance that has a key by that, so that it stays the
// same when it is called otherwise, and is no other that is called as it was.
func (g *Gatherer) Name(series *winperf.Series) string {
	if series.Key == "" || g.ByPath {
		return series.String()
	}
	p := series.Path
	p.Instance, p.Index = "", 0
	return p.String() + "\x00" + series.Key
}

// SeveralMachines reports whether the rows are of several machines.
func (g *Gatherer) SeveralMachines() bool {
	rows := g.Rows()
	return slices.ContainsFunc(rows, func(row Row) bool {
		return !strings.EqualFold(row.Series.Path.Machine, rows[0].Series.Path.Machine)
	})
}
