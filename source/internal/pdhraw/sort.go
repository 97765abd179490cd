package pdhraw

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
)

// object collects the single values and arrays of one object.
type object struct {
	name    string
	title   uint32
	multi   bool
	columns []column
	entries []entry
	rows    []row // of the entries that name an instance

	cells  int // places for values that are always allowed
	filler int // bytes of instances that only fill gaps in numbers

	columnAt map[string]int  // by key
	rowAt    map[row]int     // with the name in lower case
	have     map[string]bool // columns and instances of entries

	perValue    bool // values may have separate clocks
	valueClocks bool // it had other clocks than the head
	changed     bool // sizes or valueClocks differ from the templates
	template    template
	marked      template // with a bit map of missing values

	selected bool
	sample
}

// column is one counter of an object.
type column struct {
	title    uint32
	typ      counter.Type
	scale    int32
	timeBase int64
	isBase   bool          // the second value is the base,
	clock    counter.Clock // or else the reading of this clock
	base     counter.Type  // 0 = none
	size     uint32        // of the raw value in bytes, 0 = none
	baseSize uint32
	own      bool // the values have separate clocks
	at       int  // position of its definition; then follow a base and a separate clock
}

// entry is one requested counter and its values in the current sample.
type entry struct {
	object  *object
	counter int // position in the list
	column  int
	row     int // of a single value: position in object.rows; -1 for an array

	timeBase int64
	first, n int // in object.values
	names    int // of an array: in object.names
}

// row is an instance that entries name: its full name, and its number among instances of that name.
type row struct {
	name  string
	index int
}

// sortObjects sorts counters into objects. It calls bad for counters whose values are omitted.
func sortObjects(counters []Counter, perValue bool, bad func(i int, text string)) []*object {
	var objects []*object
	byKey := map[string]*object{}
	for i := range counters {
		c := &counters[i]
		multi := c.Path.HasInstance || c.Array
		key := fmt.Sprintf("%s\x00%t", strings.ToLower(c.Path.Object), multi)
		o := byKey[key]
		if o == nil {
			o = &object{
				name: c.Path.Object, title: c.ObjectTitle, multi: multi, perValue: perValue,
				columnAt: map[string]int{}, rowAt: map[row]int{}, have: map[string]bool{},
			}
			byKey[key] = o
			objects = append(objects, o)
		}
		o.add(i, c, bad)
	}

	for _, o := range objects {
		o.cells, o.filler = cellsAnyway/len(objects), fillerBytes/len(objects)
		o.agree(bad)
		o.singles()
	}
	return objects
}

// add adds an entry of the list. Duplicates are added once.
func (o *object) add(i int, c *Counter, bad func(i int, text string)) {
	e := entry{object: o, counter: i, column: o.column(c), row: -1, timeBase: c.TimeBase}
	if col := &o.columns[e.column]; col.timeBase != c.TimeBase && usesTimeBase(c.Type) {
		if !o.perValue {
			const form = "a time base of %d, expected %d as the same counter has elsewhere"
			bad(i, fmt.Sprintf(form, c.TimeBase, col.timeBase))
			return
		}
		col.own = col.clock != counter.NoClock
	}

	if !c.Array {
		e.row = o.row(row{c.Path.Instance, c.Path.Index})
	}
	key := fmt.Sprintf("%d\x00%d\x00%s", e.column, e.row, strings.ToLower(c.Path.Instance))
	if !o.have[key] {
		o.have[key] = true
		o.entries = append(o.entries, e)
	}
}

// singles assigns places to the values of single instances, before the values of arrays.
func (o *object) singles() {
	for i := range o.entries {
		if e := &o.entries[i]; e.row >= 0 {
			e.first, e.n = o.fixed, 1
			o.fixed++
		}
	}
}

// agree sets one frequency for each clock of an object. A counter with another frequency has no
// values, or a separate clock.
func (o *object) agree(bad func(i int, text string)) {
	for _, clock := range [...]counter.Clock{counter.TickClock, counter.ObjectClock} {
		var most vote
		for k := range o.columns {
			if c := &o.columns[k]; c.typ.Clock() == clock {
				most.add(c.timeBase)
			}
		}

		for k := range o.columns {
			c := &o.columns[k]
			if c.typ.Clock() != clock {
				continue
			}

			differs := c.timeBase != most.v && usesTimeBase(c.typ)
			if differs && !o.perValue {
				c.size = 0
				first := slices.IndexFunc(o.entries, func(e entry) bool { return e.column == k })
				const form = "a time base of %d, expected %d as other counters of the object have"
				bad(o.entries[first].counter, fmt.Sprintf(form, c.timeBase, most.v))
			}

			if o.perValue && c.clock != counter.NoClock {
				c.own = c.own || differs || most.v <= 0 && usesTimeBase(c.typ)
			}
			c.timeBase = most.v
		}
	}
}

// row returns the position of an instance in rows.
func (o *object) row(r row) int {
	key := row{strings.ToLower(r.name), r.index}
	at, found := o.rowAt[key]
	if !found {
		at = len(o.rows)
		o.rowAt[key] = at
		o.rows = append(o.rows, r)
	}
	return at
}

// column returns the position of a counter in columns.
func (o *object) column(c *Counter) int {
	key := fmt.Sprintf("%s\x00%d", strings.ToLower(c.Path.Counter), c.Type)
	at, found := o.columnAt[key]
	if !found {
		at = len(o.columns)
		o.columnAt[key] = at
		o.columns = append(o.columns, newColumn(c))
	}
	return at
}

func newColumn(c *Counter) column {
	col := column{title: c.Title, typ: c.Type, scale: c.Scale, timeBase: c.TimeBase}
	col.isBase, col.clock = c.Type.Second()
	info, known := c.Type.Info()
	switch {
	case known && (info.Bytes == 4 || info.Bytes == 8):
		col.size = uint32(info.Bytes)
	case !known:
		col.size = 8
	}

	if c.Type.NeedsBase() || c.Type.IsMulti() {
		col.base = info.Base
		col.baseSize = 8
		if base, ok := info.Base.Info(); ok && base.Bytes == 4 {
			col.baseSize = 4
		}
		if col.base == 0 {
			col.base = counter.LargeRawBase
		}
	}
	return col
}

// valueClock returns the position of the definition of the column's separate clock.
func (c *column) valueClock() int {
	if c.base != 0 {
		return c.at + 2
	}
	return c.at + 1
}

// usesTimeBase reports whether a type's formula uses the frequency of a clock of the block or
// object.
func usesTimeBase(t counter.Type) bool {
	info, _ := t.Info()
	return info.NeedsFrequency() && info.Clock != counter.Clock100ns
}

// fits reports whether a raw value fits into size bytes.
func fits(v int64, size uint32) bool { return size == 8 || v >= 0 && v <= math.MaxUint32 }
