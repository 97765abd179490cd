package stats

import (
	"math"
	"slices"
)

// sketch counts values in a bounded number of buckets. A bucket contains the numbers with the same
// sign, exponent and first bits of the fraction, so that its relative width is constant. If there
// are too many buckets, neighbors are merged.
type sketch struct {
	keys   []int32  // ascending; negative for negative numbers
	counts []uint64 // by key
	shift  uint     // the number of merges
	last   int      // the bucket of the last value
}

const (
	mostBuckets  = 2048
	fractionBits = 7  // of the first buckets: 128 between 1 and 2
	exponentAt   = 52 // in the bits of a float64
)

func (s *sketch) key(v float64) int32 {
	key := int32(math.Float64bits(math.Abs(v)) >> (exponentAt - fractionBits) >> s.shift)
	if v < 0 {
		return -key
	}
	return key
}

func (s *sketch) add(v float64, n int) {
	key := s.key(v)
	if s.last < len(s.keys) && s.keys[s.last] == key {
		s.counts[s.last] += uint64(n)
		return
	}

	at, found := slices.BinarySearch(s.keys, key)
	if !found {
		s.keys = slices.Insert(s.keys, at, key)
		s.counts = slices.Insert(s.counts, at, 0)
	}

	s.counts[at] += uint64(n)
	s.last = at
	for len(s.keys) > mostBuckets {
		s.coarsen()
	}
}

func (s *sketch) coarsen() {
	s.shift++
	kept := 0
	for i, key := range s.keys {
		// Shifting a negative number would round it away from zero.
		if key < 0 {
			key = -(-key >> 1)
		} else {
			key >>= 1
		}

		count := s.counts[i]
		if kept > 0 && s.keys[kept-1] == key {
			s.counts[kept-1] += count
			continue
		}
		s.keys[kept], s.counts[kept] = key, count
		kept++
	}
	s.keys, s.counts, s.last = s.keys[:kept], s.counts[:kept], 0
}

// at returns approximately the value with a rank in ascending order.
func (s *sketch) at(rank int) float64 {
	before := uint64(0)
	for i, key := range s.keys {
		if before += s.counts[i]; uint64(rank) < before {
			return s.middle(key)
		}
	}
	return math.NaN()
}

// spread returns size approximate quantiles of all n values.
func (s *sketch) spread(size, n int) []float64 {
	values := make([]float64, 0, size)
	bucket, before := 0, uint64(0)
	for i := range size {
		rank := uint64((float64(i) + 0.5) / float64(size) * float64(n))
		for rank >= before+s.counts[bucket] {
			before += s.counts[bucket]
			bucket++
		}
		values = append(values, s.middle(s.keys[bucket]))
	}
	return values
}

// middle returns the number with the same relative distance to both ends of a bucket.
func (s *sketch) middle(key int32) float64 {
	size := key
	if key < 0 {
		size = -key
	}
	low := s.edge(size)
	high := s.edge(size + 1)
	middle := low * (2 / (1 + low/high))
	if key < 0 {
		return -middle
	}
	return middle
}

// edge returns the beginning of a bucket of positive numbers, at most the largest number.
func (s *sketch) edge(key int32) float64 {
	bits := uint64(key) << s.shift << (exponentAt - fractionBits)
	return math.Float64frombits(min(bits, math.Float64bits(math.MaxFloat64)))
}

// farthest returns the largest relative error of a bucket.
func (s *sketch) farthest() float64 {
	ratio := 1 + math.Ldexp(1, int(s.shift)-fractionBits)
	if s.shift > fractionBits { // several exponents
		ratio = math.Ldexp(1, 1<<(s.shift-fractionBits))
	}
	return (ratio - 1) / (ratio + 1)
}
