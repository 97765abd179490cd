package view

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/stats"
)

// MaxChanged is the number of counters in Changed.
const MaxChanged = 10

// Changed are the counters whose values in a range differ most from the rest.
type Changed struct {
	Changed []Change `json:"changed"`
}

// Change is one of Changed. Inside and Outside are medians.
type Change struct {
	Path string       `json:"path"`
	Unit counter.Unit `json:"unit"`
	// Time is the time of the most extreme value.
	Time       time.Time `json:"time"`
	Inside     Number    `json:"inside"`
	Outside    Number    `json:"outside"`
	Difference string    `json:"difference"`
}

// Changed returns the counters whose values in the requested time differ most from the rest of the source, or
// from another source with this id, if it is not "". Instances that the other source lacks count as zero.
// Without a time Changed finds for each counter the range that differs most from the rest. Counters of one
// instance that change in the same range count once, and so do instances of one counter that change together.
// Of other counters that change together, the third and later ones are last.
func (v *View) Changed(ctx context.Context, r Request, with string) (*Changed, error) {
	q, sur, err := v.withSurvey(ctx, r)
	if err != nil {
		return nil, err
	}

	var rest *table
	if with != "" {
		other, err := v.find(with)
		if err != nil {
			return nil, err
		}
		all, err := (&query{shown: other}).firstLook(ctx)
		if err != nil {
			return nil, err
		}
		rest = all.table
	}
	return v.compare(ctx, q, sur.table, rest)
}

// compare answers from one or two tables. Only one comparison locks two tables at a time: two that lock them
// in different orders could wait for each other.
func (v *View) compare(ctx context.Context, q query, t, rest *table) (*Changed, error) {
	if rest != nil {
		v.comparing.Lock()
		defer v.comparing.Unlock()
	}
	return changedIn(ctx, q, t, rest)
}

// candidate is a counter with a range, and its difference from the rest.
type candidate struct {
	row      *row
	from, to int       // the range, in the averages of the row
	rest     []float64 // of another source, or nil
	z        float64   // of the rank test
	inside   float64   // median
	outside  float64
	score    float64
}

func changedIn(ctx context.Context, q query, t, rest *table) (*Changed, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	others, measured := map[string]*row{}, map[[2]string]bool{}
	var absent []float64 // the values of an instance that the other source does not have
	if rest != nil && rest != t {
		rest.mu.RLock()
		defer rest.mu.RUnlock()
		for _, r := range rest.rows {
			others[pathWithoutMachine(r.series)], measured[counterOf(r.series)] = r, true
		}
		const enough = 1000
		absent = make([]float64, min(len(rest.times), enough))
	}

	from, to := t.search(q.begin), t.search(q.end+1)
	scales := scalesOf(t)
	significant := float64(significantFound)
	if q.limited || rest != nil {
		significant = significantGiven
	}
	var all []*candidate
	for i, r := range t.rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := &candidate{row: r, from: r.place(from), to: r.place(to)}
		switch {
		case !isComparable(r.series):
			continue
		case rest != nil:
			if o := others[pathWithoutMachine(r.series)]; o != nil {
				c.rest = o.average
			} else if r.series.Path.HasInstance && measured[counterOf(r.series)] {
				c.rest = absent
			}
			c.z = rankTest(append(slices.Clone(r.average[c.from:c.to]), c.rest...), 0, c.to-c.from)
		case q.limited:
			c.z = rankTest(r.average, c.from, c.to)
		default:
			c.find()
		}
		if c.evaluate(scales[counterOf(r.series)], significant) {
			all = append(all, c)
		}
	}

	sorted.Func(all, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	answer := &Changed{Changed: []Change{}}
	for _, c := range distinct(all) {
		answer.Changed = append(answer.Changed, c.change(t))
	}
	return answer, nil
}

// isComparable reports whether changes of a counter are of interest: times since a start always grow, and
// identities and numbers of states mean nothing.
func isComparable(s *winperf.Series) bool {
	name := s.Path.Counter
	return s.Type != counter.ElapsedTime && !strings.HasPrefix(name, "ID ") &&
		!strings.HasSuffix(name, " ID") && !strings.Contains(name, " Process ID") &&
		name != "Thread State" && name != "Thread Wait Reason"
}

func pathWithoutMachine(s *winperf.Series) string {
	p := s.Path
	p.Machine = ""
	return strings.ToLower(p.String())
}

// place returns the place of a bin in the averages of a row, the nearest one for a bin outside.
func (r *row) place(bin int) int { return min(max(bin-r.from, 0), len(r.average)) }

// counterOf identifies the counter of a series in all instances.
func counterOf(s *winperf.Series) [2]string { return [2]string{s.Path.Object, s.Path.Counter} }

// scalesOf returns the largest size of each counter in all instances except totals.
func scalesOf(t *table) map[[2]string]float64 {
	scales := map[[2]string]float64{}
	for _, r := range t.rows {
		key := counterOf(r.series)
		size := scales[key]
		if !isTotal(r.series.Path.Instance) {
			for _, v := range r.average {
				if a := math.Abs(v); a > size {
					size = a
				}
			}
		}
		scales[key] = size
	}
	return scales
}

// find sets the range that differs most from the rest: among ranges of lengths that double, improved at both
// ends.
func (c *candidate) find() {
	ranks, ties := ranksOf(c.row.average)
	n := len(ranks)
	sums, counts := make([]float64, n+1), make([]float64, n+1)
	for i, rank := range ranks {
		sums[i+1], counts[i+1] = sums[i]+rank, counts[i]
		if rank > 0 {
			counts[i+1]++
		}
	}
	at := func(from, to int) float64 {
		return math.Abs(score(sums[to]-sums[from], counts[to]-counts[from], counts[n], ties))
	}

	best := 0.0
	try := func(from, to int) {
		if z := at(from, to); z > best {
			best, c.from, c.to = z, from, to
		}
	}
	const least = 2 // bins
	for length := least; length <= n/2+1; length *= 2 {
		for from := 0; from < n; from += max(length/2, 1) {
			try(from, min(from+length, n))
		}
	}
	for range 2 {
		for from := range c.to {
			try(from, c.to)
		}
		for to := c.from + 1; to <= n; to++ {
			try(c.from, to)
		}
	}
	if c.from == 0 && c.to < n { // the later part is the change
		c.from, c.to = c.to, n
	}
	c.z = best
}

// others returns the values that the range is compared with.
func (c *candidate) others() []float64 {
	if c.rest != nil {
		return c.rest
	}
	return slices.Concat(c.row.average[:c.from], c.row.average[c.to:])
}

// The least normal scores: of a given range (p = 0.001), of the best of many ranges, and of any range with a
// large difference.
const (
	significantGiven = 3.3
	significantFound = 5
	significantLarge = 2.2
	large            = 8 // times the spread
)

// evaluate computes medians and the score, and reports whether the difference matters. scale is the
// largest size of the counter. A small difference compared with it, or with the usual spread of the values,
// is of no interest.
func (c *candidate) evaluate(scale, significant float64) bool {
	z := math.Abs(c.z)
	if z < significantLarge {
		return false
	}
	inside, outside := finite(c.row.average[c.from:c.to]), finite(c.others())
	if len(inside) == 0 || len(outside) == 0 {
		return false
	}

	c.inside, c.outside = median(inside), median(outside)
	low, high := stats.Percentile(outside, 10), stats.Percentile(outside, 90)
	const floor = 0.02
	spread := (high-low)/2 + floor*scale
	if spread <= 0 {
		return false
	}
	c.score = math.Abs(c.inside-c.outside) / spread
	return c.score > 1 && z >= significant || c.score > large
}

// distinct returns the first candidates, at most MaxChanged. It omits a candidate of the same instance and
// range as an earlier one, and one that changes together with an earlier one of the same counter name.
// Candidates that change together with two or more earlier ones are last.
func distinct(all []*candidate) (found []*candidate) {
	for _, most := range []int{2, MaxChanged} {
		for _, c := range all {
			together, known := 0, false
			for _, f := range found {
				known = known || c.same(f)
				if !known && c.correlated(f) {
					together++
					known = counterOf(c.row.series)[1] == counterOf(f.row.series)[1]
				}
			}
			if known || together >= most {
				continue
			}

			if found = append(found, c); len(found) == MaxChanged {
				return found
			}
		}
	}
	return found
}

// same reports whether two counters belong to one instance and change in the same range.
func (c *candidate) same(other *candidate) bool {
	a, b := &c.row.series.Path, &other.row.series.Path
	common := min(c.row.from+c.to, other.row.from+other.to) - max(c.row.from+c.from, other.row.from+other.from)
	return a.Object == b.Object && a.Instance == b.Instance && a.Index == b.Index &&
		2*common > min(c.to-c.from, other.to-other.from)
}

// correlated reports whether two counters change together.
func (c *candidate) correlated(other *candidate) bool {
	const enough = 0.8
	a, b := c.row, other.row
	from, to := max(a.from, b.from), min(a.from+len(a.average), b.from+len(b.average))
	common := correlation(a.average[a.place(from):a.place(to)], b.average[b.place(from):b.place(to)])
	return math.Abs(common) > enough
}

// change makes the answer, with the test of winperf compare.
func (c *candidate) change(t *table) Change {
	var group stats.Group
	add := func(values []float64) *stats.Series {
		s := group.Series(false)
		for i, v := range values {
			if !math.IsNaN(v) {
				s.Add(time.Duration(i), v)
			}
		}
		return s
	}
	compared := stats.Compare(add(c.others()), add(c.row.average[c.from:c.to]))

	at := c.from
	for i := c.from; i < c.to; i++ {
		v, most := c.row.average[i], c.row.average[at]
		if math.Abs(v-c.outside) > math.Abs(most-c.outside) || math.IsNaN(most) {
			at = i
		}
	}
	return Change{
		Path: c.row.series.String(), Unit: c.row.series.Unit, Time: timeOf(t.times[c.row.from+at]),
		Inside: Number(c.inside), Outside: Number(c.outside),
		Difference: fmt.Sprint(compared.Difference(c.outside, c.inside)),
	}
}
