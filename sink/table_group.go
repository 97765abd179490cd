package sink

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/textset"
)

// group is one object of one machine: the positions of its readings in a sample, and its rows and
// columns in the order of their appearance. There may be a million rows, each with about 16 bytes,
// its name, and 4 bytes per column.
type group struct {
	groupKey // the machine is empty if it is not shown
	values   *positions
	age      time.Duration

	size int // the number of readings
	runs []run

	names    names // of the columns: counters
	counters []counterColumn

	instances names    // of the rows: (name#1) as in paths, empty without parentheses
	cells     []uint32 // column by column: 1 + the position of a row's reading, 0 = none

	text []byte // of one name
}

// run is a range of consecutive readings of a group.
type run struct {
	first int // the number of the first reading in the group
	at    int // its position
}

type counterColumn struct {
	unit           counter.Unit
	texts, numbers bool // the kinds of values in the column
	count          int  // of readings
	bytes          int  // of the names of instances
}

// names numbers names. A lookup first tries the previous name and its successor.
type names struct {
	textset.Set
	last int // the number of the previous lookup
}

// number returns the number of a name and adds a new name.
func (o *names) number(name []byte) int {
	for n := o.last; n <= o.last+1 && n < o.Len(); n++ {
		if bytes.Equal(o.At(n), name) {
			o.last = n
			return n
		}
	}
	o.last, _ = o.Add(name)
	return o.last
}

// groups are the groups of a sample. They reuse the memory of the previous sample.
type groups struct {
	list        []*group
	values      positions
	now, before map[groupKey]*group
}

type groupKey struct{ machine, object string }

// sort sorts columns into groups. With a common machine the groups do not name it.
func (s *groups) sort(at time.Time, columns []winperf.Column, common bool) {
	s.list, s.now, s.before = s.list[:0], make(map[groupKey]*group), s.now
	s.values.set(columns)
	for i := range columns {
		c := &columns[i]
		if c.Len() == 0 {
			continue
		}

		path := &c.Counter().Path
		k := groupKey{path.Machine, path.Object}
		if common {
			k.machine = ""
		}
		g := s.get(k)
		g.add(s.values.starts[i], c)
		g.age = max(g.age, age(at, c))
	}
	s.before = nil
}

func (s *groups) get(k groupKey) *group {
	if g := s.now[k]; g != nil {
		return g
	}
	g := s.before[k]
	if g == nil {
		g = &group{groupKey: k}
	}
	g.reset(&s.values)
	s.now[k], s.list = g, append(s.list, g)
	return g
}

// end releases the columns of the sample.
func (s *groups) end() { s.values.set(nil) }

// reset empties the group.
func (g *group) reset(values *positions) {
	g.values, g.age = values, 0
	g.size, g.runs, g.counters = 0, g.runs[:0], g.counters[:0]
	g.names.Reset()
	g.instances.Reset()
}

// add adds a column whose first value is at a position.
func (g *group) add(at int, c *winperf.Column) {
	if n := len(g.runs); n == 0 || at-g.runs[n-1].at != g.size-g.runs[n-1].first {
		g.runs = append(g.runs, run{g.size, at})
	}
	g.size += c.Len()

	s := c.Counter()
	column := g.columnOf(s)
	if column == len(g.counters) {
		g.counters = append(g.counters, counterColumn{unit: s.Unit})
	}

	to := &g.counters[column]
	to.count += c.Len()
	var series winperf.Series
	for n, status := range c.Status {
		c.Describe(&series, n)
		to.bytes += len(series.Path.Instance) + len("()")
		kind := c.KindOf(n)
		isText := kind == counter.KindText
		to.texts = to.texts || status == counter.OK && isText
		to.numbers = to.numbers || status == counter.OK && !isText && kind != counter.KindNone
	}
}

func (g *group) columnOf(s *winperf.Series) int {
	g.text = append(g.text[:0], s.Path.Counter...)
	return g.names.number(g.text)
}

func (g *group) rowOf(r *winperf.Reading) int {
	g.text = appendInstance(g.text[:0], &r.Path)
	return g.instances.number(g.text)
}

// position returns the position of the group's n-th reading.
func (g *group) position(n int) int {
	i, found := slices.BinarySearchFunc(g.runs, n, func(r run, n int) int { return cmp.Compare(r.first, n) })
	if !found {
		i-- // not the first of its run
	}
	return g.runs[i].at + n - g.runs[i].first
}

func (g *group) findRows() {
	most := slices.MaxFunc(g.counters, func(a, b counterColumn) int { return cmp.Compare(a.count, b.count) })
	g.instances.Grow(most.count, most.bytes)
	for n := range g.size {
		g.rowOf(g.values.at(g.position(n)))
	}
}

// fillCells sets the positions of the cells. The last of several readings with the same path is
// shown.
func (g *group) fillCells() {
	n := g.instances.Len() * len(g.counters)
	g.cells = slices.Grow(g.cells[:0], n)[:n]
	clear(g.cells)
	for n := range g.size {
		at := g.position(n)
		r := g.values.at(at)
		g.cells[g.columnOf(r.Series)*g.instances.Len()+g.rowOf(r)] = uint32(at + 1)
	}
}

func (g *group) reading(row, column int) *winperf.Reading {
	if at := g.cells[column*g.instances.Len()+row]; at > 0 {
		return g.values.at(int(at - 1))
	}
	return nil
}

// sparse reports whether a table would have far more cells than readings.
func (g *group) sparse() bool {
	const few, share = 1000, 16
	cells := int64(g.instances.Len()) * int64(len(g.counters))
	return cells > few && cells > share*int64(g.size)
}

func (g *group) title() string {
	if g.machine == "" {
		return safetext.Line(g.object)
	}
	return safetext.Line(`\\` + g.machine + `\` + g.object)
}

// ageText returns the age of readings older than the sample, or "".
func (g *group) ageText() string {
	if g.age == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f s old)", g.age.Seconds())
}

// appendInstance appends the instance as in a path, with parentheses, or nothing.
func appendInstance(dst []byte, p *winperf.Path) []byte {
	begin := len(dst)
	dst, _ = winperf.Path{Instance: p.Instance, Index: p.Index, HasInstance: p.HasInstance}.AppendText(dst)

	// The empty object and counter leave a backslash on each side.
	return slices.Delete(dst[:len(dst)-1], begin, begin+1)
}

// label returns the text between the parentheses of an instance.
func label(instance []byte) []byte {
	if len(instance) == 0 {
		return nil
	}
	return instance[len("(") : len(instance)-len(")")]
}

// activityColumn returns the column by which rows are sorted: the first percentage or rate, else
// the first column.
func (g *group) activityColumn() int {
	for i, c := range g.counters {
		if c.unit == counter.Percent || c.unit == counter.PerSecond {
			return i
		}
	}
	return 0
}

// activity returns the number of a reading, minus infinity without one.
func activity(r *winperf.Reading) float64 {
	if r == nil {
		return math.Inf(-1)
	}
	if f, ok := r.Value.Float64(); ok && r.Status == counter.OK && !math.IsNaN(f) {
		return f
	}
	return math.Inf(-1)
}

// commonMachine returns the machine of all values, and whether there is only one. A path without
// machine belongs to any.
func commonMachine(columns []winperf.Column) (machine string, common bool) {
	for i := range columns {
		switch name := columns[i].Counter().Path.Machine; {
		case name == "" || strings.EqualFold(name, machine):
		case machine == "":
			machine = name
		default:
			return "", false
		}
	}
	return machine, true
}
