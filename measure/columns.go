package measure

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// Column is one counter of some instances in one cycle: the readings of a path,
// or of a part of it, side by side. Element n of every slice belongs to
// Series(n). It is valid as long as its Cycle.
type Column struct {
	Time   time.Time // of the sample that the object was in
	Kind   counter.Kind
	Bits   []uint64         // the values, see counter.FromBits
	Status []counter.Status // only OK goes with a value
	// Touched are the kinds of anomalies that touch all values, Marks those that
	// touch single ones; nil where there are none.
	Touched winperf.AnomalySet
	Marks   []winperf.AnomalySet

	item   *item        // of the plan; nil for a column that was made of a reading
	object frame.Object // of the item
	one    *winperf.Series
	text   string // of one
	start  int    // the place of its first reading among those of the cycle
}

// Len is the number of values.
func (c *Column) Len() int { return len(c.Bits) }

// Value returns the value of Series(n), in the series' unit. It holds nothing where
// Status[n] is not counter.OK.
func (c *Column) Value(n int) counter.Value {
	switch {
	case c.Status[n] != counter.OK:
		return counter.Value{}
	case c.Kind == counter.KindText && c.item == nil:
		return counter.Text(c.text)
	case c.Kind == counter.KindText:
		s, _ := c.object.Text(int(c.item.instances[n]), c.item.k)
		return counter.Text(s)
	}
	return counter.FromBits(c.Kind, c.Bits[n])
}

// Place tells where the n-th value stands in the Cycle's Frame: the object, and the positions
// of the counter and of the instance. It makes no Series, and ok is false for a value that
// stands nowhere, such as that of a path that nothing matched.
func (c *Column) Place(n int) (o frame.Object, k, instance int, ok bool) {
	if c.item == nil {
		return frame.Object{}, 0, 0, false
	}
	return c.object, c.item.k, int(c.item.instances[n]), true
}

// Series returns the series that the n-th value belongs to: which counter of which
// instance it is. An instance keeps the same Series as long as it lives and has the same
// name. The Measurement keeps every Series that was asked for, at some 200 bytes each; for
// few of many values see [Cycle.At].
func (c *Column) Series(n int) *winperf.Series {
	if c.item == nil {
		return c.one
	}
	c.item.object.lazy.Lock()
	defer c.item.object.lazy.Unlock()
	return c.series(n)
}

// series is Series of a column with an item, whose lock is held.
func (c *Column) series(n int) *winperf.Series {
	if c.item.kept == nil {
		c.item.kept = make([]*winperf.Series, len(c.item.instances))
	}

	s := &c.item.kept[n]
	if *s == nil {
		var made winperf.Series
		c.describeItem(&made, n)
		*s = made.Clone()
	}
	return *s
}

// AllSeries returns the series of all values, in their order. As long as the instances do
// not change, it returns the same slice: a caller that finds the address of its first element
// unchanged need not look at the series again. See Series for what it costs.
func (c *Column) AllSeries() []*winperf.Series {
	if c.item == nil {
		return []*winperf.Series{c.one}
	}
	c.item.object.lazy.Lock()
	defer c.item.object.lazy.Unlock()
	if !c.item.complete {
		for n := range c.Len() {
			c.series(n)
		}
		c.item.complete = true
	}
	return c.item.kept
}

// describe makes s the n-th series.
func (c *Column) describe(s *winperf.Series, n int) {
	if c.item == nil {
		*s = *c.one
		return
	}
	c.item.object.lazy.Lock()
	defer c.item.object.lazy.Unlock()
	c.describeItem(s, n)
}

// describeItem is describe of a column with an item, whose lock is held.
func (c *Column) describeItem(s *winperf.Series, n int) {
	i := int(c.item.instances[n])
	*s = *c.item.counter()
	s.ID.Instance = c.item.object.instances[i]
	if s.Path.HasInstance {
		s.Path.Instance, s.Path.Index = c.item.object.naming.full(i)
		s.Parent = parentIn(s.Path.Instance, c.object.Instance(i))
	}
	s.Key = c.item.object.key(c.object, i)
}

// parentIn returns what of an instance's whole name is that of its parent. Only the
// sample tells whether there is one: names may hold slashes.
func parentIn(full string, in frame.Instance) string {
	if _, has := in.Parent(); !has {
		return ""
	}
	if parent, is := strings.CutSuffix(full, "/"+in.Name()); is {
		return parent
	}
	parent, _, _ := strings.Cut(full, "/") // it has another name by now
	return parent
}

// reading makes the n-th value a reading, in place: a reading is large to hand on.
func (c *Column) reading(r *winperf.Reading, n int, s *winperf.Series) {
	r.Series, r.Time, r.Value = s, c.Time, c.Value(n)
	r.Status, r.Anomalies = c.Status[n], c.Touched
	if c.Marks != nil {
		r.Anomalies |= c.Marks[n]
	}
}

// appendReadings appends the values as readings.
func (c *Column) appendReadings(readings []winperf.Reading) []winperf.Reading {
	at := len(readings)
	readings = slices.Grow(readings, c.Len())[:at+c.Len()]
	for n, s := range c.AllSeries() {
		c.reading(&readings[at+n], n, s)
	}
	return readings
}

// columnStore is the memory of columns.
type columnStore struct {
	bits   []uint64
	status []counter.Status
	marks  []winperf.AnomalySet // seldom needed
	spare  spare
}

// grow makes room for n readings.
func (s *columnStore) grow(n int) {
	s.bits = slices.Grow(s.bits[:0], n)[:n]
	s.status = slices.Grow(s.status[:0], n)[:n]
}

// mark returns n empty marks.
func (s *columnStore) mark(at, n int) []winperf.AnomalySet {
	if len(s.marks) < len(s.bits) {
		s.marks = make([]winperf.AnomalySet, len(s.bits))
	}
	marks := s.marks[at:][:n:n]
	clear(marks)
	return marks
}

// reading makes a column of one reading, which stands at start in the cycle, with the
// memory at a place.
func (s *columnStore) reading(at, start int, r *winperf.Reading) Column {
	bits, whole := r.Value.Uint64()
	if !whole {
		f, _ := r.Value.Float64()
		bits = math.Float64bits(f)
	}

	s.bits[at], s.status[at] = bits, r.Status
	c := Column{
		Time: r.Time, Kind: r.Value.Kind(), one: r.Series, start: start,
		Bits: s.bits[at : at+1], Status: s.status[at : at+1], Touched: r.Anomalies,
	}
	c.text, _ = r.Value.AsText()
	return c
}

// take makes out the column of what was cooked for it.
func (col *column) take(out *Column, values *frame.Cooked) {
	out.Kind = values.Kind
	if !col.apart {
		out.Bits, out.Status = values.Bits, values.Status // which others may have cooked
		return
	}
	for m, i := range col.instances {
		out.Bits[m], out.Status[m] = values.Bits[i], values.Status[i]
	}
}

// spare is memory for values that stand nowhere else.
type spare struct {
	bits   []uint64
	status []counter.Status
	used   int
}

func (s *spare) reset() { s.used = 0 }

// take gives memory for n values, until reset.
func (s *spare) take(n int) ([]uint64, []counter.Status) {
	if s.used+n > len(s.bits) {
		size := max(n, 2*len(s.bits))
		s.bits, s.status, s.used = make([]uint64, size), make([]counter.Status, size), 0
	}
	at := s.used
	s.used += n
	return s.bits[at:][:n], s.status[at:][:n]
}
