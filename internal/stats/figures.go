package stats

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Figures are the statistics of a series. Without values, Count is 0 and the numbers are NaN.
type Figures struct {
	Count, Missing int
	Min, Max       float64
	MaxAt          time.Duration // the time of the first value equal to Max; 0 without a value
	// Mean is the mean of the values. Average is weighted by time in a weighted series, else Mean.
	Mean, Average float64
	// Total is the sum of the values multiplied by their seconds in a weighted series: bytes for bytes
	// per second. It is NaN for other series.
	Total float64
	// Present is the time covered by values. Each covers the time since the previous reading.
	Present time.Duration
	// Deviation is the standard deviation of a sample; NaN for fewer than two values.
	Deviation float64
	// Percentiles are the requested percentiles: each is the smallest value that is not below that
	// percentage of the values.
	Percentiles []float64
	// Error is the largest relative error of the percentiles; 0 if they are exact.
	Error float64
	Last  float64 // the value of the latest time
	// Above is the number of values above the Group's threshold, LongestAbove the longest
	// uninterrupted time above it, in a weighted series including the time covered by the first such
	// value.
	Above        int
	LongestAbove time.Duration
}

// Figures returns the figures of all values, with these percentiles. It may be called concurrently
// for different series.
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

// rank returns the number of values below a percentile.
func rank(percent float64, n int) int {
	return min(max(int(math.Ceil(percent*float64(n)/100))-1, 0), n-1)
}

// ordered returns values by rank.
type ordered struct {
	values []float64
	sketch *sketch // nil if values is complete
	placed int     // the rank of a value in its sorted position, before larger ones
}

// ordered returns the kept values. It may reorder them.
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

// at returns the value with a rank in ascending order.
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

// Percentile returns a percentile like Figures. It reorders the values.
func Percentile[T cmp.Ordered](values []T, percent float64) T {
	return choose(values, rank(percent, len(values)))
}

// choose returns the value with a rank and moves it to its sorted position, in linear time.
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
