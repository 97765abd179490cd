package linuxhost

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// specs returns the objects of the host in their order.
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

// specOf returns the object of a name.
func specOf(name string) *spec {
	all := specs()
	return all[slices.IndexFunc(all, func(sp *spec) bool { return sp.Name == name })]
}

// spec is an object: its declaration, where its figures stand, and what its counters are made of.
// A figure is a number of the kernel's. Those that no file's table gives are set by the code.
//
// A row's place stands for it in the indices of the help texts: new ones go to the end of their
// object. Title indices of names that Windows does not have are fixed for ever: new ones go to the
// end of their range (100,000 those of the machine, 100,200 of disks, 100,400 of all else), and
// none is given anew.
type spec struct {
	provider.Object
	number   int    // part of the indices of its help texts, which must not change
	first    uint32 // title index of the counter to show first; 0 is the first row's
	parent   uint32 // title index of an earlier object that holds the instances' parents; it comes along
	identity fields // what tells instances apart; their counters are always written
	sums     sums
	files    fileTables
	trees    []groupTree
	rows     []row
	lender   *spec // whose rows follow; nil: nobody's
	source   func(*spec) source
}

// row is one counter: its declaration and what its raw value is made of.
type row struct {
	provider.Counter
	formula
}

func newRow(
	index uint32, name string, typ counter.Type, scale int32, detail provider.Detail, of formula, help string,
) row {
	r := row{provider.Counter{Index: index, Name: name, Help: help, Type: typ, Scale: scale, Detail: detail}, of}
	if typ == counter.Precision100NSTimer {
		r.BaseSlot = "time" // the moment of reading is the same for all
	}
	return r
}

// formula says how a raw value, and for types that need one a base, is made of
// figures.
type formula struct {
	from              fields // all of them
	plus, minus, base fields
	whole             uint64 // a base that is always the same
	based             bool   // there is a base
	summed            bool   // it is the sum of all, without a base
}

// sum is the sum of figures.
func sum(plus fields) formula { return formula{from: plus, plus: plus, summed: true} }

// less is the sum of figures less that of others, and not below 0.
func less(plus, minus fields) formula { return formula{from: plus | minus, plus: plus, minus: minus} }

// ratio is a sum of figures whose base is another sum.
func ratio(plus, base fields) formula {
	return formula{from: plus | base, plus: plus, base: base, based: true}
}

// over is a sum of figures whose base is always the same.
func over(plus fields, whole uint64) formula {
	return formula{from: plus, plus: plus, whole: whole, based: true}
}

// of returns the value, which is not taken below 0.
func (f *formula) of(v *values) uint64 {
	n := v.sum(f.plus)
	return n - min(n, v.sum(f.minus))
}

// at says where a figure stands in a file: a name, "group.name", or the number of a column.
type at struct {
	figure fields
	key    string
}

// in are figures that stand in a file in one unit.
func in(u unit, figures []at) (keys []key) {
	for _, f := range figures {
		k := key{fields: f.figure, unit: u, name: f.key}
		if group, name, ok := strings.Cut(k.name, "."); ok {
			k.group, k.name = group, name
		}
		k.column, _ = strconv.Atoi(k.name) // 0 for a name
		keys = append(keys, k)
	}
	return keys
}

// fileOfLines is a file with a name at the start of each line, and the number behind it.
func fileOfLines(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readLines, keys)
}

// fileOfColumns is a file of which the columns of the first line count, from 1; in PID/stat as in proc(5), in
// diskstats from the column behind the name.
func fileOfColumns(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readColumns, keys)
}

// fileOfPairs is a file of lines "group name=number name=number".
func fileOfPairs(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readPairs, keys)
}

// fileOfSums is a file of lines "device name=number" or "device name number", one for each device: a
// figure is the sum of them.
func fileOfSums(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readSums, keys)
}

// fileOfTable is a file with names at the top of columns and the numbers below; FILE#WORD: in the two
// lines that begin with the word.
func fileOfTable(name string, keys ...[]key) *fileTable {
	return newTable(name, (*fileTable).readTable, keys)
}

func newTable(name string, form func(*fileTable, *values, []byte, *units), keys [][]key) *fileTable {
	t := &fileTable{form: form, keys: slices.Concat(keys...)}
	t.name, t.group, _ = strings.Cut(name, "#")
	for i := range t.keys {
		t.gives |= t.keys[i].fields
	}
	slices.SortStableFunc(t.keys, func(a, b key) int { return cmp.Compare(a.column, b.column) })
	return t
}

// derive adds a figure that is made of others of the file.
func (t *fileTable) derive(to fields, f formula) *fileTable {
	t.made = append(t.made, derived{to, f})
	t.gives |= to
	return t
}

// finish completes the declaration when all is known. Borrowed rows' help texts have a
// range of their own, so that new rows of either object move none.
func (sp *spec) finish() {
	const borrowed = 500
	sp.HelpIndex = helpIndex(sp.number, 0)
	for i := range sp.rows {
		sp.rows[i].HelpIndex = helpIndex(sp.number, i+1)
	}

	if sp.lender != nil {
		for i, r := range sp.lender.rows {
			r.HelpIndex = helpIndex(sp.number, borrowed+i)
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

// helpIndex returns the title index of a help text. Windows' help texts and
// their indices are Windows' own. One name stands for different figures in
// different objects, so every object has a range of 1,000: position 0 is the
// object itself, position i+1 its row i.
func helpIndex(object, position int) uint32 {
	return uint32(500_001 + 2*(1000*object+position))
}
