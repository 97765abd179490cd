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

// Gatherer makes statistics of samples: a row for each counter of each instance, in the order of
// their appearance. The zero Gatherer is ready for use.
type Gatherer struct {
	// Above is the threshold above which values are counted; nil for none.
	Above *float64
	// ByPath makes one row of all successive instances with the same name.
	ByPath bool

	Samples     int
	First, Last time.Time // the earliest and the latest sample

	rows   []Row
	group  stats.Group
	origin time.Time // time 0 of the statistics

	names map[string]*stats.Series
	gatheredLog
	log   *Log                 // of the latest sample
	logs  map[*Log]gatheredLog // the other logs that did not end
	batch batch
	twice bool // a sample had two values of one row, whose order matters
}

// gatheredLog is the state of a log.
type gatheredLog struct {
	columns []gatheredColumn // by position: the columns of the previous sample
	latest  time.Time        // time of the previous sample; zero for none
}

// Row has the values of one counter.
type Row struct {
	Series *winperf.Series
	Values *stats.Series
}

// gatheredColumn is the destination of a column's values.
type gatheredColumn struct {
	series []*winperf.Series
	to     []*stats.Series // nil for an unmatched name
	// before and at are the last two times of the column in this log; zero for none.
	before, at time.Time
}

// Rows returns the rows with all added values.
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

// AddAll adds the samples of logs at one time. A sample that several logs of a machine have counts once.
func (g *Gatherer) AddAll(m *Moment) {
	for _, log := range m.Ended {
		g.change(nil, 0)
		delete(g.logs, log)
	}

	var machines []string
	for i, cycle := range m.Cycles {
		g.change(m.From[i], cycle.Len())
		counts := true
		if len(m.Cycles) > 1 {
			machine := strings.ToLower(m.From[i].Source.Describe().Machine)
			counts = !slices.Contains(machines, machine)
			machines = append(machines, machine)
		}
		g.add(cycle, m.ColumnsOf(i), counts)
	}
}

// change announces samples, of width values, of another log.
func (g *Gatherer) change(log *Log, width int) {
	if log == g.log {
		return
	}
	g.batch.settle(g.columns)
	g.batch.begin(width)
	if g.logs == nil {
		g.logs = map[*Log]gatheredLog{}
	}
	g.logs[g.log], g.log = g.gatheredLog, log
	g.gatheredLog = g.logs[log]
}

// Time converts a time of the statistics, such as [stats.Figures.MaxAt].
func (g *Gatherer) Time(t time.Duration) time.Time { return g.origin.Add(t) }

// Add adds a sample.
func (g *Gatherer) Add(cycle *measure.Cycle) { g.add(cycle, cycle.Columns(), true) }

func (g *Gatherer) add(cycle *measure.Cycle, columns []winperf.Column, counts bool) {
	if counts {
		g.Samples++
	}
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

	if g.latest.IsZero() {
		g.latest = cycle.Base // the first values of a range count from it
	}
	if g.twice || !g.batch.add(g.columns, columns, cycle.Time, cycle.Time.Sub(g.origin)) {
		g.batch.settle(g.columns)
		g.take(columns, cycle.Time)
		g.batch.begin(cycle.Len())
	}
	g.latest = cycle.Time
}

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

// column adds the values of a column. An independently sampled column repeats until its next sample
// but counts once.
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
			g.absent(values, cmp.Or(to.before, g.latest), t)
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

// absent notes that a series was missing in the previous sample, taken at before. The first sample of a
// log, at t, continues no other log.
func (g *Gatherer) absent(values *stats.Series, before time.Time, t time.Duration) {
	switch {
	case !before.IsZero():
		values.Absent(before.Sub(g.origin))
	case !values.Has(t):
		values.Break()
	}
}

// noValue notes a missing value, or that none could be expected.
func noValue(s *stats.Series, t time.Duration, status counter.Status) {
	if hasNoValue(status) {
		s.Pass(t)
		return
	}
	s.Miss(t)
}

func hasNoValue(status counter.Status) bool {
	return status == counter.NoPrevious || status.NamesNothing()
}

func (c *gatheredColumn) sampled(at time.Time) {
	if !at.Equal(c.at) {
		c.before, c.at = c.at, at
	}
}

func (c *gatheredColumn) is(series []*winperf.Series) bool {
	return len(series) == len(c.series) && (len(series) == 0 || &series[0] == &c.series[0])
}

// follow updates the series of a column and keeps their state.
func (c *gatheredColumn) follow(col *winperf.Column) {
	series := col.AllSeries()
	if c.is(series) {
		return
	}

	// Instances keep their order, so that a search close to the previous position suffices.
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

// row returns the row of a series. It adds one if the series has numbers.
func (g *Gatherer) row(series *winperf.Series, numbers bool) *stats.Series {
	name := g.Name(series)
	values := g.names[name]
	if values == nil && numbers {
		// JSON lines have no types, but units show rates.
		overTime := series.Type.OverTime() || series.Unit == counter.PerSecond
		values = g.group.Series(overTime)
		g.names[name] = values
		g.rows = append(g.rows, Row{series, values})
	}
	return values
}

// Name returns the identity of a series: with the key of its instance, which survives renaming, if
// it has one.
func (g *Gatherer) Name(series *winperf.Series) string {
	if series.Key == "" || g.ByPath {
		return series.String()
	}
	p := series.Path
	p.Instance, p.Index = "", 0
	return p.String() + "\x00" + series.Key
}

// SeveralMachines reports whether the rows belong to several machines.
func (g *Gatherer) SeveralMachines() bool {
	rows := g.Rows()
	return slices.ContainsFunc(rows, func(row Row) bool {
		return !strings.EqualFold(row.Series.Path.Machine, rows[0].Series.Path.Machine)
	})
}
