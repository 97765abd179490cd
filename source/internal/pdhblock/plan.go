package pdhblock

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
)

// object is one object that single values and arrays add up to.
type object struct {
	name    string
	title   uint32
	multi   bool
	columns []column
	entries []entry
	rows    []row // of the entries that name an instance

	cells  int // places for values that are anyway allowed
	filler int // bytes of instances that only fill numbers

	columnAt map[string]int  // by key
	rowAt    map[row]int     // with the name in lower case
	have     map[[2]int]bool // columns and rows of entries

	ownClocks bool // it was seen with other clocks than the head's
	changed   bool // sizes or ownClocks are others than the templates'
	template  template
	marked    template // with a bit map of missing values
	sample    sampleState
}

// column is one counter of an object.
type column struct {
	title    uint32
	typ      counter.Type
	scale    int32
	timeBase int64
	role     pdhlog.BLGRole
	base     counter.Type // 0 = none
	size     uint32       // of the raw value in bytes, 0 = it has none
	baseSize uint32
	at       int // position of its definition; a base is behind it
}

// entry is one entry of the list of counters.
type entry struct {
	list   int // position in the list
	column int
	row    int // of a single value: position in object.rows; -1 for an array
}

// row is an instance that entries name: its full name and which of several of
// that name it is.
type row struct {
	name  string
	index int
}

// plan sorts a list of counters, all of one machine, into objects. bad tells
// what is wrong with an entry, whose values are left out.
func plan(list []pdhlog.BLGCounter, of []int, titles *Titles, bad func(i int, text string)) []*object {
	var objects []*object
	byKey := map[string]*object{}
	for _, i := range of {
		c := &list[i]
		multi := c.Path.HasInstance || c.Kind == pdhlog.BLGArray
		key := fmt.Sprintf("%s\x00%t", strings.ToLower(c.Path.Object), multi)
		o := byKey[key]
		if o == nil {
			o = &object{
				name: c.Path.Object, title: titles.Index(c.Path.Object), multi: multi,
				columnAt: map[string]int{}, rowAt: map[row]int{}, have: map[[2]int]bool{},
			}
			byKey[key] = o
			objects = append(objects, o)
		}
		o.add(i, c, titles, bad)
	}
	for _, o := range objects {
		o.cells, o.filler = cellsAnyway/len(objects), fillerBytes/len(objects)
		o.agree(bad)
		at := 0
		for k := range o.columns {
			o.columns[k].at = at
			if at++; o.columns[k].base != 0 {
				at++
			}
		}
	}
	return objects
}

// add adds an entry of the list. What is there twice counts once.
func (o *object) add(i int, c *pdhlog.BLGCounter, titles *Titles, bad func(i int, text string)) {
	e := entry{list: i, column: o.column(c, titles), row: -1}
	if have := o.columns[e.column].timeBase; have != c.TimeBase && usesTimeBase(c.Type) {
		bad(i, fmt.Sprintf("a time base of %d, expected %d as the same counter has elsewhere", c.TimeBase, have))
		return
	}
	if c.Kind == pdhlog.BLGSingle {
		e.row = o.row(row{c.Path.Instance, c.Path.Index})
	}
	if key := [2]int{e.column, e.row}; !o.have[key] {
		o.have[key] = true
		o.entries = append(o.entries, e)
	}
}

// agree makes all counters of an object that use a clock agree on its
// frequency: one object has one. A counter that has another has no values.
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
			if c.typ.Clock() != clock || c.timeBase == most.v {
				continue
			}
			if usesTimeBase(c.typ) {
				c.size = 0
				first := slices.IndexFunc(o.entries, func(e entry) bool { return e.column == k })
				bad(o.entries[first].list, fmt.Sprintf("a time base of %d, expected %d as other counters of the object have", c.timeBase, most.v))
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
func (o *object) column(c *pdhlog.BLGCounter, titles *Titles) int {
	key := fmt.Sprintf("%s\x00%d", strings.ToLower(c.Path.Counter), c.Type)
	at, found := o.columnAt[key]
	if !found {
		at = len(o.columns)
		o.columnAt[key] = at
		o.columns = append(o.columns, newColumn(c, titles.Index(c.Path.Counter)))
	}
	return at
}

func newColumn(c *pdhlog.BLGCounter, title uint32) column {
	col := column{title: title, typ: c.Type, scale: c.Scale, timeBase: c.TimeBase, role: pdhlog.BLGSecond(c.Type)}
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

// usesTimeBase tells whether a type is computed with the frequency of a clock of
// the block or object.
func usesTimeBase(t counter.Type) bool {
	info, _ := t.Info()
	return info.Formula.Operands()&counter.OperandTB != 0 && info.Clock != counter.Clock100ns
}

// fits tells whether a raw value can be kept in so many bytes.
func fits(v int64, size uint32) bool { return size == 8 || v >= 0 && v <= math.MaxUint32 }
