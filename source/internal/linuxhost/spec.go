package linuxhost

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

//go:embed objects.txt
var objectsText string

// specs returns the objects of objects.txt in their order.
var specs = sync.OnceValue(func() []*spec { return readSpecs(objectsText) })

// specOf returns the object of a name in objects.txt.
func specOf(name string) *spec {
	all := specs()
	return all[slices.IndexFunc(all, func(sp *spec) bool { return sp.Name == name })]
}

// spec is an object of objects.txt, whose head says what the lines mean: its
// declaration, where its figures stand, and what its counters are made of.
type spec struct {
	provider.Object
	number   int    // stands for the object in the indices of its help texts
	parent   uint32 // title index of an earlier object that holds the instances' parents
	identity fields // what tells instances apart
	sums     sums
	figures  map[string]fields
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

// formula says how a raw value, and for types that need one a base, is made of
// figures.
type formula struct {
	from              fields // all of them
	plus, minus, base fields
	whole             uint64 // a base that is always the same
	based             bool   // there is a base
	summed            bool   // it is the sum of all, without a base
}

// of returns the value, which is not taken below 0.
func (f *formula) of(v *values) uint64 {
	n := v.sum(f.plus)
	return n - min(n, v.sum(f.minus))
}

// readSpecs reads objects.txt. A fault in it is a fault of the program: it panics.
func readSpecs(text string) (all []*spec) {
	var sp *spec
	_, text, _ = strings.Cut(text, "\n\n") // behind the head
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines, help, _ := strings.Cut(block, "\n\t")
		help = strings.ReplaceAll(help, "\n\t", " ")
		word, rest, _ := strings.Cut(lines, " ")
		if word != "object" {
			sp.addRow(word, rest, help)
			continue
		}

		first, directives, _ := strings.Cut(rest, "\n")
		sp = newSpec(first, help)
		for line := range strings.SplitSeq(directives, "\n") {
			words := strings.Fields(line)
			sp.direct(all, words[0], words[1:])
		}
		all = append(all, sp)
	}

	for _, sp := range all {
		sp.finish()
	}
	return all
}

// newSpec begins the object of a line "INDEX NAME".
func newSpec(line, help string) *spec {
	index, name, _ := strings.Cut(line, " ")
	sp := &spec{figures: map[string]fields{}, source: newPlainSource}
	sp.Index = parseIndex(index)
	sp.Name = name
	sp.Help = help
	if own, ok := sources[name]; ok {
		sp.source = own.source
		for figure := range strings.FieldsSeq(own.figures) {
			sp.figure(figure)
		}
	}
	return sp
}

// addRow adds the counter of a line "INDEX NAME | TYPE SCALE DETAIL | FORMULA".
func (sp *spec) addRow(index, rest, help string) {
	part := strings.Split(rest, " | ")
	declared := strings.Fields(part[1])
	typ, err := counter.ParseType(declared[0])
	if err != nil {
		panic(err)
	}

	scale, _ := strconv.Atoi(declared[1])
	r := row{formula: sp.formula(strings.Fields(part[2]))}
	r.Counter = provider.Counter{
		Index: parseIndex(index), Name: part[0], Help: help, Type: typ, Scale: int32(scale),
		Detail: details[declared[2]],
	}
	if typ == counter.Precision100NSTimer {
		r.BaseSlot = "time" // the moment of reading is the same for all
	}
	sp.rows = append(sp.rows, r)
}

var details = map[string]provider.Detail{
	"novice": provider.Novice, "advanced": provider.Advanced, "expert": provider.Expert,
	"wizard": provider.Wizard,
}

// direct takes a line that says something about the object.
func (sp *spec) direct(all []*spec, word string, args []string) {
	switch word {
	case "number":
		sp.number, _ = strconv.Atoi(args[0])
	case "instances":
		sp.Multi = true
	case "costly":
		sp.Costly = true
	case "parent":
		sp.parent = parseIndex(args[0])
	case "first":
		sp.Default = int(parseIndex(args[0])) // a position when all rows are known

	case "like", "borrow":
		sp.take(all, parseIndex(args[0]), word == "borrow")

	case "identity":
		sp.identity = sp.set(args)
	case "running":
		sp.sums.running |= sp.set(args)
	case "averaged":
		sp.sums.averaged |= sp.set(args)
	case "gauges":
		sp.sums.gauges |= sp.set(args)

	case "tree":
		sp.trees = append(sp.trees, groupTree{marker: args[0], dirs: args[1:]})
	case "derive":
		sp.file(args[0]).derive(sp.figure(args[1]), sp.formula(args[3:]))

	default:
		sp.addKeys(word, args)
	}
}

// take takes what an earlier object has.
func (sp *spec) take(all []*spec, index uint32, rows bool) {
	lender := all[slices.IndexFunc(all, func(other *spec) bool { return other.Index == index })]
	sp.figures = maps.Clone(lender.figures)
	sp.files = slices.Clip(lender.files)
	sp.sums = lender.sums
	if rows {
		sp.lender = lender
	}
}

// addKeys takes a line that says where figures stand in a file.
func (sp *spec) addKeys(form string, args []string) {
	t := sp.file(args[0])
	t.form = forms[form]
	for _, arg := range args[2:] {
		name, at, _ := strings.Cut(arg, "=")
		k := key{fields: sp.figure(name), unit: unitOf(args[1]), name: cmp.Or(at, name)}
		if group, name, ok := strings.Cut(k.name, "."); ok {
			k.group, k.name = group, name
		}
		k.column, _ = strconv.Atoi(k.name) // 0 for a name
		t.keys = append(t.keys, k)
		t.gives |= k.fields
	}
	slices.SortStableFunc(t.keys, func(a, b key) int { return cmp.Compare(a.column, b.column) })
}

// file returns the table of a file, in the last tree where there are trees.
func (sp *spec) file(name string) *fileTable {
	files := &sp.files
	if n := len(sp.trees); n > 0 {
		files = &sp.trees[n-1].files
	}
	if t := files.find(name); t != nil {
		return t
	}
	t := &fileTable{}
	t.name, t.group, _ = strings.Cut(name, "#")
	*files = append(*files, t)
	return t
}

// figure returns the figure of a name, a new one if there is none yet.
func (sp *spec) figure(name string) fields {
	f, ok := sp.figures[name]
	if !ok {
		f = 1 << len(sp.figures)
		sp.figures[name] = f
	}
	return f
}

// set returns the figures of names, each of which something gives.
func (sp *spec) set(names []string) (set fields) {
	for _, name := range names {
		f, ok := sp.figures[name]
		if !ok {
			panic(sp.Name + ": nothing gives the figure " + name)
		}
		set |= f
	}
	return set
}

// formula reads words such as "a + b - c / d + e".
func (sp *spec) formula(words []string) (f formula) {
	to := &f.plus
	for i, word := range words {
		switch word {
		case "+":
		case "-":
			to = &f.minus
		case "/":
			to = &f.base
		default:
			if n, err := strconv.ParseUint(word, 10, 64); err == nil {
				f.whole = n
			} else {
				*to |= sp.set(words[i : i+1])
			}
		}
	}

	f.from = f.plus | f.minus | f.base
	f.based = f.base != 0 || f.whole != 0
	f.summed = !f.based && f.minus == 0
	return f
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

	first := uint32(sp.Default)
	for i, r := range sp.rows {
		if r.Index == first {
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

func parseIndex(word string) uint32 {
	n, err := strconv.ParseUint(word, 10, 32)
	if err != nil {
		panic(err)
	}
	return uint32(n)
}
