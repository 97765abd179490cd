package sink

import (
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
)

// The size of a terminal of unknown size.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// tableTime is the form of the time above each table.
const tableTime = "2006-01-02 15:04:05.000 -07:00"

type table struct {
	out    output
	opt    Options
	begun  bool // something was written
	groups groups
	screen tableScreen
}

// newTable returns a Sink that writes tables; see the package documentation.
func newTable(w io.Writer, o Options) Sink {
	if o.Location == nil {
		o.Location = time.Local
	}
	t := &table{out: output{w: w}, opt: o}
	if o.Terminal {
		return terminalTable{t}
	}
	return t
}

func (t *table) Write(at time.Time, columns []winperf.Column) error {
	if err := t.out.ready(); err != nil {
		return err
	}
	width, height := t.size()
	machine, common := commonMachine(columns)
	t.groups.sort(at, columns, common)
	defer t.groups.end()

	opt := sectionOptions{width: width, cut: t.opt.Terminal, human: t.opt.Human, switches: t.opt.Switches}
	title := at.In(t.opt.Location).Format(tableTime)
	if machine != "" {
		title += "  " + safetext.Line(machine)
	}

	if t.opt.Terminal {
		t.draw(title, newSections(t.groups.list, opt), width, height)
	} else {
		t.writeBlocks(title, opt)
	}
	t.begun = true
	return t.out.flush()
}

// size returns the largest width and height, 0 for unlimited.
func (t *table) size() (width, height int) {
	if t.opt.Size != nil {
		width, height = t.opt.Size()
	}
	if t.opt.Terminal && width <= 0 {
		width = defaultWidth
	}
	if t.opt.Terminal && height <= 0 {
		height = defaultHeight
	}
	return max(width, 0), height
}

func newSections(groups []*group, opt sectionOptions) []*section {
	var sections []*section
	for _, g := range groups {
		sections = append(sections, newSection(g, opt))
	}
	return sections
}

// writeBlocks writes a sample below the previous one, object by object.
func (t *table) writeBlocks(title string, opt sectionOptions) {
	p := page{output: &t.out}
	if t.begun {
		p.newLine()
	}

	if !t.opt.Single {
		p.newLine()
		p.text([]byte(title), plain)
	}

	for i, g := range t.groups.list {
		if i > 0 {
			p.newLine()
		}
		s := newSection(g, opt)
		p.section(s, 0, s.rows)
	}

	if p.lines > 0 {
		p.endLine()
	}
}

func (t *table) Close() error {
	if !t.out.closed && t.opt.Terminal {
		t.leaveScreen()
		t.leavePicture()
	}
	t.out.closed = true
	return t.out.flush()
}
