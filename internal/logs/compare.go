package logs

import (
	"iter"
	"math"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/stats"
)

// joined is what several sides have by one path.
type joined[T any] struct {
	path string
	of   []T // by side; the zero T where it has nothing
}

// join puts together what sides have by the same path, whatever the case of its letters, in the
// order in which it comes first.
func join[T any](sides int, all func(side int) iter.Seq2[winperf.Path, T]) []joined[T] {
	var found []joined[T]
	at := map[string]int{}
	for side := range sides {
		for path, one := range all(side) {
			text := path.String()
			key := strings.ToLower(text)
			i, known := at[key]
			if !known {
				i = len(found)
				at[key] = i
				found = append(found, joined[T]{text, make([]T, sides)})
			}
			found[i].of[side] = one
		}
	}
	return found
}

// Comparison is one counter at several sources, at one time.
type Comparison struct {
	Path     string // without machine
	Readings []winperf.Reading
	// Difference is that between the highest and the lowest value: in points of
	// percentages, else in percent of the larger of the two. It is -1 where there
	// are no two numbers.
	Difference float64
	Points     bool // the difference is in points
	Differs    bool
	Values     int // sources that have a value
}

// CompareReadings puts together what sources have by the same path, and tells what differs by more
// than is tolerated, in percent. Instances of the same name have numbers, so that each path
// stands for one at each source.
func CompareReadings(sides [][]winperf.Reading, tolerance float64) []Comparison {
	var all []Comparison
	for _, j := range join(len(sides), func(side int) iter.Seq2[winperf.Path, winperf.Reading] {
		return func(yield func(winperf.Path, winperf.Reading) bool) {
			for _, r := range sides[side] {
				p := r.Path
				p.Machine = ""
				if !yield(p, r) {
					return
				}
			}
		}
	}) {
		c := Comparison{Path: j.path, Readings: j.of}
		c.judge(tolerance)
		all = append(all, c)
	}
	return all
}

// judge finds out whether a counter differs. A source without any reading of it
// differs from one that has a value.
func (c *Comparison) judge(limit float64) {
	c.Difference = -1
	numbers := 0
	low, high := math.Inf(1), math.Inf(-1)
	first, texts := "", false

	percent, exact := true, true
	for _, r := range c.Readings {
		if r.Series == nil || r.Status != counter.OK {
			continue
		}
		c.Values++
		text := r.Value.String()
		if c.Values == 1 {
			first = text
		}

		exact = exact && text == first
		if f, is := r.Value.Float64(); is && !math.IsNaN(f) {
			numbers++
			low, high = min(low, f), max(high, f)
			percent = percent && r.Unit == counter.Percent
		} else {
			texts = true
		}
	}

	if numbers > 1 {
		c.Points, c.Difference = percent, spread(low, high, percent)
	}
	switch {
	case c.Values > 0 && c.Values < len(c.Readings):
		c.Differs = true
	case texts:
		c.Differs = !exact
	default:
		c.Differs = !exact && (c.Difference > limit || limit == 0)
	}
}

// spread is how far two numbers are apart; see [Comparison.Difference].
func spread(a, b float64, percent bool) float64 {
	low, high := min(a, b), max(a, b)
	switch largest := max(math.Abs(low), math.Abs(high)); {
	case low == high:
		return 0
	case percent:
		return high - low
	case math.IsInf(high-low, 0):
		return (high/largest - low/largest) * 100
	default:
		return (high - low) / largest * 100
	}
}

// change is how far a number is from the one before, in percent of that.
func change(before, after float64) float64 {
	if before == after {
		return 0
	}
	return math.Abs(after/before-1) * 100
}

// Distributions is how the values of one counter are spread over several logs.
type Distributions struct {
	Path    string          // without machine, unless a log holds several
	Series  *winperf.Series // of the first log that has it
	Logs    []Distribution
	Differs bool
}

// Distribution is that of one log; the zero value where it has no such counter.
type Distribution struct {
	stats.Figures
	Compared bool             // with the first log:
	With     stats.Comparison // what the test says,
	Text     string           // the difference as benchstat shows it,
	Matters  bool             // and whether it is significant, and larger than is tolerated
}

// Compare compares logs with the first of them by the paths of their counters, in which machines
// count only where one log holds several. A difference matters where it is significant and the
// median or the mean changes by more than is tolerated, in percent of that of the first log;
// of percentages too, as Text has it. Percentiles are what figures are to have, the median first.
func Compare(logs []*Gatherer, tolerance float64, percentiles []float64) []Distributions {
	var all []Distributions
	rows := func(side int) iter.Seq2[winperf.Path, Row] { return logs[side].paths() }
	for _, j := range join(len(logs), rows) {
		d := Distributions{Path: j.path, Logs: make([]Distribution, len(logs))}
		for n, row := range j.of {
			if row.Values == nil {
				continue
			}
			if d.Series == nil {
				d.Series = row.Series
			}
			d.Logs[n].Figures = row.Values.Figures(percentiles...)
		}
		d.judge(j.of, tolerance)
		all = append(all, d)
	}
	return all
}

// paths yields the rows with the paths that they are compared by.
func (g *Gatherer) paths() iter.Seq2[winperf.Path, Row] {
	several := g.SeveralMachines()
	return func(yield func(winperf.Path, Row) bool) {
		for _, row := range g.Rows() {
			p := row.Series.Path
			if !several {
				p.Machine = ""
			}
			if !yield(p, row) {
				return
			}
		}
	}
}

// judge compares each log with the first. One that has no value of a counter differs from one
// that has.
func (d *Distributions) judge(rows []Row, limit float64) {
	first := &d.Logs[0]
	for n := 1; n < len(d.Logs); n++ {
		l := &d.Logs[n]
		if first.Count == 0 || l.Count == 0 {
			d.Differs = d.Differs || first.Count != l.Count
			continue
		}

		l.With, l.Compared = stats.Compare(rows[0].Values, rows[n].Values), true
		median, of := first.Percentiles[0], l.Percentiles[0]
		l.Text = l.With.Difference(median, of)
		changed := max(change(median, of), change(first.Mean, l.Mean))
		l.Matters = l.With.Significant() && (changed > limit || limit == 0)
		d.Differs = d.Differs || l.Matters
	}
}
