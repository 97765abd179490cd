package view

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/measure"
)

// Statistics are the figures of series.
type Statistics struct {
	Series []SeriesFigures `json:"series"`
}

// SeriesFigures are the figures of one series, as winperf summary has them.
type SeriesFigures struct {
	Path      string       `json:"path"`
	Unit      counter.Unit `json:"unit"`
	Last      Number       `json:"last"`
	Average   Number       `json:"average"`
	Minimum   Number       `json:"minimum"`
	Maximum   Number       `json:"maximum"`
	At        *time.Time   `json:"at"`
	Deviation Number       `json:"deviation"`
	Count     int          `json:"count"`
	Missing   int          `json:"missing"`
	Median    Number       `json:"median"`
	P95       Number       `json:"p95"`
}

// Statistics returns the figures of counters over the requested time.
func (v *View) Statistics(ctx context.Context, r Request) (*Statistics, error) {
	q, err := v.query(r, true)
	if err != nil {
		return nil, err
	}
	entries, _, err := q.tables(ctx, 0, -1)
	if err != nil {
		return nil, err
	}

	answer := &Statistics{Series: []SeriesFigures{}}
	for i, e := range entries {
		if err := q.figures(ctx, answer, e, q.paths[i]); err != nil {
			return nil, err
		}
		if err := checkSize(0, len(answer.Series)); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// figures adds the figures of an entry. A table with several samples per bin has too little for them, so
// that the samples are read again.
func (q *query) figures(ctx context.Context, answer *Statistics, e *entry, path winperf.Path) error {
	t := e.table
	t.mu.RLock()
	if t.stride == 1 && !t.lost {
		defer t.mu.RUnlock()
		var group stats.Group
		from, to := t.search(q.begin), t.search(q.end+1)
		for _, r := range t.rows {
			if r.from < to && r.from+len(r.average) > from {
				answer.Series = append(answer.Series, t.figures(&group, r, from, to))
			}
		}
		return nil
	}
	t.mu.RUnlock()
	return q.gather(ctx, answer, path)
}

// figures returns the figures of a row of single samples.
func (t *table) figures(group *stats.Group, r *row, from, to int) SeriesFigures {
	s := group.Series(overTime(r.series))
	after := func(bin int) time.Duration { return time.Duration(t.times[bin]-t.times[0]) * time.Millisecond }
	first := max(from, r.from)
	if first > 0 {
		s.Pass(after(first - 1))
	} else if t.before > 0 {
		s.Pass(time.Duration(t.before-t.times[0]) * time.Millisecond)
	}
	for bin := first; bin < min(to, r.from+len(r.average)); bin++ {
		addValue(s, after(bin), r.average[bin-r.from], func() counter.Status { return r.status(t.times[bin]) })
	}
	return figuresOf(r.series, s, func(d time.Duration) time.Time { return timeOf(t.times[0]).Add(d) })
}

func overTime(s *winperf.Series) bool { return s.Type.OverTime() || s.Unit == counter.PerSecond }

func addValue(s *stats.Series, t time.Duration, v float64, status func() counter.Status) {
	if !math.IsNaN(v) {
		s.Add(t, v)
	} else if why := status(); why == counter.NoPrevious || why.NamesNothing() {
		s.Pass(t)
	} else {
		s.Miss(t)
	}
}

func figuresOf(of *winperf.Series, s *stats.Series, at func(time.Duration) time.Time) SeriesFigures {
	f := s.Figures(50, 95)
	out := SeriesFigures{
		Path: of.String(), Unit: of.Unit, Last: Number(f.Last), Average: Number(f.Average),
		Minimum: Number(f.Min), Maximum: Number(f.Max), Deviation: Number(f.Deviation),
		Count: f.Count, Missing: f.Missing,
		Median: Number(f.Percentiles[0]), P95: Number(f.Percentiles[1]),
	}
	if f.Count > 0 {
		t := shownTime(at(f.MaxAt))
		out.At = &t
	}
	return out
}

// gather reads the samples of a path.
func (q *query) gather(ctx context.Context, answer *Statistics, path winperf.Path) error {
	type gathered struct {
		of     *winperf.Series
		values *stats.Series
	}
	var group stats.Group
	rows := map[*winperf.Series]*gathered{}
	names := map[string]*gathered{}
	var order []*gathered
	var origin time.Time

	err := q.each(ctx, path, func(cycle *measure.Cycle) error {
		if origin.IsZero() {
			origin = cycle.Time
		}
		t, inside := cycle.Time.Sub(origin), cycle.Time.UnixMilli() >= q.begin
		for _, c := range cycle.Columns() {
			for n, s := range c.AllSeries() {
				g := rows[s]
				if g == nil && (c.Status[n].NamesNothing() || c.KindOf(n) == counter.KindText) {
					continue
				}
				if g == nil {
					if g = names[nameOf(s)]; g == nil {
						g = &gathered{s, group.Series(overTime(s))}
						order, names[nameOf(s)] = append(order, g), g
					}
					rows[s] = g
				}
				v := math.NaN()
				if f, ok := c.Value(n).Float64(); ok {
					v = f
				}
				if !inside {
					g.values.Pass(t)
					continue
				}
				addValue(g.values, t, v, func() counter.Status { return c.Status[n] })
			}
		}
		return checkSize(0, len(order))
	})
	for _, g := range order {
		if f := figuresOf(g.of, g.values, origin.Add); f.Count+f.Missing > 0 {
			answer.Series = append(answer.Series, f)
		}
	}
	return err
}

// each passes the cycles of a range, and of the sample before it, to a function.
func (q *query) each(ctx context.Context, path winperf.Path, do func(*measure.Cycle) error) error {
	sel := q.from(winperf.Selection{Paths: []winperf.Path{path}}, q.begin)
	opt := measure.Options{KeepFirst: true, Language: q.view.opt.Language}
	for cycle, err := range measure.Watch(ctx, q.src, sel, opt) {
		switch {
		case errors.Is(err, winperf.ErrBadData):
			return nil
		case err != nil:
			return removed(err)
		case cycle.Time.UnixMilli() > q.end:
			return nil
		}
		if err := do(cycle); err != nil {
			return err
		}
	}
	return ctx.Err()
}
