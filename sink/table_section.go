package sink

import (
	"cmp"
	"math"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// gap is the number of blanks between columns.
const gap = 2

// maxSingle is the width up to which an object's single row stays a row where
// the width is not limited. Longer ones are hard to read.
const maxSingle = 80

// section is the table of one object as text. Column 0 holds the names of the
// rows; its head is the object.
type section struct {
	columns []column
	rows    []row
	blocks  []block
}

type column struct {
	head  string
	width int
	left  bool // texts are aligned to the left, numbers to the right
}

type row struct {
	cells    []cell
	activity float64
}

type cell struct {
	text  string
	style style
}

// block is a range of columns that stand side by side, without column 0.
type block struct{ from, to int }

// sectionOptions say what a section must fit.
type sectionOptions struct {
	width   int  // of a line, 0 = unlimited
	cut     bool // nothing may be wider than width
	grouped bool // separate thousands
}

// newSection lays out a group.
func newSection(g *group, o sectionOptions) *section {
	s := &section{}
	list := g.sparse()
	if !list {
		s.fillTable(g, o)
		list = len(g.instances) == 1 && s.width() > cmp.Or(o.width, maxSingle)
	}
	if list {
		s = &section{}
		s.fillList(g, o)
	}
	if o.cut {
		s.narrow(o.width)
	}
	if list {
		s.blocks = []block{{1, len(s.columns)}}
	} else {
		s.breakColumns(o.width)
	}
	return s
}

// fillTable makes one row of each instance and one column of each counter. Of
// several readings with the same path the last is shown.
func (s *section) fillTable(g *group, o sectionOptions) {
	s.columns = append(s.columns, column{head: g.title() + g.old(), left: true})
	for _, c := range g.counters {
		s.columns = append(s.columns, column{head: safetext.Line(c.name), left: c.texts && !c.numbers})
	}
	cells := slices.Repeat([]cell{absent}, len(g.instances)*len(s.columns))
	for _, i := range g.instances {
		r := row{cells: cells[:len(s.columns)], activity: math.Inf(-1)}
		r.cells[0] = cell{text: i.label()}
		s.rows = append(s.rows, r)
		cells = cells[len(s.columns):]
	}
	byActivity := g.activityColumn()
	for _, p := range g.readings {
		r := &s.rows[p.row]
		r.cells[1+p.column] = newCell(p.Reading, o.grouped)
		if p.column == byActivity {
			r.activity = activity(p.Reading)
		}
	}
	s.measure()
}

// unitMarks stand behind values in lists, whose heads do not name counters.
var unitMarks = map[counter.Unit]string{
	counter.Percent:   "%",
	counter.PerSecond: "/s",
	counter.Seconds:   "s",
}

// fillList makes one row of each reading: name, value, unit. The instance
// stands in the head where there is only one, else in the names.
func (s *section) fillList(g *group, o sectionOptions) {
	head := g.title()
	single := len(g.instances) == 1
	if single && g.instances[0].named {
		head += "(" + g.instances[0].label() + ")"
	}
	s.columns = []column{{head: head + g.old(), left: true}, {}, {left: true}}
	for _, p := range g.readings {
		name := safetext.Line(p.Path.Counter)
		if !single {
			name = "(" + g.instances[p.row].label() + `)\` + name
		}
		r := row{cells: []cell{{text: name}, newCell(p.Reading, o.grouped), {}}}
		if p.Status == counter.OK {
			r.cells[2].text = unitMarks[p.Unit]
		}
		s.rows = append(s.rows, r)
	}
	s.measure()
}

// absent stands where nothing was read or there is no value.
var absent = cell{"-", faint}

// newCell returns the text of a reading. It is never empty, which would look
// like nothing at all.
func newCell(r *winperf.Reading, grouped bool) cell {
	switch {
	case r.Status != counter.OK:
		return cell{r.Status.String(), faint}
	case r.Value.Kind() == counter.KindNone:
		return absent
	}
	if text, ok := r.Value.AsText(); ok {
		return cell{cmp.Or(safetext.Line(text), `""`), plain}
	}
	return cell{formatNumber(r.Value, r.Unit, grouped), plain}
}
