package logs

import (
	"iter"
	"math"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/stats"
)

// joined has the values of several sides for one path.
type joined[T any] struct {
	path string
	of   []T // by side; zero without a value
}

// join joins the values of sides by path, ignoring case, in the order of the first appearance.
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

// Comparison compares one counter of several sources, at one time.
type Comparison struct {
	Path     string // without machine
	Readings []winperf.Reading
	// Difference is the difference between the highest and the lowest value: in points for
	// percentages, else in percent of the larger value; -1 without two numbers.
	Difference float64
	Points     bool // the difference is in points
	Differs    bool
	Values     int // number of sources with a value
}

// CompareReadings compares the readings of sources by path. Values that differ by more than
// tolerance percent are marked. Instances of the same name must be numbered.
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
		c.evaluate(tolerance)
		all = append(all, c)
	}
	return all
}

// evaluate sets the results. A missing reading differs from a value.
func (c *Comparison) evaluate(limit float64) {
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

// spread returns the difference of two numbers; see [Comparison.Difference].
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

// change returns the change of a number in percent of its previous value.
func change(before, after float64) float64 {
	if before == after {
		return 0
	}
	return math.Abs(after/before-1) * 100
}

// Distributions are the distributions of one counter in several logs.
type Distributions struct {
	Path    string          // without machine, unless a log has several
	Series  *winperf.Series // of the first log that has it
	Logs    []Distribution
	Differs bool
}

// Distribution is the distribution in one log; zero without the counter.
type Distribution struct {
	stats.Figures
	Compared bool             // with the first log:
	With     stats.Comparison // the result of the test
	Text     string           // the difference as benchstat formats it
	Matters  bool             // it is significant and exceeds the tolerance
}

// Compare compares logs with the first one by counter path, with the machine only if a log has
// several. A difference matters if it is significant and the median or the mean changes by more
// than tolerance percent of the first log's. percentiles are those in the figures, the median
// first.
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
		d.evaluate(j.of, tolerance)
		all = append(all, d)
	}
	return all
}

// paths yields the rows with their paths for the comparison.
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

// evaluate compares each log with the first. A missing counter differs from a value.
func (d *Distributions) evaluate(rows []Row, limit float64) {
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
