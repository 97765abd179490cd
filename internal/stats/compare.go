package stats

import "golang.org/x/perf/benchmath"

// Comparison reports whether the values of two series have the same distribution.
type Comparison struct {
	result benchmath.Comparison
}

// P returns the p-value of the Mann-Whitney U test, which assumes no distribution. With ties, both
// tails may include the middle and exceed 1.
func (c Comparison) P() float64 { return min(1, c.result.P) }

// Significant reports whether P is at most 5 %.
func (c Comparison) Significant() bool { return c.result.P <= c.result.Alpha }

// Difference formats the difference of two medians like benchstat:
//
//	+12.50% (p=0.001 n=10)
//	~ (p=0.730 n=10+12)
func (c Comparison) Difference(before, after float64) string {
	return c.result.FormatDelta(before, after) + " (" + c.result.String() + ")"
}

// Compare compares two series. If a series has more values than are kept, it compares that many
// quantiles; fewer values only reduce significance.
func Compare(a, b *Series) Comparison {
	thresholds := benchmath.DefaultThresholds
	one := benchmath.NewSample(a.sample(), &thresholds)
	other := benchmath.NewSample(b.sample(), &thresholds)
	return Comparison{benchmath.AssumeNothing.Compare(one, other)}
}

func (s *Series) sample() []float64 {
	o := s.ordered()
	if o.sketch == nil {
		return o.values
	}
	n := s.beyond.moments.count + len(s.values)
	return o.sketch.spread(min(n, DefaultExact), n)
}
