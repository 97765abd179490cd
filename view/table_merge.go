package view

import (
	"math"
	"slices"
	"sort"
)

// halve merges pairs of bins.
func (t *table) halve() {
	if !t.lean && t.stride == 1 {
		for _, r := range t.rows {
			r.minimum, r.maximum = slices.Clone(r.average), slices.Clone(r.average)
			r.last = slices.Clone(r.average)
		}
	}

	used := 0
	for _, r := range t.rows {
		t.halveRow(r)
		used += len(r.average) + 3*len(r.minimum)
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

// halveRow merges pairs of bins of a row. Bins with even numbers are the first of a pair.
func (t *table) halveRow(r *row) {
	from, n := r.from/2, len(r.average)
	for k := range n {
		bin := r.from + k
		to := bin/2 - from
		if to == k {
			continue
		}
		if bin%2 == 0 || k == 0 {
			r.average[to] = r.average[k]
			if r.minimum != nil {
				r.minimum[to], r.maximum[to], r.last[to] = r.minimum[k], r.maximum[k], r.last[k]
			}
			continue
		}
		r.merge(to, k, t.widthOf(bin-1), t.widthOf(bin))
	}

	if n > 0 {
		size := (r.from+n-1)/2 - from + 1
		r.average = r.average[:size]
		if r.minimum != nil {
			r.minimum, r.maximum, r.last = r.minimum[:size], r.maximum[:size], r.last[:size]
		}
	}
	r.from = from
}

// merge adds a bin to an earlier one.
func (r *row) merge(to, from int, width, more int64) {
	a, b := r.average[to], r.average[from]
	switch {
	case math.IsNaN(b):
	case math.IsNaN(a):
		r.average[to] = b
		if r.minimum != nil {
			r.minimum[to], r.maximum[to], r.last[to] = r.minimum[from], r.maximum[from], r.last[from]
		}
	default:
		r.average[to] = mean(a, b, width, more)
		if r.minimum != nil {
			r.minimum[to] = min(r.minimum[to], r.minimum[from])
			r.maximum[to] = max(r.maximum[to], r.maximum[from])
			r.last[to] = r.last[from]
		}
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
	t.used = 0
	for _, r := range t.rows {
		r.trim(n, before)
		t.used += len(r.average) + 3*len(r.minimum)
	}
	t.remove(func(r *row) bool { return len(r.average) == 0 })
}

func (r *row) trim(n int, before int64) {
	drop := min(max(n-r.from, 0), len(r.average))
	r.from = max(r.from-n, 0)
	r.average = slices.Clone(r.average[drop:])
	if r.minimum != nil {
		r.minimum = slices.Clone(r.minimum[drop:])
		r.maximum, r.last = slices.Clone(r.maximum[drop:]), slices.Clone(r.last[drop:])
	}
	r.first = max(r.first, before)
	r.resets = slices.DeleteFunc(r.resets, func(at int64) bool { return at < before })
	if k := sort.Search(len(r.states), func(i int) bool { return r.states[i].at > before }); k > 1 {
		r.states = slices.Clone(r.states[k-1:])
	}
}
