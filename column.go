package winperf

import (
	"math"
	"time"

	"github.com/winperf/winperf/counter"
)

// Column is one counter of some instances at one time: the values of a path, or of a part
// of it, side by side. Element n of every slice belongs to Series(n). It is valid as long as
// what it was taken from, such as a cycle of a measurement; the texts of its names stay valid.
type Column struct {
	Time time.Time // of the sample that the object was in
	// Kind is the kind of all values, KindNone where they may differ, as in a row of a text log; see KindOf.
	Kind counter.Kind
	// Touched are the kinds of anomalies that touch all values, Marks those that
	// touch single ones; nil where there are none.
	Touched AnomalySet
	Bits    []uint64         // the values, see counter.FromBits
	Status  []counter.Status // only OK goes with a value
	Marks   []AnomalySet
	// Names name the values, and From is the position of the first one among them.
	Names ColumnNames
	From  int
}

// ColumnNames say which counter of which instances the values of a Column are. A position that a
// method takes is that of a value in the whole column, see Column.From.
type ColumnNames interface {
	// Counter is what the series of all values of the column that a value is in have in common. Its
	// instance, if it has one, means nothing.
	Counter(n int) *Series
	// ID is the identity of the series of a value.
	ID(n int) SeriesID
	// Describe makes s, which is a copy of Counter, the series of a value. It stays valid.
	Describe(s *Series, n int)
	// Series returns the series of a value, the same as long as its instance lives and has
	// the same name. Each one that was asked for is kept, at some 200 bytes.
	Series(n int) *Series
	// AllSeries returns the series of all values. As long as the instances do not change, it
	// returns the same slice: a caller that finds the address of its first element unchanged
	// need not look at the series again.
	AllSeries() []*Series
	// Kind is the kind of a value of a column that has none for all.
	Kind(n int) counter.Kind
	// Text is the text of a value of counter.KindText.
	Text(n int) string
}

// Len is the number of values.
func (c *Column) Len() int { return len(c.Bits) }

// Value returns the n-th value, in the unit of its series. It holds nothing where
// Status[n] is not counter.OK.
func (c *Column) Value(n int) counter.Value {
	switch kind := c.KindOf(n); {
	case c.Status[n] != counter.OK:
		return counter.Value{}
	case kind == counter.KindText:
		return counter.Text(c.Names.Text(c.From + n))
	default:
		return counter.FromBits(kind, c.Bits[n])
	}
}

// KindOf returns the kind of the n-th value.
func (c *Column) KindOf(n int) counter.Kind {
	if c.Kind == counter.KindNone {
		return c.Names.Kind(c.From + n)
	}
	return c.Kind
}

// Counter is what the series of all values have in common. Its instance, if it has one, means nothing.
func (c *Column) Counter() *Series { return c.Names.Counter(c.From) }

// Anomalies are the kinds of anomalies that touch the n-th value.
func (c *Column) Anomalies(n int) AnomalySet {
	if c.Marks == nil {
		return c.Touched
	}
	return c.Touched | c.Marks[n]
}

// ID is the identity of the series of the n-th value.
func (c *Column) ID(n int) SeriesID { return c.Names.ID(c.From + n) }

// Describe makes s the series of the n-th value, which stays valid. Nothing is kept.
func (c *Column) Describe(s *Series, n int) {
	*s = *c.Counter()
	c.Names.Describe(s, c.From+n)
}

// Series returns the series of the n-th value: which counter of which instance it is. It is the
// same as long as the instance lives and has the same name. Each one that was asked for
// is kept, at some 200 bytes; for few of many values see Describe.
func (c *Column) Series(n int) *Series { return c.Names.Series(c.From + n) }

// AllSeries returns the series of all values, in their order. As long as the instances do
// not change, it returns the same slice: a caller that finds the address of its first element
// unchanged need not look at the series again. See Series for what it costs.
func (c *Column) AllSeries() []*Series { return c.Names.AllSeries()[c.From:][:c.Len()] }

// Slice returns the values from position from to before position to as a Column, without
// copying them.
func (c *Column) Slice(from, to int) Column {
	part := *c
	part.From += from
	part.Bits, part.Status = c.Bits[from:to], c.Status[from:to]
	if c.Marks != nil {
		part.Marks = c.Marks[from:to]
	}
	return part
}

// Set makes c the column of one reading, which must stay as it is for as long, in the memory
// that c has.
func (c *Column) Set(r *Reading) {
	bits, whole := r.Value.Uint64()
	if !whole {
		f, _ := r.Value.Float64()
		bits = math.Float64bits(f)
	}
	*c = Column{
		Time: r.Time, Kind: r.Value.Kind(), Touched: r.Anomalies, Names: single{r},
		Bits: append(c.Bits[:0], bits), Status: append(c.Status[:0], r.Status),
	}
}

// ColumnsOf makes a column of each reading. They are valid as long as the readings.
func ColumnsOf(readings []Reading) []Column {
	columns := make([]Column, len(readings))
	bits, status := make([]uint64, len(readings)), make([]counter.Status, len(readings))
	for i := range columns {
		columns[i].Bits, columns[i].Status = bits[i:i:i+1], status[i:i:i+1]
		columns[i].Set(&readings[i])
	}
	return columns
}

// single is the ColumnNames of one reading.
type single struct{ r *Reading }

func (s single) Counter(int) *Series   { return s.r.Series }
func (s single) ID(int) SeriesID       { return s.r.ID }
func (s single) Describe(*Series, int) {}
func (s single) Series(int) *Series    { return s.r.Series }
func (s single) AllSeries() []*Series  { return []*Series{s.r.Series} }

// Kind implements ColumnNames.
func (s single) Kind(int) counter.Kind { return s.r.Value.Kind() }

// Text implements ColumnNames.
func (s single) Text(int) string {
	text, _ := s.r.Value.AsText()
	return text
}
