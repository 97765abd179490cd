package view

import (
	"math"
	"slices"
	"sort"
)

// halve merges pairs of bins.
func (t *table) halve() {
	used := 0
	for _, r := range t.rows {
		t.halveRow(r)
		used += r.size()
	}

	n := len(t.times)
	if n%2 == 0 {
		t.width += t.widthOf(n - 2)
		t.open += t.stride
	}
	for i := range (n + 1) / 2 {
		t.times[i] = t.times[min(2*i+1, n-1)]
	}
	t.times, t.used, t.stride = t.times[:(n+1)/2], used, 2*t.stride
}

// halveRow merges pairs of bins of a row into memory of their size, because many rows have ended. Bins with
// even numbers are the first of a pair.
func (t *table) halveRow(r *row) {
	old, n := *r, len(r.average)
	r.from = old.from / 2
	size := 0
	if n > 0 {
		size = (old.from+n-1)/2 - r.from + 1
	}
	r.average = make([]float64, size)
	if !t.lean {
		r.minimum, r.maximum = make([]float64, size), make([]float64, size)
	}

	for k := range n {
		bin := old.from + k
		to, c := bin/2-r.from, old.cell(bin)
		switch {
		case bin%2 == 0 || k == 0 || math.IsNaN(r.average[to]):
			r.put(to, c)
		case !math.IsNaN(c.average):
			r.merge(to, c, t.widthOf(bin-1), t.widthOf(bin))
		}
	}
}

// size returns the number of values.
func (r *row) size() int { return len(r.average) + 2*len(r.minimum) }

// put sets a bin.
func (r *row) put(to int, c cell) {
	r.average[to] = c.average
	if r.minimum != nil {
		r.minimum[to], r.maximum[to] = c.minimum, c.maximum
	}
}

// merge adds values to a bin that has some.
func (r *row) merge(to int, c cell, width, more int64) {
	r.average[to] = mean(r.average[to], c.average, width, more)
	if r.minimum != nil {
		r.minimum[to], r.maximum[to] = min(r.minimum[to], c.minimum), max(r.maximum[to], c.maximum)
	}
}

// trim removes the bins before a time, and the rows without bins.
func (t *table) trim(before int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.search(before)
	if n < 64 && n < len(t.times) {
		return
	}
	if n > 0 {
		t.before = t.times[n-1]
	}

	t.times = slices.Clone(t.times[n:])
	t.used, t.states = 0, 0
	for _, r := range t.rows {
		r.trim(n, before)
		t.used += r.size()
		t.states += len(r.states)
	}
	t.remove(func(r *row) bool { return len(r.average) == 0 })
}

func (r *row) trim(n int, before int64) {
	drop := min(max(n-r.from, 0), len(r.average))
	r.from = max(r.from-n, 0)
	r.average = slices.Clone(r.average[drop:])
	if r.minimum != nil {
		r.minimum, r.maximum = slices.Clone(r.minimum[drop:]), slices.Clone(r.maximum[drop:])
	}
	r.first = max(r.first, before)
	r.resets = slices.DeleteFunc(r.resets, func(at int64) bool { return at < before })
	if k := sort.Search(len(r.states), func(i int) bool { return r.states[i].at > before }); k > 1 {
		r.states = slices.Clone(r.states[k-1:])
	}
}
