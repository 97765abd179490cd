package frame

import (
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
)

// Values are the displayable values of a block of [winperf.FormatValues]. Such a block has no objects.
// Each value has its own series; the series may have different objects and machines, and two may have
// the same path. Values are valid as long as the frame. They implement [winperf.ColumnNames] for their
// columns.
type Values struct {
	series []*winperf.Series
	of     valueblock.Values
	time   time.Time
	there  bool
}

// Values returns the values of each block of displayable values.
func (f Frame) Values() iter.Seq[*Values] {
	return func(yield func(*Values) bool) {
		for i := 0; !f.IsZero() && i < len(f.parts); i++ {
			if v := &f.parts[i].values; v.there && !yield(v) {
				return
			}
		}
	}
}

func (s *store) decodeValues() error {
	b, v := s.block, &s.values
	s.index.Reset()
	s.index.Clocks, s.name = b.Clocks, ""
	if err := valueblock.Decode(b.Bytes, len(b.Series), &v.of); err != nil {
		return err
	}

	v.series, v.there = b.Series, true
	v.time = winperf.FromFiletime(b.Clocks.Time100ns).Add(time.Duration(v.of.Nanos))
	if len(b.Series) > 0 {
		s.name = b.Series[0].Path.Machine
	}
	return nil
}

func (v *Values) forget() {
	v.series, v.there = nil, false
	v.of.Forget()
}

// Aged reports whether some values are older than the sample.
func (v *Values) Aged() bool { return len(v.of.Ages) > 0 }

// Time returns the time of the n-th value.
func (v *Values) Time(n int) time.Time {
	if len(v.of.Ages) == 0 {
		return v.time
	}
	return v.time.Add(-v.of.Ages[n])
}

// Column sets c to the values at the positions n, from ≤ n < to, with the time of the first one.
// Methods of c about the counter are correct only if all values are of one counter.
func (v *Values) Column(c *winperf.Column, from, to int) {
	c.Names, c.From, c.Time = v, from, v.Time(from)
	c.Bits, c.Status = v.of.Bits[from:to:to], v.of.Status[from:to:to]
	if c.Marks = nil; len(v.of.Marks) > 0 {
		c.Marks = v.of.Marks[from:to:to]
	}

	c.Kind = oneKind(v.of.Kinds[from:to])
}

// oneKind returns the common kind of the values, KindNone if they differ.
func oneKind(kinds []counter.Kind) counter.Kind {
	one := counter.KindNone
	for _, kind := range kinds {
		switch {
		case kind == one, kind == counter.KindNone:
		case one == counter.KindNone:
			one = kind
		default:
			return counter.KindNone
		}
	}
	return one
}

// Counter implements [winperf.ColumnNames].
func (v *Values) Counter(n int) *winperf.Series { return v.series[n] }

// ID implements [winperf.ColumnNames].
func (v *Values) ID(n int) winperf.SeriesID { return v.series[n].ID }

// Describe implements [winperf.ColumnNames].
func (v *Values) Describe(s *winperf.Series, n int) { *s = *v.series[n] }

// Series implements [winperf.ColumnNames].
func (v *Values) Series(n int) *winperf.Series { return v.series[n] }

// AllSeries implements [winperf.ColumnNames].
func (v *Values) AllSeries() []*winperf.Series { return v.series }

// Kind implements [winperf.ColumnNames].
func (v *Values) Kind(n int) counter.Kind { return v.of.Kinds[n] }

// Text implements [winperf.ColumnNames].
func (v *Values) Text(n int) string { return string(v.of.Text(v.of.Bits[n])) }
