package cli

import (
	"math"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// comparison is one counter at all sources.
type comparison struct {
	path     string // without machine
	readings []winperf.Reading
	// difference is that between the highest and the lowest value: in points of
	// percentages, else in percent of the larger of the two. It is -1 where there
	// are no two numbers.
	difference float64
	points     bool // the difference is in points
	differs    bool
	values     int // sources that have a value
}

// match puts together what the sources have by the same path. Instances of the
// same name have numbers, so that each path stands for one at each source.
func match(sides []*side, limit tolerance) []comparison {
	var all []comparison
	at := map[string]int{}
	for n, s := range sides {
		for _, r := range s.readings {
			p := r.Path
			p.Machine = ""
			text := p.String()
			key := strings.ToLower(text)
			i, known := at[key]
			if !known {
				i = len(all)
				at[key] = i
				all = append(all, comparison{path: text, readings: make([]winperf.Reading, len(sides))})
			}
			all[i].readings[n] = r
		}
	}

	for i := range all {
		all[i].judge(float64(limit))
	}
	return all
}

// judge finds out whether a counter differs. A source without any reading of it
// differs from one that has a value.
func (c *comparison) judge(limit float64) {
	c.difference = -1
	numbers := 0
	low, high := math.Inf(1), math.Inf(-1)
	first, texts := "", false

	percent, exact := true, true
	for _, r := range c.readings {
		if r.Series == nil || r.Status != counter.OK {
			continue
		}
		c.values++
		text := r.Value.String()
		if c.values == 1 {
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
		c.points, c.difference = percent, spread(low, high, percent)
	}
	switch {
	case c.values > 0 && c.values < len(c.readings):
		c.differs = true
	case texts:
		c.differs = !exact
	default:
		c.differs = !exact && (c.difference > limit || limit == 0)
	}
}

// spread is how far two numbers are apart; see comparison.difference.
func spread(low, high float64, percent bool) float64 {
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
