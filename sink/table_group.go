package sink

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// group is one object of one machine: its readings of one moment and the rows
// and columns they make, all in the order in which they came.
type group struct {
	machine, object string // machine is empty where it need not be shown
	age             time.Duration
	instances       []instance
	counters        []counterColumn
	readings        []placed
	rowOf           map[instance]int
	columnOf        map[string]int
}

// placed is a reading with its place in the table.
type placed struct {
	*winperf.Reading
	row, column int
}

type counterColumn struct {
	name           string
	unit           counter.Unit
	texts, numbers bool // what there is in the column
}

// instance tells the rows of a group apart.
type instance struct {
	name  string
	index int
	named bool
}

// groupReadings sorts readings into groups, which point to them. Groups of a
// common machine do not name it.
func groupReadings(at time.Time, readings []winperf.Reading, common bool) []*group {
	type key struct{ machine, object string }
	found := make(map[key]*group)
	var groups []*group
	for i := range readings {
		path := &readings[i].Path
		k := key{path.Machine, path.Object}
		if common {
			k.machine = ""
		}
		g := found[k]
		if g == nil {
			g = &group{
				machine:  k.machine,
				object:   k.object,
				rowOf:    make(map[instance]int),
				columnOf: make(map[string]int),
			}
			found[k] = g
			groups = append(groups, g)
		}
		g.add(&readings[i])
		g.age = max(g.age, age(at, &readings[i]))
	}
	return groups
}

func (g *group) add(r *winperf.Reading) {
	who := instance{r.Path.Instance, r.Path.Index, r.Path.HasInstance}
	row, found := g.rowOf[who]
	if !found {
		row = len(g.instances)
		g.rowOf[who] = row
		g.instances = append(g.instances, who)
	}
	column, found := g.columnOf[r.Path.Counter]
	if !found {
		column = len(g.counters)
		g.columnOf[r.Path.Counter] = column
		g.counters = append(g.counters, counterColumn{name: r.Path.Counter, unit: r.Unit})
	}
	c := &g.counters[column]
	_, number := r.Value.Float64()
	c.numbers = c.numbers || number
	c.texts = c.texts || r.Value.Kind() == counter.KindText
	g.readings = append(g.readings, placed{r, row, column})
}

// sparse tells whether the table would hold so much more than the readings
// that it must not be made.
func (g *group) sparse() bool {
	const few, share = 1000, 16
	cells := int64(len(g.instances)) * int64(len(g.counters))
	return cells > few && cells > share*int64(len(g.readings))
}

// title returns the object's name, with the machine where it must be shown.
func (g *group) title() string {
	if g.machine == "" {
		return safetext.Line(g.object)
	}
	return safetext.Line(`\\` + g.machine + `\` + g.object)
}

// old says how old the readings are, where they are older than the moment.
func (g *group) old() string {
	if g.age == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f s old)", g.age.Seconds())
}

// label returns the instance as a path spells it between the parentheses, and
// nothing where there are none.
func (i instance) label() string {
	if !i.named {
		return ""
	}
	text := winperf.Path{Instance: i.name, Index: i.index, HasInstance: true}.String()
	return safetext.Line(text[len(`\(`) : len(text)-len(`)\`)])
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
	if f, ok := r.Value.Float64(); ok && r.Status == counter.OK && !math.IsNaN(f) {
		return f
	}
	return math.Inf(-1)
}

// commonMachine returns the machine that all readings are of, and whether
// there is only one. A path without machine is of any.
func commonMachine(readings []winperf.Reading) (machine string, common bool) {
	for i := range readings {
		switch name := readings[i].Path.Machine; {
		case name == "" || strings.EqualFold(name, machine):
		case machine == "":
			machine = name
		default:
			return "", false
		}
	}
	return machine, true
}
