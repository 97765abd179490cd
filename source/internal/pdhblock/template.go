package pdhblock

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/perfdata"
)

// template is an object as bytes for one set of instances, and where each value
// of a sample goes.
type template struct {
	made   bool
	bytes  []byte
	places []place // of the values in the order of entries and items
	cells  int     // values that it has room for
}

// place is where a value goes, from the start of the object; value 0 is nowhere.
type place struct {
	value, base    uint32
	mark, baseMark uint32 // the bytes of the bit map
	bit, baseBit   byte   // and the bits in them
}

// Bounds of an object. What a log may hold sparsely, each counter for other
// instances, has a place for every counter of every instance in a block.
const (
	cellsPerValue = 64
	cellsAnyway   = 1 << 16 // of all objects together
	fillerBytes   = 1 << 20 // of instances that only fill the numbers before an index, of all objects together
	fillerPerRow  = 512
	instanceBytes = 100 // of an instance beside its name
)

var errSparse = errors.New("too few values for its counters and instances")

// instances finds the rows of a sample: which instance each value is of.
type instances struct {
	o      *object
	names  []string
	at     map[row]int
	values []int // by value: its row, gone or tooHigh
	filled int   // rows that only fill numbers

	before     []pdhlog.BLGItem // of the array before
	beforeRows []int
}

// What a value has instead of a row.
const (
	gone    = -1 // the instance is not in the sample
	tooHigh = -2 // its number is
)

// instances finds out which instances a sample has: those of the arrays in their
// order, then those that single values are of.
func (o *object) instances(values []pdhlog.BLGValue) *instances {
	r := &instances{o: o, at: map[row]int{}}
	present := o.present(values)
	for i := range o.entries {
		e := &o.entries[i]
		v := &values[e.list]
		if e.row < 0 {
			r.array(v.Items)
			continue
		}
		at := gone
		if present[e.row] {
			at = r.single(o.rows[e.row])
		}
		r.values = append(r.values, at)
	}
	return r
}

// present tells which rows of single values a sample has: not those of which
// every value says that there is no such instance.
func (o *object) present(values []pdhlog.BLGValue) []bool {
	present := make([]bool, len(o.rows))
	for i := range o.entries {
		if e := &o.entries[i]; e.row >= 0 && (!o.multi || values[e.list].Status != pdhlog.CStatusNoInstance) {
			present[e.row] = true
		}
	}
	return present
}

// array finds the rows of an array's items. Nearly always they are the instances
// of the array before.
func (r *instances) array(items []pdhlog.BLGItem) {
	if slices.EqualFunc(items, r.before, func(a, b pdhlog.BLGItem) bool { return bytes.Equal(a.Name, b.Name) }) {
		r.values = append(r.values, r.beforeRows...)
		return
	}
	first := len(r.values)
	defer func() { r.before, r.beforeRows = items, slices.Clone(r.values[first:]) }()
	count := make(map[string]int, len(items))
	for i := range items {
		name := items[i].Name.String()
		key := strings.ToLower(name)
		if plain, index := cutIndex(name); index > 0 && count[strings.ToLower(plain)] == index {
			name, key = plain, strings.ToLower(plain) // the number is that of a path
		}
		n := count[key]
		count[key] = n + 1
		r.values = append(r.values, r.row(row{key, n}, name))
	}
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

// single finds the row of an instance that an entry names. The third of a name
// needs two before it.
func (r *instances) single(want row) int {
	key := strings.ToLower(want.name)
	if at, found := r.at[row{key, want.index}]; found {
		return at
	}
	if room := r.o.filler + fillerPerRow*len(r.o.rows); want.index > room || (r.filled+want.index)*(instanceBytes+2*len(want.name)) > room {
		return tooHigh
	}
	for n := range want.index {
		before := len(r.names)
		r.row(row{key, n}, want.name)
		r.filled += len(r.names) - before
	}
	return r.row(row{key, want.index}, want.name)
}

// make makes the template of an object for the instances of a sample.
func (t *template) make(o *object, r *instances, values []pdhlog.BLGValue, marked bool) error {
	object := perfdata.Object{Title: o.title, Help: o.title + 1, Detail: 100, DefaultCounter: -1, Form: perfdata.Single}
	if o.multi {
		object.Form = perfdata.Multiple
	}
	for k := range o.columns {
		c := &o.columns[k]
		d := perfdata.NewCounter(c.title, c.typ)
		d.Size, d.Scale = c.size, c.scale
		object.Counters = append(object.Counters, d)
		if c.base != 0 {
			b := perfdata.NewCounter(c.title, c.base)
			b.Size = c.baseSize
			object.Counters = append(object.Counters, b)
		}
	}
	rows := len(r.names)
	if cells := int64(rows) * int64(len(object.Counters)); cells > int64(o.cells)+cellsPerValue*int64(len(r.values)) {
		return fmt.Errorf("%d values of %d counters and %d instances: %w", len(r.values), len(object.Counters), rows, errSparse)
	}
	object.Layout(marked)
	if o.ownClocks {
		object.Extra = perfdata.AppendClocks(nil, counter.Clocks{})
	}
	for i, name := range r.names {
		if _, err := object.AddInstance(name); err != nil {
			return err
		}
		for k := range object.Counters {
			if marked {
				_ = object.SetMissing(i, k, true) // there is a place, as it was laid out with one
			}
		}
	}
	b, err := object.AppendTo(t.bytes[:0])
	if err != nil {
		return err
	}
	t.bytes = b
	t.locate(o, r, values, &object)
	t.cells, t.made = rows*o.numbers(), true
	return nil
}

// numbers is how many counters have a raw value.
func (o *object) numbers() (n int) {
	for k := range o.columns {
		if o.columns[k].size != 0 {
			n++
		}
	}
	return n
}

// locate finds the place of every value.
func (t *template) locate(o *object, r *instances, values []pdhlog.BLGValue, object *perfdata.Object) {
	_, rest := perfdata.ObjectBytes(t.bytes).Split()
	blocks := make([]uint32, len(r.names))
	for i := range blocks {
		if o.multi {
			_, rest, _ = perfdata.CutInstance(rest) // which was just encoded
		}
		blocks[i] = uint32(len(t.bytes) - len(rest))
		_, rest, _ = perfdata.CutCounterBlock(rest)
	}

	t.places = t.places[:0]
	o.each(values, func(n, column int, _ raw) {
		var p place
		c := &o.columns[column]
		if at := r.values[n]; at >= 0 && c.size != 0 {
			block, missing := blocks[at], blocks[at]+object.Missing
			p.value = block + object.Counters[c.at].Offset
			p.mark, p.bit = perfdata.MissingBit(missing, c.at)
			if c.base != 0 {
				p.base = block + object.Counters[c.at+1].Offset
				p.baseMark, p.baseBit = perfdata.MissingBit(missing, c.at+1)
			}
		}
		t.places = append(t.places, p)
	})
}
