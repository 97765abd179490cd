package stats

import "math"

type moments struct {
	count     int
	min, max  float64
	mean      float64
	deviation float64 // sum of the squared distances from the mean
}

// momentsOf uses two passes, so that large and similar values lose no precision.
func momentsOf(values []float64) moments {
	if len(values) == 0 {
		return moments{}
	}
	// The built-in min and max are several times slower, because they handle NaN.
	least, greatest, sum := values[0], values[0], 0.0
	for _, v := range values {
		if v < least {
			least = v
		}
		if v > greatest {
			greatest = v
		}
		sum += v
	}

	m := moments{count: len(values), min: least, max: greatest}
	m.mean = sum / float64(m.count)
	if m.min == m.max {
		m.mean = m.min // without the rounding of the sum
		return m
	}

	rest, squares := 0.0, 0.0 // rest is the rounding error of the sum
	for _, v := range values {
		apart := v - m.mean
		rest += apart
		squares += apart * apart
	}

	m.deviation = squares
	m.mean += rest / float64(m.count)
	return m
}

// merge adds the values of o (Chan, Golub and LeVeque, 1979).
func (m *moments) merge(o moments) {
	switch {
	case o.count == 0:
		return
	case m.count == 0:
		*m = o
		return
	}

	n, more := float64(m.count), float64(o.count)
	apart := o.mean - m.mean
	m.deviation += o.deviation + apart*apart*n*more/(n+more)
	m.mean += apart * more / (n + more)
	m.min, m.max = min(m.min, o.min), max(m.max, o.max)
	m.count += o.count
}

// standard returns the standard deviation of a sample; NaN for fewer than two values.
func (m *moments) standard() float64 {
	if m.count < 2 {
		return math.NaN()
	}
	return math.Sqrt(m.deviation / float64(m.count-1))
}
