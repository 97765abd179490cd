package sink

import (
	"cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

const gap = 2

// maxSingle is the largest width of a single row if the width is unlimited. Longer rows are hard to
// read.
const maxSingle = 80

// section is the table of one object. Column 0 holds the names of the rows; its head is the object.
// Texts of cells are made on demand, because a table may have millions.
type section struct {
	group    *group
	list     bool // a row is a reading, not an instance
	human    bool // see Options
	switches bool // see Options
	rows     int
	columns  []column
	blocks   []block
	text     []byte // of the latest cell
}

type column struct {
	head  string
	width int
	left  bool // align to the left, for texts
}

// block is a range of columns shown together, without column 0.
type block struct{ from, to int }

// sectionOptions are the limits of a section.
type sectionOptions struct {
	width int  // of a line, 0 = unlimited
	cut   bool // nothing may exceed width
	human bool // see Options

	switches bool // see Options
}

func newSection(g *group, o sectionOptions) *section {
	s := &section{group: g, human: o.human, switches: o.switches}
	g.findRows()
	list := g.sparse()
	if !list {
		s.makeTable()
		list = s.rows == 1 && s.width() > cmp.Or(o.width, maxSingle)
	}

	// A nearly empty table and a single long row are easier to read as a list.
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

// makeTable makes one row per instance and one column per counter.
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

// makeList makes one row per reading: name, value, unit. A single instance is named in the head,
// several in the names.
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

// cell returns the text of a cell, valid until the next call, and its style.
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

// unitMarks follow values in lists, whose heads do not name counters.
var unitMarks = map[counter.Unit]string{
	counter.Percent:   "%",
	counter.PerSecond: "/s",
	counter.Seconds:   "s",
}

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

// absent replaces a missing value.
var absent = []byte("-")

// value returns the text of a reading, never an empty one.
func (s *section) value(r *winperf.Reading) ([]byte, style) {
	if s.switches && (r.Anomalies.Has(winperf.InstancesAdded) || r.Anomalies.Has(winperf.InstancesRenamed)) {
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
