package logs

import (
	"math"
	"slices"
	"strings"
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

	ids     map[winperf.SeriesID]*stats.Series
	names   map[string]*stats.Series
	columns []gatheredColumn // by position: what was there in the sample before
	cooked  cookedRows       // samples that hold readings
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
}

// cookedRows are values of samples that came as readings, which wait for their series: to
// give each series one value after the other of every sample would touch the memory of all
// of them each time, where several samples at once touch it once.
type cookedRows struct {
	gatheredColumn
	times  []time.Duration
	values [waitingRows][]float64 // by time and position, with the marks below
}

// waitingRows is how many moments wait.
const waitingRows = 16

// What waits where there is no number.
var (
	missed  = math.NaN()
	passed  = math.Inf(1)  // none could be expected
	unknown = math.Inf(-1) // nobody told
)

// Rows returns the rows, with all that was added.
func (g *Gatherer) Rows() []Row {
	g.cooked.flush()
	return g.rows
}

// Begin tells that samples of another log follow.
func (g *Gatherer) Begin() {
	for _, row := range g.Rows() {
		row.Values.Break()
	}
}

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

	if cycle.Frame.IsZero() {
		g.readings(cycle.Readings())
		return
	}
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
func (g *Gatherer) column(col *measure.Column, to *gatheredColumn, apart bool) {
	to.follow(col)
	t := col.Time.Sub(g.origin)
	for n, status := range col.Status {
		values := to.to[n]
		if values == nil {
			if NamesNothing(status) {
				continue
			}
			values = g.row(to.series[n])
			to.to[n] = values
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

// readings takes values that came cooked, which are no columns.
func (g *Gatherer) readings(readings []winperf.Reading) {
	to := &g.cooked
	to.grow(len(readings))
	var last time.Time
	var row []float64
	for n := range readings {
		r := &readings[n]
		if r.Time != last { // nearly always they are of one time
			last, row = r.Time, to.next(r.Time.Sub(g.origin))
		}

		if to.series[n] != r.Series {
			if NamesNothing(r.Status) || r.Value.Kind() == counter.KindText {
				continue
			}
			if to.to[n] != nil && len(to.times) > 1 { // others wait in its place
				to.flush()
				row = to.next(last.Sub(g.origin))
			}
			to.series[n], to.to[n] = r.Series, g.named(r.Series)
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

// grow makes room for so many readings.
func (c *cookedRows) grow(n int) {
	more := n - len(c.series)
	if more <= 0 {
		return
	}
	c.flush()
	c.series = append(c.series, make([]*winperf.Series, more)...)
	c.to = append(c.to, make([]*stats.Series, more)...)
	for i := range c.values {
		c.values[i] = make([]float64, n)
	}
}

// next begins the values of another moment.
func (c *cookedRows) next(t time.Duration) []float64 {
	if len(c.times) == waitingRows {
		c.flush()
	}
	row := c.values[len(c.times)]
	c.times = append(c.times, t)
	for n := range row {
		row[n] = unknown
	}
	return row
}

// flush gives the series what waits for them.
func (c *cookedRows) flush() {
	var one [waitingRows]float64
	values, sorted := one[:len(c.times)], slices.IsSorted(c.times)
	for n, to := range c.to {
		if to == nil { // nothing had the name yet
			continue
		}

		whole := sorted
		for i := range values {
			v := c.values[i][n]
			values[i], whole = v, whole && v-v == 0
		}
		if whole {
			to.AddAll(c.times, values)
			continue
		}

		for i, t := range c.times {
			switch v := values[i]; v {
			case unknown:
			case passed:
				to.Pass(t)
			default:
				to.Add(t, v)
			}
		}
	}
	c.times = c.times[:0]
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
func (c *gatheredColumn) follow(col *measure.Column) {
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
	name := g.name(series)
	values := g.names[name]
	if values == nil {
		values = g.group.Series(series.Type.OverTime())
		g.names[name] = values
		g.rows = append(g.rows, Row{series, values})
	}
	return values
}

// name tells series apart: an instance that has a key by that, so that it stays the
// same when it is called otherwise, and is no other that is called as it was.
func (g *Gatherer) name(series *winperf.Series) string {
	if series.Key == "" || g.ByPath {
		return series.String()
	}
	p := series.Path
	p.Instance, p.Index = "", 0
	return p.String() + "\x00" + series.Key
}

// SeveralMachines reports whether the rows are of several machines.
func (g *Gatherer) SeveralMachines() bool {
	return slices.ContainsFunc(g.rows, func(row Row) bool {
		return !strings.EqualFold(row.Series.Path.Machine, g.rows[0].Series.Path.Machine)
	})
}
