package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// Object is an object that the browser lists.
type Object struct {
	Name, Help string
	Instances  int
	Multi      bool
	Costly     bool
	Counters   []Counter // nil if they must be loaded
}

// Counter is a counter that the browser lists.
type Counter struct {
	Name, Help string
	Unit       counter.Unit
	Type       string
}

// browser lists objects, or the counters of one object.
type browser struct {
	objects []Object
	loading bool
	open    int // the object whose counters are listed, or -1
	at, top int
	filter  string
	checked map[string]bool // counters, in lower case
	facts   []string        // the selected facts
	chosen  bool            // the user chose the counters
}

// DefaultCounters are the counters shown first of well-known objects.
var DefaultCounters = map[string][]string{
	"process": {
		"ID Process", "% Processor Time", "Working Set", "Thread Count", "Elapsed Time", "Creating Process ID",
	},
	"processor": {
		"% Processor Time", "% User Time", "% Privileged Time", "% I/O Wait Time", "Interrupts/sec",
	},
	"physicaldisk": {
		"% Idle Time", "Disk Reads/sec", "Disk Writes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec",
	},
	"logicaldisk": {
		"% Free Space", "Free Megabytes", "Disk Reads/sec", "Disk Writes/sec",
	},
	"network interface": {
		"Bytes Received/sec", "Bytes Sent/sec", "Packets Received/sec", "Packets Sent/sec",
	},
}

// PathsOf returns the paths of counters of all instances of an object.
func PathsOf(object string, multi bool, counters []string) (paths []winperf.Path) {
	for _, name := range counters {
		p := winperf.Path{Object: object, Counter: name, HasInstance: multi}
		if multi {
			p.Instance = "*"
		}
		paths = append(paths, p)
	}
	return paths
}

func (s *Screen) openBrowser() Action {
	if s.number == 0 {
		return Action{}
	}
	s.overlay = browserOverlay
	s.browser.open, s.browser.at, s.browser.top, s.browser.filter = -1, 0, 0, ""
	s.browser.loading = len(s.browser.objects) == 0
	return Action{Kind: Load}
}

// SetObjects sets the objects of the browser.
func (s *Screen) SetObjects(objects []Object) {
	b := &s.browser
	open := ""
	if b.open >= 0 && b.open < len(b.objects) {
		open = b.objects[b.open].Name
	}
	b.objects, b.loading = objects, false
	b.open = slices.IndexFunc(objects, func(o Object) bool { return o.Name == open })
	if b.open >= 0 && len(b.checked) == 0 {
		s.check(&b.objects[b.open])
	}
}

// check marks the counters that are shown, or the default ones.
func (s *Screen) check(o *Object) {
	b := &s.browser
	b.checked = map[string]bool{}
	for _, t := range s.tables {
		switch {
		case !same(t.object, o.Name):
		case t.single:
			for _, r := range t.rows {
				b.checked[strings.ToLower(r.name)] = true
			}
		default:
			for _, c := range t.columns {
				if !c.hidden {
					b.checked[strings.ToLower(c.head)] = true
				}
			}
		}
	}

	if len(b.checked) > 0 {
		return
	}
	for _, name := range defaults(o) {
		b.checked[strings.ToLower(name)] = true
	}
}

// defaults returns the counters of an object that are shown first: the well-known ones, otherwise the
// first five, or all of an object without instances.
func defaults(o *Object) (names []string) {
	const most = 5
	known := DefaultCounters[strings.ToLower(o.Name)]
	var all []string
	for _, c := range o.Counters {
		all = append(all, c.Name)
		if slices.ContainsFunc(known, func(n string) bool { return same(n, c.Name) }) {
			names = append(names, c.Name)
		}
	}

	switch {
	case !o.Multi:
		return all
	case len(names) == 0:
		return all[:min(len(all), most)]
	}
	return names
}

// DefaultPaths returns the paths of the counters of an object that are shown first.
func DefaultPaths(o Object) []winperf.Path { return PathsOf(o.Name, o.Multi, defaults(&o)) }

// item is a line of the browser: an object, a counter, or a fact about processes.
type item struct {
	name, text, help string
	object           int // its position if it is an object
}

// items returns the lines that match the filter.
func (s *Screen) items() (all []item) {
	b := &s.browser
	add := func(name, text, help string, object int) {
		if strings.Contains(strings.ToLower(name), strings.ToLower(b.filter)) {
			all = append(all, item{name, text, help, object})
		}
	}

	const names = 40 // columns
	if b.open < 0 {
		for i, o := range b.objects {
			text := o.Name
			switch {
			case o.Costly:
				text = left(text, names) + "  costly"
			case o.Multi:
				text = left(text, names) + fmt.Sprintf("  %d instances", o.Instances)
			}
			add(o.Name, text, o.Help, i)
		}
		return all
	}

	mark := func(name string) string {
		if b.checked[strings.ToLower(name)] {
			return "[x] " + name
		}
		return "[ ] " + name
	}
	o := &b.objects[b.open]
	for _, c := range o.Counters {
		help := c.Help
		if c.Type != "" {
			help = strings.TrimSpace(help + " (" + c.Type + ")")
		}
		add(c.Name, left(mark(c.Name), names)+"  "+c.Unit.String(), help, b.open)
	}

	if same(o.Name, "Process") {
		const help = "Read for the visible processes from this machine, and never recorded."
		for _, name := range s.opt.FactNames {
			add(name, mark(name), help, b.open)
		}
	}
	return all
}

func (b *browser) hints() string {
	if b.open < 0 {
		return "Enter counters of the object  / search  Esc return"
	}
	return "Space select  Enter show the selected counters  / search  Esc objects"
}

func (s *Screen) pressBrowser(key string) Action {
	const page = 10
	b := &s.browser
	items := s.items()
	b.at += rowsOf(key, page)

	switch key {
	case "/":
		change := func(text string) { b.filter, b.at, b.top = text, 0, 0 }
		s.ask("search: ", "", change, nil)
	case "esc", "left", "h", "q", "o":
		if b.open < 0 || key == "q" || key == "o" {
			s.closeOverlay()
		}
		b.at, b.open, b.filter, b.checked = max(b.open, 0), -1, "", nil
		return Action{}
	case "space":
		if b.open >= 0 && b.at < len(items) {
			name := strings.ToLower(items[b.at].name)
			b.checked[name] = !b.checked[name]
			b.at++
		}
	case "enter", "right", "l":
		switch {
		case b.open >= 0 && key == "enter":
			return s.choose()
		case b.open < 0 && b.at < len(items):
			return s.openObject(items[b.at].object)
		}
	}

	b.at = max(min(b.at, len(items)-1), 0)
	return Action{}
}

// openObject lists the counters of an object.
func (s *Screen) openObject(object int) Action {
	b := &s.browser
	b.open, b.at, b.top, b.filter, b.checked = object, 0, 0, "", nil
	o := &b.objects[object]
	if o.Counters == nil {
		b.loading = true
		return Action{Kind: Load, Text: o.Name}
	}
	s.check(o)
	return Action{}
}

// choose shows the checked counters.
func (s *Screen) choose() Action {
	b := &s.browser
	o := b.objects[b.open]
	var names []string
	for _, c := range o.Counters {
		if b.checked[strings.ToLower(c.Name)] {
			names = append(names, c.Name)
		}
	}

	if len(names) == 0 {
		s.note = "no counter is selected"
		return Action{}
	}

	b.facts = nil
	for _, name := range s.opt.FactNames {
		if b.checked[strings.ToLower(name)] {
			b.facts = append(b.facts, name)
		}
	}

	isProcess := same(o.Name, "Process")
	b.chosen = b.checked["creating process id"]
	if isProcess && !b.chosen { // for the tree and the facts
		names = append(names, "Creating Process ID")
	}
	if isProcess && !b.checked["id process"] {
		names = append(names, "ID Process")
	}

	s.overlay, s.opt.Given = noOverlay, false
	b.open, b.checked = -1, nil
	return Action{Kind: Select, Paths: PathsOf(o.Name, o.Multi, names)}
}

// browserLines draws the list, and below it the help of the line of the cursor.
func (s *Screen) browserLines(height int) (lines []string) {
	b := &s.browser
	if b.loading {
		return []string{shorten("reading the objects of the source …", s.width)}
	}

	title, help := "Objects", ""
	if b.open >= 0 {
		title = b.objects[b.open].Name
	}
	if b.filter != "" {
		title += ": " + b.filter
	}
	head := newLine(s.width)
	head.add(reverse, left(shorten(title, s.width), s.width))
	lines = append(lines, head.String())

	most := max(height/3, 3) // lines of the help
	room := max(height-1-most-1, 1)
	items := s.items()
	if len(items) == 0 {
		lines = append(lines, shorten("no match", s.width))
	}
	b.top = max(min(b.top, b.at), b.at-room+1)
	for i := b.top; i < min(len(items), b.top+room); i++ {
		l := newLine(s.width)
		style := plain
		if i == b.at {
			style, help = reverse, items[i].help
		}
		l.add(style, left(shorten(items[i].text, s.width), s.width))
		lines = append(lines, l.String())
	}

	below := wrap(safetext.Line(help), s.width)
	if len(below) > most {
		below = below[:most]
		below[most-1] = shorten(below[most-1], s.width-2) + " …"
	}
	lines = append(fit(lines, 1+room), "")
	for _, text := range below {
		lines = append(lines, shorten(text, s.width))
	}
	return lines
}
