package stats

import "golang.org/x/perf/benchmath"

// Comparison says whether the values of two series are from the same distribution.
type Comparison struct {
	result benchmath.Comparison
}

// P is how probable a difference as large as theirs is between two series from the
// same distribution, by the Mann-Whitney U test, which assumes nothing about it. Both tails
// of a distribution with ties may hold the middle, so that they sum up to more than 1.
func (c Comparison) P() float64 { return min(1, c.result.P) }

// Significant reports whether that is so improbable that the two differ: less than 5 %.
func (c Comparison) Significant() bool { return c.result.P <= c.result.Alpha }

// Difference is that of two medians as benchstat shows it, such as
//
//	+12.50% (p=0.001 n=10)
//	~ (p=0.730 n=10+12)
func (c Comparison) Difference(before, after float64) string {
	return c.result.FormatDelta(before, after) + " (" + c.result.String() + ")"
}

// Compare compares two series. Of one with more values than are kept as many are
// compared, at equal distances in ascending order; fewer values make a difference less
// significant, never more.
func Compare(a, b *Series) Comparison {
	thresholds := benchmath.DefaultThresholds
	one := benchmath.NewSample(a.sample(), &thresholds)
	other := benchmath.NewSample(b.sample(), &thresholds)
	return Comparison{benchmath.AssumeNothing.Compare(one, other)}
}

// sample is all values of a series, or as many as are compared.
func (s *Series) sample() []float64 {
	o := s.ordered()
	if o.sketch == nil {
		return o.values
	}
	n := s.beyond.moments.count + len(s.values)
	return o.sketch.spread(min(n, DefaultExact), n)
}
