package winperf

import (
	"math"
	"time"

	"github.com/winperf/winperf/counter"
)

// Column holds the values of one counter for some instances at one time. Element n of every slice
// belongs to Series(n). A Column is valid as long as the cycle or the readings that it is from; the
// names of its series stay valid.
type Column struct {
	Time time.Time // time of the object's sample
	// Kind is the kind of all values. It is KindNone if the kinds may differ, as in a row of a text
	// log; see KindOf.
	Kind counter.Kind
	// Touched are the kinds of anomalies that affect all values. Marks are the kinds that affect
	// single values; nil for none.
	Touched AnomalySet
	Bits    []uint64         // the values, see counter.FromBits
	Status  []counter.Status // an element has a value only if this is OK
	Marks   []AnomalySet
	// Names identify the values; the first value has position From in Names.
	Names ColumnNames
	From  int
}

// ColumnNames identifies the counter and instance of each value of a column. Methods take positions
// in the whole column, see Column.From.
type ColumnNames interface {
	// Counter returns a Series with the properties that all values of the counter share. Ignore its
	// instance.
	Counter(n int) *Series
	// ID returns the identity of a value's series.
	ID(n int) SeriesID
	// Describe sets s to the series of a value. Before the call s must be a copy of the result of
	// Counter. The series stays valid.
	Describe(s *Series, n int)
	// Series returns the series of a value. The pointer is the same as long as the instance lives
	// and keeps its name. Each requested Series is kept and costs about 200 bytes.
	Series(n int) *Series
	// AllSeries returns the series of all values. As long as the instances do not change, it returns
	// the same slice: if the address of its first element is unchanged, so are the series.
	AllSeries() []*Series
	// Kind returns the kind of a value if Column.Kind is KindNone.
	Kind(n int) counter.Kind
	// Text returns the text of a value of counter.KindText.
	Text(n int) string
}

// Len returns the number of values.
func (c *Column) Len() int { return len(c.Bits) }

// Value returns the n-th value in the unit of its series, or an empty Value if Status[n] is not
// counter.OK.
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

// Counter returns a Series with the properties that all values share. Ignore its instance.
func (c *Column) Counter() *Series { return c.Names.Counter(c.From) }

// Anomalies returns the kinds of anomalies that affect the n-th value.
func (c *Column) Anomalies(n int) AnomalySet {
	if c.Marks == nil {
		return c.Touched
	}
	return c.Touched | c.Marks[n]
}

// ID returns the identity of the n-th value's series.
func (c *Column) ID(n int) SeriesID { return c.Names.ID(c.From + n) }

// Describe sets *s to the series of the n-th value, which stays valid. Unlike Series, it stores
// nothing in the column.
func (c *Column) Describe(s *Series, n int) {
	*s = *c.Counter()
	c.Names.Describe(s, c.From+n)
}

// Series returns the series of the n-th value: its counter and instance. The pointer is the same as
// long as the instance lives and keeps its name. Each requested Series is kept and costs about 200
// bytes. Use Describe if you need only a few of many values.
func (c *Column) Series(n int) *Series { return c.Names.Series(c.From + n) }

// AllSeries returns the series of all values, in their order. As long as the instances do not
// change, it returns the same slice: if the address of its first element is unchanged, so are the
// series. It costs as much as Series for each value.
func (c *Column) AllSeries() []*Series { return c.Names.AllSeries()[c.From:][:c.Len()] }

// Slice returns the values in [from, to) as a Column that shares their memory.
func (c *Column) Slice(from, to int) Column {
	part := *c
	part.From += from
	part.Bits, part.Status = c.Bits[from:to], c.Status[from:to]
	if c.Marks != nil {
		part.Marks = c.Marks[from:to]
	}
	return part
}

// Set makes c a column of one reading, reusing the memory of c. The reading must not change while c
// is used.
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

// ColumnsOf returns one column per reading. They are valid as long as the readings.
func ColumnsOf(readings []Reading) []Column {
	columns := make([]Column, len(readings))
	bits, status := make([]uint64, len(readings)), make([]counter.Status, len(readings))
	for i := range columns {
		columns[i].Bits, columns[i].Status = bits[i:i:i+1], status[i:i:i+1]
		columns[i].Set(&readings[i])
	}
	return columns
}

// single implements ColumnNames for one reading.
type single struct{ r *Reading }

func (s single) Counter(int) *Series   { return s.r.Series }
func (s single) ID(int) SeriesID       { return s.r.ID }
func (s single) Describe(*Series, int) {}
func (s single) Series(int) *Series    { return s.r.Series }
func (s single) AllSeries() []*Series  { return []*Series{s.r.Series} }

func (s single) Kind(int) counter.Kind { return s.r.Value.Kind() }

func (s single) Text(int) string {
	text, _ := s.r.Value.AsText()
	return text
}
