package stats

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Figures are what there is to say about a series. Without a value, Count is 0 and the
// numbers are NaN.
type Figures struct {
	Count, Missing int
	Min, Max       float64
	MaxAt          time.Duration // the time of the first value as large as Max; 0 without a value
	// Mean is that of the values. Average goes by the time that each stands for in a
	// weighted series, and is the same as Mean in others.
	Mean, Average float64
	// Total is the sum of each value of a weighted series multiplied by the seconds that it
	// stands for: of bytes per second, bytes. It is NaN for other series.
	Total float64
	// Present is the time that all values together cover. Each covers the time since
	// the reading before it.
	Present time.Duration
	// Deviation is the standard deviation of a sample; NaN of fewer than two values.
	Deviation float64
	// Percentiles are those that were asked for: of each the least value that is not
	// less than so many percent of the values.
	Percentiles []float64
	// Error is the greatest relative error of the percentiles; 0 where they are exact.
	Error float64
	Last  float64 // the value of the newest time
	// Above is how many values are above the bound of the Group, and LongestAbove how
	// long without a break they were at the longest: of a weighted series with the time
	// that the first one stands for.
	Above        int
	LongestAbove time.Duration
}

// Figures returns the figures of what was added until now, with these percentiles. Those of
// different series may be asked for at the same time.
func (s *Series) Figures(percents ...float64) Figures {
	m := momentsOf(s.values)
	if s.beyond != nil {
		all := s.beyond.moments
		all.merge(m)
		m = all
	}

	f := Figures{
		Count: m.count, Missing: s.missing, Min: m.min, Max: m.max,
		MaxAt: s.peakAt, Mean: m.mean, Deviation: m.standard(), Last: s.last,
		Present: s.present, Total: math.NaN(),
	}
	if s.weighted && m.count > 0 {
		f.Total = s.weightedSum
	}
	if m.count == 0 {
		f.Min, f.Max, f.Mean, f.Last = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}

	f.Average = f.Mean
	if s.weights > 0 && m.min < m.max {
		f.Average = s.weightedSum / s.weights
	}
	if s.run != nil {
		f.Above, f.LongestAbove = s.run.count, s.run.longest
	}
	f.Percentiles, f.Error = s.percentiles(m, percents)
	return f
}

// percentiles returns percentiles and their greatest error.
func (s *Series) percentiles(m moments, percents []float64) (found []float64, greatest float64) {
	var o ordered
	if m.min < m.max {
		o = s.ordered()
	}

	found = make([]float64, 0, len(percents))
	for _, p := range percents {
		switch {
		case m.count == 0:
			found = append(found, math.NaN())
		case m.min == m.max:
			found = append(found, m.min)
		default:
			v := o.at(rank(p, m.count))
			found = append(found, min(max(v, m.min), m.max))
		}
	}

	if o.sketch != nil {
		greatest = o.sketch.farthest()
	}
	return found, greatest
}

// rank is how many of n values stand before a percentile.
func rank(percent float64, n int) int {
	return min(max(int(math.Ceil(percent*float64(n)/100))-1, 0), n-1)
}

// ordered finds values by their rank.
type ordered struct {
	values []float64
	sketch *sketch // nil where values are all
	placed int     // the rank of a value that stands in its place, larger ones behind it
}

// ordered returns what is kept of the values. The values change their order, which says
// nothing to a series.
func (s *Series) ordered() ordered {
	if s.beyond == nil {
		return ordered{values: s.values}
	}
	all := s.beyond.sketch
	all.keys, all.counts = slices.Clone(all.keys), slices.Clone(all.counts)
	for _, v := range s.values {
		all.add(v, 1)
	}
	return ordered{sketch: &all}
}

// at is the value that has so many values before it in ascending order.
func (o *ordered) at(rank int) float64 {
	if o.sketch != nil {
		return o.sketch.at(rank)
	}
	if rank < o.placed {
		o.placed = 0
	}
	v := choose(o.values[o.placed:], rank-o.placed)
	o.placed = rank
	return v
}

// Percentile returns a percentile of values, as Figures have it, and changes their order.
func Percentile[T cmp.Ordered](values []T, percent float64) T {
	return choose(values, rank(percent, len(values)))
}

// choose returns the value that has so many before it in ascending order, and moves the
// values so that it stands in its place. That takes a time in proportion to their
// number, where sorting takes more.
func choose[T cmp.Ordered](values []T, rank int) T {
	low, high := 0, len(values)-1
	for low < high {
		pivot := middleOfThree(values[low], values[low+(high-low)/2], values[high])
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}

		switch {
		case rank <= j:
			high = j
		case rank >= i:
			low = i
		default:
			return values[rank]
		}
	}
	return values[rank]
}

func middleOfThree[T cmp.Ordered](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}
