package view

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/counter"
)

// Steps choose the resolution of a range.
type Steps struct {
	// Step is the time between two values; 0 means every sample.
	Step time.Duration
	// Points, if not 0, replaces Step by the shortest usual step with at most this number of values.
	Points int
	// Top, if not 0, is the number of series: the ones with the highest averages.
	Top int
}

// Range has the values of series over time.
type Range struct {
	Source string    `json:"source"`
	Begin  time.Time `json:"begin"`
	End    time.Time `json:"end"`
	// Step is the time between two values in seconds, 0 for every sample.
	Step float64 `json:"step"`
	// Complete is false for a coarse picture, while the samples are read.
	Complete bool `json:"complete"`
	// Times are the beginnings of the steps, or the times of the samples.
	Times  []int64        `json:"times"`
	Series []SeriesValues `json:"series"`
}

// SeriesValues are the values of one series. Minimum and Maximum are nil if each value is of one sample.
type SeriesValues struct {
	Path     string       `json:"path"`
	Unit     counter.Unit `json:"unit"`
	Instance *string      `json:"instance"`
	PID      *uint32      `json:"pid"`
	Minimum  Numbers      `json:"minimum,omitempty"`
	Average  Numbers      `json:"average"`
	Maximum  Numbers      `json:"maximum,omitempty"`
	Missing  []Missing    `json:"missing"`
	Resets   []int64      `json:"resets"`
}

// Numbers are values; NaN is a missing one, null in JSON.
type Numbers []float64

// MarshalJSON implements json.Marshaler.
func (n Numbers) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(n)+2)
	b = append(b, '[')
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	return append(b, ']'), nil
}

// Number is a value; NaN is a missing one, null in JSON.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

func appendNumber(b []byte, v float64) []byte {
	switch size := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(b, "null"...)
	case size == 0 || size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'e', -1, 64)
}

// Missing is the beginning of a run of steps without a value.
type Missing struct {
	At     int64
	Status counter.Status
}

// MarshalJSON implements json.Marshaler: an array of the time and the status.
func (m Missing) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%q]", m.At, m.Status.String()), nil
}

// Range returns the values of counters over time.
func (v *View) Range(ctx context.Context, r Request, how Steps) (*Range, error) {
	q, err := v.query(r, true)
	if err != nil {
		return nil, err
	}
	if how.Step < 0 || how.Points < 0 || how.Top < 0 {
		return nil, fmt.Errorf("%w: step, points and top must not be negative", ErrRequest)
	}
	if how.Points > MaxSteps {
		return nil, fmt.Errorf("%w: %d points, expected at most %d", ErrRequest, how.Points, MaxSteps)
	}
	sur, err := q.look(ctx, q.patience())
	if err != nil {
		return nil, err
	}

	step := how.Step.Milliseconds()
	if how.Points > 0 {
		begin, end := q.bounds(sur)
		if step = usualStep(end-begin, how.Points); step <= q.step.Milliseconds() {
			step = 0
		}
	}
	if step > 0 && q.begin != noBegin && q.end != noEnd { // the requested range, which may exceed the log
		if err := checkSteps((q.end-q.begin)/step + 1); err != nil {
			return nil, err
		}
	}
	return q.read(ctx, sur, step, how.Top)
}

// bounds returns the requested times that the source has.
func (q *query) bounds(v *survey) (begin, end int64) {
	v.table.mu.RLock()
	defer v.table.mu.RUnlock()
	if n := len(v.table.times); n > 0 {
		begin, end = v.table.times[0], v.table.times[n-1]
	} else if !q.first.IsZero() {
		begin = q.first.UnixMilli()
	} else if q.live != nil {
		begin = max(q.live.to.begin().UnixMilli(), 0)
	}
	if last := q.src.Describe().Log.End; !last.IsZero() && q.limitEnd.IsZero() {
		end = max(end, last.UnixMilli())
	}
	return max(begin, q.begin), min(end, q.end)
}

func usualStep(length int64, points int) int64 {
	const second, day = 1000, 24 * 3600 * 1000
	for _, unit := range []int64{second, 60 * second, 3600 * second} {
		for _, n := range []int64{1, 2, 5, 10, 15, 30} {
			if length/(n*unit)+1 <= int64(points) {
				return n * unit
			}
		}
	}
	return (length/(int64(max(points-1, 1))*day) + 1) * day
}

func checkSteps(n int64) error {
	if n > MaxSteps {
		return fmt.Errorf("%w: %d steps, expected at most %d: choose a longer step or a shorter time",
			ErrRequest, n, MaxSteps)
	}
	return nil
}

// read answers from the tables of the paths or, until these are complete, from the survey.
func (q *query) read(ctx context.Context, sur *survey, step int64, top int) (*Range, error) {
	wait := patience
	if q.patience() > 0 && !sur.isReady() { // it was waited for, and tables are read after it
		wait = moment
	}
	entries, complete, err := q.tables(ctx, step, wait)
	if err != nil {
		return nil, err
	}
	if entries == nil {
		if sur, err = q.look(ctx, 0); err != nil {
			return nil, err
		}
	}
	answer := &Range{Source: q.id, Complete: complete, Times: []int64{}, Series: []SeriesValues{}}
	begin, end := q.bounds(sur)
	answer.Begin, answer.End, answer.Step = timeOf(begin), timeOf(end), float64(step)/1000
	if entries == nil {
		t := sur.table
		t.mu.RLock()
		defer t.mu.RUnlock()
		return answer, q.reduce(answer, t, slices.Concat(sur.rows(q.paths)...), step, top)
	}

	return answer, q.readTables(answer, entries, step, top)
}

// readTables reduces the tables of paths, which may have been read at different times. It locks one table at
// a time: two requests that lock several in different orders could wait for each other.
func (q *query) readTables(answer *Range, entries []*entry, step int64, top int) error {
	longest, stride := 0, 0
	for _, e := range entries {
		part := Range{Times: []int64{}}
		length, width, err := q.readTable(&part, e, step, top)
		if err != nil {
			return err
		}
		if len(part.Times) > 0 && (length > longest || width > stride) {
			longest, stride = length, width
			answer.Begin, answer.End, answer.Step, answer.Times = part.Begin, part.End, part.Step, part.Times
		}
		answer.Series = append(answer.Series, part.Series...)
		if err := checkSize(len(answer.Times), len(answer.Series)); err != nil {
			return err
		}
	}

	for i := range answer.Series {
		answer.Series[i].fit(len(answer.Times))
	}
	return checkSize(len(answer.Times), len(answer.Series))
}

// readTable reduces the table of a path, and returns its number of bins and of samples per bin.
func (q *query) readTable(part *Range, e *entry, step int64, top int) (length, stride int, err error) {
	t := e.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.lost {
		const form = "%w: %q has more series than a range can show, expected at most %d: select fewer"
		return 0, 0, fmt.Errorf(form, ErrRequest, e.path, MaxSeries)
	}
	return len(t.times), t.stride, q.reduce(part, t, t.rows, step, top)
}

// fit gives the arrays of a series the same length.
func (s *SeriesValues) fit(n int) {
	for _, list := range []*Numbers{&s.Minimum, &s.Average, &s.Maximum} {
		for *list != nil && len(*list) < n {
			*list = append(*list, math.NaN())
		}
		if len(*list) > n {
			*list = (*list)[:n]
		}
	}
}

func checkSize(steps, series int) error {
	if err := checkSteps(int64(steps)); err != nil {
		return err
	}
	if series > MaxSeries {
		const form = "%w: %d series, expected at most %d: select fewer, or use top"
		return fmt.Errorf(form, ErrRequest, series, MaxSeries)
	}
	if n := steps * series; n > MaxValues {
		return fmt.Errorf("%w: %d values, expected at most %d: choose a longer step or fewer series",
			ErrRequest, n, MaxValues)
	}
	return nil
}

// reduce makes the steps of rows of a table, which is locked.
func (q *query) reduce(answer *Range, t *table, rows []*row, step int64, top int) error {
	from, to := t.search(q.begin), t.search(q.end+1)
	if from >= to {
		return nil
	}
	if width := t.interval() * int64(t.stride); step <= width {
		step = 0
		if t.stride > 1 || t.lean && width > 2*q.step.Milliseconds() {
			step = width // the table has no single samples
		}
	}

	steps := stepsOf(t, from, to, step)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
		return r.from >= to || r.from+len(r.average) <= from
	})
	if top > 0 {
		rows = highest(rows, from, to, top)
	}
	if err := checkSize(len(steps.times), len(rows)); err != nil {
		return err
	}

	answer.Begin, answer.End = timeOf(t.times[from]), timeOf(t.times[to-1])
	answer.Step, answer.Times = float64(step)/1000, steps.times
	for _, r := range rows {
		answer.Series = append(answer.Series, steps.series(r))
	}
	return nil
}

func timeOf(at int64) time.Time { return shownTime(time.UnixMilli(at)) }

// shownTime returns a time in UTC, or the nearest one that RFC 3339 can express. Logs may state others.
func shownTime(t time.Time) time.Time {
	t = t.UTC()
	switch year := t.Year(); {
	case year < 0:
		return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case year > 9999:
		return time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	}
	return t
}

// highest returns the rows with the highest averages, highest first.
func highest(rows []*row, from, to, n int) []*row {
	type ranked struct {
		row     *row
		average float64
	}
	list := make([]ranked, len(rows))
	for k, r := range rows {
		sum, count := 0.0, 0
		for i := max(from-r.from, 0); i < min(to-r.from, len(r.average)); i++ {
			if v := r.average[i]; !math.IsNaN(v) {
				sum += v
				count++
			}
		}

		list[k] = ranked{r, math.Inf(-1)}
		if count > 0 && !isTotal(r.series.Path.Instance) {
			list[k].average = sum / float64(to-from)
		}
	}

	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.average, a.average) })
	rows = nil
	for _, one := range list[:min(n, len(list))] {
		rows = append(rows, one.row)
	}
	return rows
}

// isTotal reports whether an instance is a sum of others, or the idle process.
func isTotal(instance string) bool {
	last := instance[strings.LastIndexByte(instance, '/')+1:]
	return strings.EqualFold(last, "_Total") || strings.EqualFold(instance, "Idle")
}
