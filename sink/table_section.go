package sink

import (
	"cmp"

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
// rows; its head is the object. Texts of cells are made whenever they are needed,
// since those of very many rows would take more memory than all else.
type section struct {
	group    *group
	list     bool // a row is a reading and not an instance
	human    bool // see Options
	switches bool // values of other instances than before are marked, see Options.Switches
	rows     int
	columns  []column
	blocks   []block
	text     []byte // of the cell that was made last
}

type column struct {
	head  string
	width int
	left  bool // texts are aligned to the left, numbers to the right
}

// block is a range of columns that stand side by side, without column 0.
type block struct{ from, to int }

// sectionOptions say what a section must fit.
type sectionOptions struct {
	width int  // of a line, 0 = unlimited
	cut   bool // nothing may be wider than width
	human bool // see Options

	switches bool // see Options
}

// newSection lays out a group.
func newSection(g *group, o sectionOptions) *section {
	s := &section{group: g, human: o.human, switches: o.switches}
	g.findRows()
	list := g.sparse()
	if !list {
		s.makeTable()
		list = s.rows == 1 && s.width() > cmp.Or(o.width, maxSingle)
	}

	// A table that would be nearly empty, and a single long row, are easier to read as a list.
	if list {
		s.makeList()
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

// makeTable makes one row of each instance and one column of each counter.
func (s *section) makeTable() {
	g := s.group
	g.fillCells()
	s.rows = g.instances.Len()
	s.columns = append(s.columns, column{head: g.title() + g.ageText(), left: true})

	for i, c := range g.counters {
		head := safetext.Line(string(g.names.At(i)))
		s.columns = append(s.columns, column{head: head, left: c.texts && !c.numbers})
	}
	s.measure()
}

// makeList makes one row of each reading: name, value, unit. The instance
// stands in the head where there is only one, else in the names.
func (s *section) makeList() {
	g := s.group
	s.list, s.rows = true, g.size
	head := g.title()
	if g.instances.Len() == 1 {
		head += safetext.Line(string(g.instances.At(0)))
	}
	s.columns = []column{{head: head + g.ageText(), left: true}, {}, {left: true}}
	s.measure()
}

// cell returns the text of a cell, valid until the next call, and how it looks.
func (s *section) cell(row, column int) ([]byte, style) {
	s.text = s.text[:0]
	switch {
	case s.list:
		r := s.group.values.at(s.group.position(row))
		return s.listCell(r, column)
	case column == 0:
		s.text = safetext.AppendLine(s.text, label(s.group.instances.At(row)))
		return s.text, plain
	}

	if r := s.group.reading(row, column-1); r != nil {
		return s.value(r)
	}
	return absent, faint
}

// unitMarks stand behind values in lists, whose heads do not name counters.
var unitMarks = map[counter.Unit]string{
	counter.Percent:   "%",
	counter.PerSecond: "/s",
	counter.Seconds:   "s",
}

// listCell is cell for a reading that makes a row.
func (s *section) listCell(r *winperf.Reading, column int) ([]byte, style) {
	switch {
	case column == 1:
		return s.value(r)
	case column == 2 && r.Status == counter.OK && !(s.human && isScaled(r)):
		s.text = append(s.text, unitMarks[r.Unit]...)
		return s.text, plain
	case column == 2:
		return nil, plain
	}

	g := s.group
	if g.instances.Len() > 1 {
		g.text = appendInstance(g.text[:0], &r.Path)
		s.text = append(s.text, '(')
		s.text = safetext.AppendLine(s.text, label(g.text))
		s.text = append(s.text, `)\`...)
	}
	s.text = safetext.AppendLine(s.text, r.Path.Counter)
	return s.text, plain
}

// absent stands where nothing was read or there is no value.
var absent = []byte("-")

// value returns the text of a reading. It is never empty, which would look
// like nothing at all.
func (s *section) value(r *winperf.Reading) ([]byte, style) {
	if s.switches && (r.Anomalies.Has(winperf.InstancesCame) || r.Anomalies.Has(winperf.InstancesRenamed)) {
		s.text = append(s.text, '*')
	}

	switch {
	case r.Status != counter.OK:
		s.text = append(s.text, r.Status.String()...)
		return s.text, faint
	case r.Value.Kind() == counter.KindNone:
		return absent, faint
	}

	text, ok := r.Value.AsText()
	switch {
	case !ok && s.human:
		s.text = AppendHuman(s.text, r)
	case !ok:
		s.text = AppendNumber(s.text, r.Value, r.Unit)
	case text == "":
		s.text = append(s.text, `""`...)
	default:
		s.text = safetext.AppendLine(s.text, text)
	}
	return s.text, plain
}
