package frame

import (
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
)

// Values are the values of a block of [winperf.FormatValues], which need no cooking. Such a block has
// no objects: each value has its own series, in which it may be of any object and machine, and two values may
// have one path. Values are valid as long as the frame. They name the values of their columns, see
// [winperf.ColumnNames].
type Values struct {
	series []*winperf.Series
	of     valueblock.Values
	time   time.Time
	there  bool // the block is of this format
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

// decodeValues decodes a block of displayable values.
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

// forget keeps nothing of the block.
func (v *Values) forget() {
	v.series, v.there = nil, false
	v.of.Forget()
}

// Aged reports whether a value was taken before the sample.
func (v *Values) Aged() bool { return len(v.of.Ages) > 0 }

// Time is when a value was taken.
func (v *Values) Time(n int) time.Time {
	if len(v.of.Ages) == 0 {
		return v.time
	}
	return v.time.Add(-v.of.Ages[n])
}

// Column makes c the column of the values from position from to before position to, at the time of the first
// one. Its methods that are about the counter are right where they are of one counter.
func (v *Values) Column(c *winperf.Column, from, to int) {
	c.Names, c.From, c.Time = v, from, v.Time(from)
	c.Bits, c.Status = v.of.Bits[from:to:to], v.of.Status[from:to:to]
	if c.Marks = nil; len(v.of.Marks) > 0 {
		c.Marks = v.of.Marks[from:to:to]
	}

	c.Kind = oneKind(v.of.Kinds[from:to])
}

// oneKind returns the kind of all values that have one, KindNone if they differ.
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

// AllSeries returns the series of all values, in their order: the same slice as long as the source does.
func (v *Values) AllSeries() []*winperf.Series { return v.series }

// Kind implements [winperf.ColumnNames].
func (v *Values) Kind(n int) counter.Kind { return v.of.Kinds[n] }

// Text implements [winperf.ColumnNames].
func (v *Values) Text(n int) string { return string(v.of.Text(v.of.Bits[n])) }
