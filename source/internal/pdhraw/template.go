package pdhraw

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/perfdata"
)

// template is the encoded object for one set of instances, with the place of each value.
type template struct {
	made   bool
	bytes  []byte
	places []place // by value
	cells  int     // values that fit into it
}

// place holds offsets from the start of the object; value 0 means no place.
type place struct {
	value, base    uint32
	clock          uint32 // of the value's separate clock, if any
	frequency      uint32
	mark, baseMark uint32 // bytes of the bit map
	bit, baseBit   byte   // bits in those bytes; 0 without a base
	again          bool   // an earlier value has the same place
}

// Limits for an object. A log may be sparse, with each counter for other instances, but a block has
// a place for every counter of every instance.
const (
	cellsPerValue = 64
	cellsAnyway   = 1 << 16 // of all objects together
	fillerBytes   = 1 << 20 // of instances in all objects that only fill the numbers before an index
	fillerPerRow  = 512
	instanceBytes = 100 // of an instance without its name
)

var errSparse = errors.New("too few values for its counters and instances")

// instances assigns the values of a sample to rows, one per instance.
type instances struct {
	o      *object
	names  []string
	at     map[row]int
	values []int // by value: its row, notPresent or tooHigh
	filled int   // rows that only fill gaps in numbers

	before     []byte // names of the previous array
	beforeRows []int
}

// Values without a row.
const (
	notPresent = -1 // the instance is not in the sample
	tooHigh    = -2 // the number of the instance is too high
)

// instances finds the instances of a sample, in the order of the entries and, in arrays, of the
// items.
func (o *object) instances() *instances {
	r := &instances{o: o, at: map[row]int{}, values: make([]int, len(o.values))}
	present := o.present()
	for i := range o.entries {
		e := &o.entries[i]
		switch {
		case e.row < 0:
			r.array(e)
		case present[e.row]:
			r.values[e.first] = r.single(o.rows[e.row])
		default:
			r.values[e.first] = notPresent
		}
	}
	return r
}

// present reports which rows of single values a sample has. A row is absent if all its values are.
func (o *object) present() []bool {
	present := make([]bool, len(o.rows))
	for i := range o.entries {
		if e := &o.entries[i]; e.row >= 0 && !o.values[e.first].Absent {
			present[e.row] = true
		}
	}
	return present
}

// array finds the rows of an array's items. They are usually the instances of the previous array.
func (r *instances) array(e *entry) {
	rows, names := r.values[e.first:][:e.n], r.o.names[e.names:]
	if len(r.beforeRows) == e.n && bytes.HasPrefix(names, r.before) {
		copy(rows, r.beforeRows)
		return
	}

	left, text := names, []byte(nil)
	split := Splitter{}
	for i := range rows {
		text, left, _ = wire.CutUTF16(left)
		name, n := split.Split(wire.Text(text, wire.UTF16LE))
		rows[i] = r.row(row{strings.ToLower(name), n}, name)
	}
	r.before, r.beforeRows = names[:len(names)-len(left)], rows
}

// Splitter splits the names of an array's instances from the numbers that distinguish equal names.
// The digits after # are such a number if they equal the count of earlier equal names; otherwise
// they are part of the name.
type Splitter struct{ seen map[string]int } // in lower case

// Split returns the name without its number, and the count of earlier equal names.
func (s *Splitter) Split(name string) (plain string, occurrence int) {
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	key := strings.ToLower(name)
	if short, index := cutIndex(name); index > 0 && s.seen[strings.ToLower(short)] == index {
		name, key = short, strings.ToLower(short)
	}
	occurrence = s.seen[key]
	s.seen[key]++
	return name, occurrence
}

// cutIndex splits name#index.
func cutIndex(name string) (plain string, index int) {
	at := strings.LastIndexByte(name, '#')
	if at < 0 {
		return name, 0
	}
	index, err := strconv.Atoi(name[at+1:])
	if err != nil || strconv.Itoa(index) != name[at+1:] {
		return name, 0
	}
	return name[:at], index
}

func (r *instances) row(key row, name string) int {
	at, found := r.at[key]
	if !found {
		at = len(r.names)
		r.at[key] = at
		r.names = append(r.names, name)
	}
	return at
}

// single finds the row of an instance that an entry names. An instance with index 2 needs two
// earlier instances of its name.
func (r *instances) single(want row) int {
	key := strings.ToLower(want.name)
	if at, found := r.at[row{key, want.index}]; found {
		return at
	}

	size := r.o.filler + fillerPerRow*len(r.o.rows)
	if want.index > size || (r.filled+want.index)*(instanceBytes+2*len(want.name)) > size {
		return tooHigh
	}

	for n := range want.index {
		before := len(r.names)
		r.row(row{key, n}, want.name)
		r.filled += len(r.names) - before
	}
	return r.row(row{key, want.index}, want.name)
}

// make builds the template of an object for the instances of a sample.
func (t *template) make(o *object, r *instances, marked bool) error {
	form := perfdata.Single
	switch {
	case o.multi:
		form = perfdata.Multiple
	case len(r.names) == 0:
		form = perfdata.MetadataSingle // the object is absent
	}

	object := o.definitions(form)
	rows := len(r.names)
	values := int64(len(r.values))
	if cells := int64(rows) * int64(len(object.Counters)); cells > int64(o.cells)+cellsPerValue*values {
		return fmt.Errorf("%d values of %d counters and %d instances: %w",
			values, len(object.Counters), rows, errSparse)
	}

	object.Layout(marked)
	if o.valueClocks {
		object.Extra = datablock.AppendClocks(nil, counter.Clocks{})
	}

	for i, name := range r.names {
		if _, err := object.AddInstance(name); err != nil {
			return err
		}
		for k := range object.Counters { // a separate clock is used only if its value is present
			if marked && object.Counters[k].Type != datablock.ValueClock {
				_ = object.SetMissing(i, k, true) // cannot fail: the layout reserves the bits
			}
		}
	}

	b, err := object.AppendTo(t.bytes[:0])
	if err != nil {
		return err
	}

	t.bytes = b
	t.locate(o, r, &object)
	t.cells, t.made = rows*o.numbers(), true
	return nil
}

// definitions returns the object without instances.
func (o *object) definitions(form perfdata.Form) perfdata.Object {
	object := perfdata.Object{Title: o.title, Help: o.title + 1, Detail: 100, DefaultCounter: -1, Form: form}
	for k := range o.columns {
		c := &o.columns[k]
		c.at = len(object.Counters)
		d := perfdata.NewCounter(c.title, c.typ)
		d.Size, d.Scale = c.size, c.scale
		object.Counters = append(object.Counters, d)

		if c.base != 0 {
			b := perfdata.NewCounter(c.title, c.base)
			b.Size = c.baseSize
			object.Counters = append(object.Counters, b)
		}

		if c.own {
			clock := perfdata.NewCounter(c.title, datablock.ValueClock)
			object.Counters = append(object.Counters, clock, clock)
		}
	}
	return object
}

// numbers returns the number of counters with a raw value.
func (o *object) numbers() (n int) {
	for k := range o.columns {
		if o.columns[k].size != 0 {
			n++
		}
	}
	return n
}

// locate finds the place of every value.
func (t *template) locate(o *object, r *instances, object *perfdata.Object) {
	_, rest := datablock.ObjectBytes(t.bytes).Split()
	blocks := make([]uint32, len(r.names))
	for i := range blocks {
		if o.multi {
			_, rest, _ = datablock.CutInstance(rest) // cannot fail: the bytes were just encoded
		}
		blocks[i] = uint32(len(t.bytes) - len(rest))
		_, rest, _ = datablock.CutCounterBlock(rest)
	}

	t.places = slices.Grow(t.places[:0], len(o.values))[:len(o.values)]
	taken := make([]bool, len(blocks)*len(o.columns))
	for i := range o.entries {
		e := &o.entries[i]
		c := &o.columns[e.column]
		for n := e.first; n < e.first+e.n; n++ {
			var p place
			if at := r.values[n]; at >= 0 && c.size != 0 {
				block, missing := blocks[at], blocks[at]+object.Missing
				p.value = block + object.Counters[c.at].Offset
				p.mark, p.bit = datablock.MissingBit(missing, c.at)
				if c.base != 0 {
					p.base = block + object.Counters[c.at+1].Offset
					p.baseMark, p.baseBit = datablock.MissingBit(missing, c.at+1)
				}

				if c.own {
					own := c.valueClock()
					p.clock = block + object.Counters[own].Offset
					p.frequency = block + object.Counters[own+1].Offset
				}
				place := at*len(o.columns) + e.column
				p.again, taken[place] = taken[place], true
			}
			t.places[n] = p
		}
	}
}
