package logs

import (
	"cmp"
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

	names   map[string]*stats.Series
	columns []gatheredColumn // by position: what was there in the sample before
	latest  time.Time        // of the sample before in the same log; zero for none
	batch   batch
	twice   bool // a sample had two values of one row, which are taken in their order
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

// Rows returns the rows, with all that was added.
func (g *Gatherer) Rows() []Row {
	g.batch.settle(g.columns)
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

	columns := cycle.Columns()
	if g.twice || !g.batch.add(g.columns, columns, cycle.Time, cycle.Time.Sub(g.origin)) {
		g.batch.settle(g.columns)
		g.take(columns, cycle.Time)
		g.batch.begin(cycle.Len())
	}
	g.latest = cycle.Time
}

// take takes the columns of a sample.
func (g *Gatherer) take(columns []winperf.Column, at time.Time) {
	if more := len(columns) - len(g.columns); more > 0 {
		g.columns = append(g.columns, make([]gatheredColumn, more)...)
	}
	clear(g.columns[len(columns):])
	g.columns = g.columns[:len(columns)]

	for i := range columns {
		col := &columns[i]
		g.column(col, &g.columns[i], !col.Time.Equal(at))
	}
}

// column takes the values of a column. One that was sampled apart is there again until
// the next one is, and counts once.
func (g *Gatherer) column(col *winperf.Column, to *gatheredColumn, apart bool) {
	to.follow(col)
	to.sampled(col.Time)

	t := col.Time.Sub(g.origin)
	for n, status := range col.Status {
		kind := col.KindOf(n)
		values := to.to[n]
		if values == nil {
			if status.NamesNothing() {
				continue
			}
			if values = g.row(to.series[n], kind != counter.KindText); values == nil {
				continue
			}
			to.to[n] = values
			g.absent(values, cmp.Or(to.before, g.latest))
		}

		has := values.Has(t)
		g.twice = g.twice || has && !apart
		switch {
		case has && apart:
		case status != counter.OK:
			noValue(values, t, status)
		case kind == counter.KindText:
			values.Miss(t)
		case kind == counter.KindFloat:
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
	return status == counter.NoPrevious || status.NamesNothing()
}

// sampled notes when the column was sampled.
func (c *gatheredColumn) sampled(at time.Time) {
	if !at.Equal(c.at) {
		c.before, c.at = c.at, at
	}
}

// is reports whether the series are those of a column.
func (c *gatheredColumn) is(series []*winperf.Series) bool {
	return len(series) == len(c.series) && (len(series) == 0 || &series[0] == &c.series[0])
}

// follow makes room for the series of a column and keeps what is known of them.
func (c *gatheredColumn) follow(col *winperf.Column) {
	series := col.AllSeries()
	if c.is(series) {
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

// row finds the row of a series, and makes one if there is none and it has numbers.
func (g *Gatherer) row(series *winperf.Series, numbers bool) *stats.Series {
	name := g.Name(series)
	values := g.names[name]
	if values == nil && numbers {
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
