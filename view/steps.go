package view

import (
	"math"
	"strconv"
	"strings"
)

// steps are the steps of a range in a table.
type steps struct {
	t     *table
	from  int // the first bin
	width int64
	times []int64
	of    []int // the step of each bin from the first on
}

func stepsOf(t *table, from, to int, width int64) *steps {
	s := &steps{t: t, from: from, width: width}
	for bin := from; bin < to; bin++ {
		at := t.times[bin]
		if width == 0 {
			s.of, s.times = append(s.of, bin-from), append(s.times, at)
			continue
		}

		begin := at - at%width
		if len(s.times) == 0 {
			s.times = append(s.times, begin)
		}
		for last := s.times[len(s.times)-1]; last < begin && len(s.times) <= MaxSteps; {
			last += width
			s.times = append(s.times, last)
		}
		s.of = append(s.of, len(s.times)-1)
	}
	return s
}

// series reduces a row.
func (s *steps) series(r *row) SeriesValues {
	n := len(s.times)
	out := SeriesValues{
		Path: r.series.String(), Unit: r.series.Unit,
		Average: empty(n), Missing: []Missing{}, Resets: []int64{},
	}
	out.identify(r)
	if s.width > 0 {
		out.Minimum, out.Maximum = empty(n), empty(n)
	}

	var average weighted
	current := -1
	for i, to := range s.of {
		if to != current {
			current, average = to, weighted{}
		}
		if c := r.cell(s.from + i); !math.IsNaN(c.average) {
			average.add(c.average, s.t.widthOf(s.from+i))
			out.add(to, c, average.mean())
		}
	}
	s.miss(r, &out)
	first, last := s.t.times[s.from], s.t.times[s.from+len(s.of)-1]
	for _, at := range r.resets {
		if at >= first && at <= last {
			out.Resets = append(out.Resets, at)
		}
	}
	return out
}

func empty(n int) Numbers {
	list := make(Numbers, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

func (v *SeriesValues) identify(r *row) {
	if r.series.Path.HasInstance {
		text := r.series.Path.InstanceText()
		v.Instance = &text
	}
	v.PID = pidOf(r.series.Key)
}

// pidOf returns the process id in the key of an instance, or nil.
func pidOf(key string) *uint32 {
	text, _, _ := strings.Cut(key, "@")
	text, _, _ = strings.Cut(text, "/")
	if id, err := strconv.ParseUint(text, 10, 32); err == nil {
		pid := uint32(id)
		return &pid
	}
	return nil
}

// weighted is a mean of values weighted by the milliseconds that they cover.
type weighted struct {
	sum, simple     float64
	covered, n      int64
	lowest, highest float64
}

func (w *weighted) add(v float64, width int64) {
	if w.n == 0 {
		w.lowest, w.highest = v, v
	}
	w.lowest, w.highest = min(w.lowest, v), max(w.highest, v)
	w.sum += v * float64(width)
	w.simple += v
	w.covered += width
	w.n++
}

func (w *weighted) mean() float64 {
	mean := w.simple / float64(w.n)
	if w.covered > 0 {
		mean = w.sum / float64(w.covered)
	}
	return min(max(mean, w.lowest), w.highest) // without the rounding of the sum
}

// add adds a bin to a step whose average is now known.
func (v *SeriesValues) add(to int, c cell, average float64) {
	first := math.IsNaN(v.Average[to])
	v.Average[to] = average
	if v.Minimum == nil {
		return
	}
	if first {
		v.Minimum[to], v.Maximum[to] = c.minimum, c.maximum
	}
	v.Minimum[to], v.Maximum[to] = min(v.Minimum[to], c.minimum), max(v.Maximum[to], c.maximum)
}

// miss notes the runs of steps without a value. Steps without a sample have the status no_previous only if
// the series has it.
func (s *steps) miss(r *row, out *SeriesValues) {
	before := true
	bin := 0
	for i, v := range out.Average {
		is := !math.IsNaN(v)
		for bin < len(s.of)-1 && s.of[bin] < i {
			bin++
		}
		if !is && before {
			out.Missing = append(out.Missing, Missing{s.times[i], r.status(s.t.times[s.from+bin])})
		}
		before = is
	}
}
