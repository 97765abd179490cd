package cli

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

// gatherer makes statistics of the values of samples: a row for each counter of each
// instance, in the order in which they were there first.
type gatherer struct {
	group stats.Group
	// byPath makes one row of all instances that had the same name, one after the other.
	byPath bool

	rows        []gathered
	samples     int
	first, last time.Time // the earliest and the latest sample
	origin      time.Time // that statistics count times from

	ids     map[winperf.SeriesID]*stats.Series
	names   map[string]*stats.Series
	columns []gatheredColumn // by position: what was there in the sample before
	cooked  gatheredColumn   // all of a sample that holds readings
}

// gathered is one row.
type gathered struct {
	series *winperf.Series
	values *stats.Series
}

// gatheredColumn is where the values of a column go.
type gatheredColumn struct {
	series []*winperf.Series
	values []*stats.Series // nil as long as there is nothing by the name
}

func newGatherer() *gatherer { return &gatherer{} }

// begin tells that samples of another log follow.
func (g *gatherer) begin() {
	for _, row := range g.rows {
		row.values.Break()
	}
}

// add takes a sample.
func (g *gatherer) add(cycle *measure.Cycle) {
	g.samples++
	if g.first.IsZero() || cycle.Time.Before(g.first) {
		g.first = cycle.Time
	}
	if cycle.Time.After(g.last) {
		g.last = cycle.Time
	}

	if g.samples == 1 {
		g.origin = cycle.Time
		g.ids = make(map[winperf.SeriesID]*stats.Series, cycle.Len())
		g.names = make(map[string]*stats.Series, cycle.Len())
	}

	if cycle.Frame.IsZero() {
		g.readings(cycle.Readings())
		return
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
func (g *gatherer) column(col *measure.Column, to *gatheredColumn, apart bool) {
	to.follow(col)
	t := col.Time.Sub(g.origin)
	for n, status := range col.Status {
		values := to.values[n]
		if values == nil {
			if namesNothing(status) {
				continue
			}
			values = g.row(to.series[n])
			to.values[n] = values
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
func (g *gatherer) readings(readings []winperf.Reading) {
	to := &g.cooked
	if more := len(readings) - len(to.series); more > 0 {
		to.series = append(to.series, make([]*winperf.Series, more)...)
		to.values = append(to.values, make([]*stats.Series, more)...)
	}

	var last time.Time
	var t time.Duration
	for n := range readings {
		r := &readings[n]
		if r.Time != last { // nearly always they are of one time
			last, t = r.Time, r.Time.Sub(g.origin)
		}

		if to.series[n] != r.Series {
			if namesNothing(r.Status) || r.Value.Kind() == counter.KindText {
				continue
			}
			to.series[n], to.values[n] = r.Series, g.row(r.Series)
		}

		if v, is := r.Value.Float64(); is && r.Status == counter.OK {
			to.values[n].Add(t, v)
		} else {
			noValue(to.values[n], t, r.Status)
		}
	}
}

// noValue notes that a series has no value at a time: it misses one, unless there could
// be none.
func noValue(s *stats.Series, t time.Duration, status counter.Status) {
	if status == counter.NoPrevious || namesNothing(status) {
		s.Pass(t)
		return
	}
	s.Miss(t)
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
			values[n] = c.values[next+i]
			next += i + 1
		}
	}
	c.series, c.values = series, values
}

// row finds the row of a series, and makes one where there is none.
func (g *gatherer) row(series *winperf.Series) *stats.Series {
	if values := g.ids[series.ID]; values != nil {
		return values
	}
	name := g.name(series)
	values := g.names[name]
	if values == nil {
		values = g.group.Series(series.Type.OverTime())
		g.names[name] = values
		g.rows = append(g.rows, gathered{series, values})
	}
	g.ids[series.ID] = values
	return values
}

// name tells series apart: an instance that has a key by that, so that it stays the
// same when it is called otherwise, and is no other that is called as it was.
func (g *gatherer) name(series *winperf.Series) string {
	if series.Key == "" || g.byPath {
		return series.String()
	}
	p := series.Path
	p.Instance, p.Index = "", 0
	return p.String() + "\x00" + series.Key
}

// severalMachines tells whether the rows are of several machines.
func (g *gatherer) severalMachines() bool {
	for _, row := range g.rows {
		if !strings.EqualFold(row.series.Path.Machine, g.rows[0].series.Path.Machine) {
			return true
		}
	}
	return false
}
