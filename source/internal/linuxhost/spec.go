package linuxhost

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/provider"
)

var specs = sync.OnceValue(func() []*spec {
	all := []*spec{
		systemObject, processorObject, memoryObject, processObject, infoObject, threadObject, detailsObject,
		pressureObject, groupObject, diskObject, mountObject, interfaceObject, pagingObject, objectsObject,
		ip4Object, ip6Object, tcpObject, udp4Object, udp6Object, icmp4Object, icmp6Object,
	}
	for _, sp := range all {
		sp.finish()
	}
	return all
})

func specOf(name string) *spec {
	all := specs()
	return all[slices.IndexFunc(all, func(sp *spec) bool { return sp.Name == name })]
}

// spec declares an object, its files and the formulas of its counters. Code sets fields that no
// file has.
//
// Positions of rows determine help text indices: add new rows at the end. Title indices that
// Windows does not have never change and are never reused. Add new ones at the end of their range:
// 100,000 for the machine, 100,200 for disks, 100,400 for others.
type spec struct {
	provider.Object
	number   int    // determines help text indices; must not change
	first    uint32 // title index of the default counter; 0 means the first row
	parent   uint32 // title index of the object of parents, an earlier one; included in queries
	identity fields // identify instances; always written
	sums     sums
	files    fileTables
	trees    []groupTree
	table    []entry
	rows     []row // of table, and of rowsFrom
	rowsFrom *spec // object whose rows are appended
	source   func(*spec) source
}

// row is a counter and its formula.
type row struct {
	provider.Counter
	formula
}

// entry declares a row. Tables of entries are data; tables of rows would be code that builds them.
type entry struct {
	index  uint32
	name   string
	typ    counter.Type
	scale  int32
	detail provider.Detail
	of     formula
	help   string
}

func (e *entry) row() row {
	r := row{provider.Counter{
		Index: e.index, Name: e.name, Help: e.help, Type: e.typ, Scale: e.scale, Detail: e.detail,
	}, e.of}
	if e.typ == counter.Precision100NSTimer {
		r.BaseSlot = "time" // these counters share the time of reading
	}
	return r
}

// formula computes a raw value and its base from fields.
type formula struct {
	from              fields // all
	plus, minus, base fields
	whole             uint64 // constant base
	based             bool   // has a base
	summed            bool   // sum without a base
}

func sum(plus fields) formula { return formula{from: plus, plus: plus, summed: true} }

// less is plus - minus, at least 0.
func less(plus, minus fields) formula { return formula{from: plus | minus, plus: plus, minus: minus} }

func ratio(plus, base fields) formula {
	return formula{from: plus | base, plus: plus, base: base, based: true}
}

// over has a constant base.
func over(plus fields, whole uint64) formula {
	return formula{from: plus, plus: plus, whole: whole, based: true}
}

// of returns the value, at least 0.
func (f *formula) of(v *values) uint64 {
	n := v.sum(f.plus)
	return n - min(n, v.sum(f.minus))
}

// at is a field and its place: a name, "group.name" or a column.
type at struct {
	field fields
	key   string
}

func in(u unit, figures []at) (keys []key) {
	for _, f := range figures {
		k := key{fields: f.field, unit: u, name: f.key}
		if group, name, ok := strings.Cut(k.name, "."); ok {
			k.group, k.name = group, name
		}
		k.column, _ = strconv.Atoi(k.name) // 0 for a name
		keys = append(keys, k)
	}
	return keys
}

// fileOfLines has a name and a number in each line.
func fileOfLines(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readLines, keys)
}

// fileOfColumns has numbers in its first line. Columns count from 1: in PID/stat as in proc(5), in
// diskstats after the name.
func fileOfColumns(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readColumns, keys)
}

// fileOfPairs has lines "group name=number name=number".
func fileOfPairs(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readPairs, keys)
}

// fileOfSums has lines "device name=number" or "device name number", to be summed.
func fileOfSums(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readSums, keys)
}

// fileOfTable has names above numbers. FILE#WORD selects two lines that begin with the word.
func fileOfTable(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readTable, keys)
}

func newTable(name string, form func(*fileTable, *values, []byte, *units), keys [][]key) *fileTable {
	t := &fileTable{form: form, keys: slices.Concat(keys...)}
	t.name, t.group, _ = strings.Cut(name, "#")
	for i := range t.keys {
		t.provides |= t.keys[i].fields
	}
	sorted.Func(t.keys, func(a, b key) int { return cmp.Compare(a.column, b.column) })
	return t
}

func (t *fileTable) derive(to fields, f formula) *fileTable {
	t.made = append(t.made, derived{to, f})
	t.provides |= to
	return t
}

// finish completes the declaration. Rows of another object have a separate index range, so that new
// rows do not move them.
func (sp *spec) finish() {
	const sharedRows = 500
	sp.HelpIndex = helpIndex(sp.number, 0)
	for i := range sp.table {
		r := sp.table[i].row()
		r.HelpIndex = helpIndex(sp.number, i+1)
		sp.rows = append(sp.rows, r)
	}

	if sp.rowsFrom != nil {
		for i, r := range sp.rowsFrom.rows {
			r.HelpIndex = helpIndex(sp.number, sharedRows+i)
			sp.rows = append(sp.rows, r)
		}
	}

	for i, r := range sp.rows {
		if r.Index == sp.first {
			sp.Default = i
		}
		sp.Counters = append(sp.Counters, r.Counter)
	}
}

// helpIndex returns the title index of a help text: 0 is the object, i+1 its row i. A name has
// different help texts in different objects, so each has a range of 1,000.
func helpIndex(object, position int) uint32 {
	return uint32(500_001 + 2*(1000*object+position))
}
