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

// group is one object of one machine: where its readings of one moment stand, and
// the rows and columns they make, all in the order in which they came. There may
// be a million rows. Beside its name each takes about 16 bytes, and 4 for each of
// the columns.
type group struct {
	groupKey // the machine is empty where it need not be shown
	values   *positions
	age      time.Duration

	size int // how many readings
	runs []run

	names    names // of the columns: counters
	counters []counterColumn

	instances names    // of the rows: (name#1) as in paths, nothing where there are no parentheses
	cells     []uint32 // column by column: 1 + the position of a row's reading, 0 = none

	text []byte // of one name
}

// run are readings of a group that stand one behind the other.
type run struct {
	first int // the number of the first one in the group
	at    int // its position
}

type counterColumn struct {
	unit           counter.Unit
	texts, numbers bool // what there is in the column
	count          int  // of its readings
	bytes          int  // of their instances' names
}

// names are numbered names, of which those that are looked for one after the other
// mostly stand so, too.
type names struct {
	textset.Set
	last int // the number of the name that was looked for last
}

// number returns the number of a name, which it gets where it is new.
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

// groups are those of a moment. They have the memory of those of the moment before.
type groups struct {
	list        []*group
	values      positions
	now, before map[groupKey]*group
}

// groupKey tells groups apart.
type groupKey struct{ machine, object string }

// sort sorts readings into groups. Groups of a common machine do not name it.
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

// get returns the group with a key, a new one where there is none yet.
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

// end lets go of the columns of the moment.
func (s *groups) end() { s.values.set(nil) }

// reset empties the group and gives it values.
func (g *group) reset(values *positions) {
	g.values, g.age = values, 0
	g.size, g.runs, g.counters = 0, g.runs[:0], g.counters[:0]
	g.names.Reset()
	g.instances.Reset()
}

// add notes the position of the first value of a column of a moment, and which counter it is.
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

// columnOf returns the column of a series.
func (g *group) columnOf(s *winperf.Series) int {
	g.text = append(g.text[:0], s.Path.Counter...)
	return g.names.number(g.text)
}

// rowOf returns the row of a reading.
func (g *group) rowOf(r *winperf.Reading) int {
	g.text = appendInstance(g.text[:0], &r.Path)
	return g.instances.number(g.text)
}

// position returns where the n-th reading of the group stands.
func (g *group) position(n int) int {
	i, found := slices.BinarySearchFunc(g.runs, n, func(r run, n int) int { return cmp.Compare(r.first, n) })
	if !found {
		i-- // it is not the first one of its run
	}
	return g.runs[i].at + n - g.runs[i].first
}

// findRows finds the rows.
func (g *group) findRows() {
	most := slices.MaxFunc(g.counters, func(a, b counterColumn) int { return cmp.Compare(a.count, b.count) })
	g.instances.Grow(most.count, most.bytes)
	for n := range g.size {
		g.rowOf(g.values.at(g.position(n)))
	}
}

// fillCells finds the cells of the readings. Of several readings with the same
// path the last is shown.
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

// reading returns the reading of a row and a column, nil where there is none.
func (g *group) reading(row, column int) *winperf.Reading {
	if at := g.cells[column*g.instances.Len()+row]; at > 0 {
		return g.values.at(int(at - 1))
	}
	return nil
}

// sparse reports whether the table would hold so much more than the readings
// that it must not be made.
func (g *group) sparse() bool {
	const few, share = 1000, 16
	cells := int64(g.instances.Len()) * int64(len(g.counters))
	return cells > few && cells > share*int64(g.size)
}

// title returns the object's name, with the machine where it must be shown.
func (g *group) title() string {
	if g.machine == "" {
		return safetext.Line(g.object)
	}
	return safetext.Line(`\\` + g.machine + `\` + g.object)
}

// ageText says how old the readings are, where they are older than the moment.
func (g *group) ageText() string {
	if g.age == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f s old)", g.age.Seconds())
}

// appendInstance appends the instance as a path spells it, with the parentheses,
// and nothing where there are none.
func appendInstance(dst []byte, p *winperf.Path) []byte {
	begin := len(dst)
	dst, _ = winperf.Path{Instance: p.Instance, Index: p.Index, HasInstance: p.HasInstance}.AppendText(dst)

	// The empty object and the empty counter leave a backslash on each side.
	return slices.Delete(dst[:len(dst)-1], begin, begin+1)
}

// label returns what stands between the parentheses of an instance, if there are
// any.
func label(instance []byte) []byte {
	if len(instance) == 0 {
		return nil
	}
	return instance[len("(") : len(instance)-len(")")]
}

// activityColumn returns the column that tells how active an instance is: the
// first percentage or rate, else the first column.
func (g *group) activityColumn() int {
	for i, c := range g.counters {
		if c.unit == counter.Percent || c.unit == counter.PerSecond {
			return i
		}
	}
	return 0
}

// activity returns the number of a reading, minus infinity where it has none.
func activity(r *winperf.Reading) float64 {
	if r == nil {
		return math.Inf(-1)
	}
	if f, ok := r.Value.Float64(); ok && r.Status == counter.OK && !math.IsNaN(f) {
		return f
	}
	return math.Inf(-1)
}

// commonMachine returns the machine that all values are of, and whether
// there is only one. A path without machine is of any.
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
