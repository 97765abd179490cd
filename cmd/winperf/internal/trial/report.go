package trial

import (
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/stats"
)

// Confidence is the confidence level of intervals in reports.
const Confidence = 0.95

// Measure is a figure of each run.
type Measure struct {
	Name string // displayed name
	Unit string // "seconds", Bytes, BytesPerSecond, "count", or the unit of a counter
	of   func(*Result) (v float64, ok bool)
}

var measures = []Measure{
	{"elapsed time", "seconds", func(r *Result) (float64, bool) { return r.Exit.Time.Seconds(), true }},
	{"processor time", "seconds", func(r *Result) (float64, bool) {
		return (r.Exit.User + r.Exit.System).Seconds(), true
	}},
	{"user time", "seconds", func(r *Result) (float64, bool) { return r.Exit.User.Seconds(), true }},
	{"system time", "seconds", func(r *Result) (float64, bool) { return r.Exit.System.Seconds(), true }},
	{"peak memory, largest process", Bytes, func(r *Result) (float64, bool) {
		return float64(r.LargestProcess()), r.LargestProcess() > 0
	}},
	{"peak memory, all processes", Bytes, func(r *Result) (float64, bool) {
		return float64(r.Tree.PeakMemory), r.Tree.PeakMemory > 0
	}},
	{"read", Bytes, func(r *Result) (float64, bool) { return float64(r.Tree.Read), r.Tree.IOKnown }},
	{"written", Bytes, func(r *Result) (float64, bool) { return float64(r.Tree.Written), r.Tree.IOKnown }},
	{"voluntary context switches", "count", func(r *Result) (float64, bool) {
		return float64(r.Exit.Voluntary), r.Exit.Known
	}},
	{"involuntary context switches", "count", func(r *Result) (float64, bool) {
		return float64(r.Exit.Involuntary), r.Exit.Known
	}},
}

// LargestProcess returns the memory of the largest process in bytes: as the system reports it, otherwise
// as sampled; 0 if unknown.
func (r *Result) LargestProcess() uint64 {
	if r.Exit.PeakMemory > 0 {
		return r.Exit.PeakMemory
	}
	var peak uint64
	for _, p := range r.Tree.Processes {
		peak = max(peak, p.Peak)
	}
	return peak
}

// Group is a group of runs: of a variant, or of a results folder.
type Group struct {
	Name    string
	Results []*Result
}

// Variants groups results by variant in the order of their first run. It omits warm-ups, and omits and
// counts failed and stopped runs.
func Variants(results []*Result) (groups []Group, failed int) {
	for _, r := range results {
		if r.Warmup {
			continue
		}
		if r.failed() {
			failed++
			continue
		}
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Name == r.Variant })
		if at < 0 {
			groups, at = append(groups, Group{Name: r.Variant}), len(groups)
		}
		groups[at].Results = append(groups[at].Results, r)
	}
	sorted.Func(groups, func(a, b Group) int {
		return a.Results[0].Step.Variant - b.Results[0].Step.Variant
	})
	return groups, failed
}

// FailedWarmups returns the number of warm-ups that failed or were stopped.
func FailedWarmups(results []*Result) (n int) {
	for _, r := range results {
		if r.Warmup && r.failed() {
			n++
		}
	}
	return n
}

// failed reports whether a run failed or was stopped, and is not compared.
func (r *Result) failed() bool {
	return r.Exit.Status != 0 || r.Exit.Signal != "" || r.Exit.Stopped
}

// Row is one measure of all groups.
type Row struct {
	Measure
	Cells []Cell // one for each group
}

// Cell is one measure of one group.
type Cell struct {
	Count int
	Mean  float64
	// Half is half the width of the confidence interval of the mean; NaN for fewer than two runs.
	Half float64
	// Difference is the mean minus the first group's mean, DifferenceHalf half the width of its confidence
	// interval, and P the probability of such a difference without an effect. All are NaN in the first
	// group.
	Difference, DifferenceHalf, P float64
	// TooFew means that there are too few runs for a significant difference.
	TooFew bool
}

// Significant reports whether the difference from the first group is less than 5 % probable without an
// effect.
func (c Cell) Significant() bool { return c.P < 1-Confidence }

// Report compares groups by all measures that they have.
func Report(groups []Group) (rows []Row) {
	for _, m := range measures {
		numbers := make([][]float64, len(groups))
		for i, g := range groups {
			for _, r := range g.Results {
				if v, ok := m.of(r); ok {
					numbers[i] = append(numbers[i], v)
				}
			}
		}
		if row := compare(m, numbers); !row.empty() {
			rows = append(rows, row)
		}
	}
	return rows
}

func compare(m Measure, groups [][]float64) Row {
	row := Row{Measure: m}
	var first *stats.Series
	var base stats.Figures
	var kept stats.Group
	for i, numbers := range groups {
		s := kept.Series(false)
		for n, v := range numbers {
			s.Add(time.Duration(n), v)
		}
		f := s.Figures()
		c := Cell{
			Count: f.Count, Mean: f.Mean, Half: f.MeanError(Confidence),
			Difference: math.NaN(), DifferenceHalf: math.NaN(), P: math.NaN(),
		}

		if i == 0 {
			first, base = s, f
		} else if f.Count > 0 && base.Count > 0 {
			c.Difference, c.DifferenceHalf = stats.MeanDifference(&base, &f, Confidence)
			c.P = stats.Compare(first, s).P()
			c.TooFew = leastP(base.Count, f.Count) >= 1-Confidence
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// leastP returns the smallest probability of the U test for groups of these sizes: all of one group before
// all of the other.
func leastP(n, m int) float64 {
	p := 2.0
	for i := 1; i <= min(n, m); i++ {
		p *= float64(i) / float64(max(n, m)+i)
	}
	return min(1, p)
}

func (r *Row) empty() bool {
	return !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Count > 0 })
}
