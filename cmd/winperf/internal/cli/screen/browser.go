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
	fact       bool
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
		for _, c := range t.columns {
			if same(t.object, o.Name) && !c.hidden {
				b.checked[strings.ToLower(c.head)] = true
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
	for _, c := range o.Counters {
		is := slices.ContainsFunc(known, func(n string) bool { return same(n, c.Name) })
		if !o.Multi || is || len(known) == 0 && len(names) < most {
			names = append(names, c.Name)
		}
	}
	return names
}

// DefaultPaths returns the paths of the counters of an object that are shown first.
func DefaultPaths(o Object) []winperf.Path { return PathsOf(o.Name, o.Multi, defaults(&o)) }

// counters returns the counters of the open object, and for processes the facts.
func (b *browser) counters() (all []Counter) {
	if b.open < 0 {
		return nil
	}
	for _, c := range b.objects[b.open].Counters {
		if b.matches(c.Name) {
			all = append(all, c)
		}
	}
	return all
}

func (b *browser) matches(name string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(b.filter))
}

func (b *browser) shownObjects() (all []int) {
	for i, o := range b.objects {
		if b.matches(o.Name) {
			all = append(all, i)
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

// withFacts returns the counters and facts of the open object.
func (s *Screen) withFacts() []Counter {
	all := s.browser.counters()
	if b := &s.browser; b.open >= 0 && same(b.objects[b.open].Name, "Process") {
		for _, name := range s.opt.FactNames {
			if b.matches(name) {
				const text = "Read for the visible processes from this machine, and never recorded."
				all = append(all, Counter{Name: name, Help: text, fact: true})
			}
		}
	}
	return all
}

func (s *Screen) pressBrowser(key string) Action {
	b := &s.browser
	counters := s.withFacts()
	size := len(counters)
	if b.open < 0 {
		size = len(b.shownObjects())
	}

	const page = 10
	switch key {
	case "up", "k":
		b.at--
	case "down", "j":
		b.at++
	case "pgup", "ctrl+b":
		b.at -= page
	case "pgdown", "ctrl+f":
		b.at += page
	case "home", "g":
		b.at = 0
	case "end", "G":
		b.at = size - 1
	case "/":
		change := func(text string) { b.filter, b.at, b.top = text, 0, 0 }
		s.ask("search: ", "", change, noAction, func() { change("") })
	case "esc", "left", "h", "q", "o":
		if b.open < 0 || key == "q" || key == "o" {
			s.overlay = noOverlay
		}
		b.at, b.open, b.filter, b.checked = max(b.open, 0), -1, "", nil
		return Action{}
	case "space":
		if b.at < len(counters) {
			name := strings.ToLower(counters[b.at].Name)
			b.checked[name] = !b.checked[name]
			b.at++
		}
	case "enter", "right", "l":
		if b.open >= 0 && key == "enter" {
			return s.choose()
		}
		return s.openObject()
	}

	b.at = max(min(b.at, size-1), 0)
	return Action{}
}

func (s *Screen) openObject() Action {
	b := &s.browser
	shown := b.shownObjects()
	if b.open >= 0 || b.at >= len(shown) {
		return Action{}
	}
	b.open, b.at, b.top, b.filter, b.checked = shown[b.at], 0, 0, "", nil
	o := &b.objects[b.open]
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
		return []string{"reading the objects of the source …"}
	}
	texts, help := b.objectLines()
	if b.open >= 0 {
		texts, help = s.counterLines()
	}

	title := "Objects"
	if b.open >= 0 {
		title = b.objects[b.open].Name
	}
	if b.filter != "" {
		title += ": " + b.filter
	}

	head := newLine(s.width)
	head.add(reverse, left(shorten(title, s.width), s.width))
	lines = append(lines, head.String())

	const most = 5
	below := wrap(safetext.Line(help), s.width)
	below = below[:min(len(below), most)]
	room := max(height-1-most-1, 1)
	b.top = max(min(b.top, b.at), b.at-room+1)
	for i := b.top; i < min(len(texts), b.top+room); i++ {
		l := newLine(s.width)
		style := plain
		if i == b.at {
			style = reverse
		}
		l.add(style, left(shorten(texts[i], s.width), s.width))
		lines = append(lines, l.String())
	}

	lines = append(fit(lines, 1+room), "")
	return append(lines, below...)
}

// objectLines returns the lines of the objects, and the help of the one at the cursor.
func (b *browser) objectLines() (texts []string, help string) {
	const names = 32 // columns
	for i, k := range b.shownObjects() {
		o := b.objects[k]
		text := o.Name
		switch {
		case o.Costly:
			text = left(text, names) + "  costly"
		case o.Multi:
			text = left(text, names) + fmt.Sprintf("  %d instances", o.Instances)
		}

		texts = append(texts, text)
		if i == b.at {
			help = o.Help
		}
	}
	return texts, help
}

// counterLines is objectLines for the counters of the open object.
func (s *Screen) counterLines() (texts []string, help string) {
	const names = 40 // columns
	b := &s.browser
	for i, c := range s.withFacts() {
		mark := "[ ] "
		if b.checked[strings.ToLower(c.Name)] {
			mark = "[x] "
		}
		text := mark + c.Name
		if !c.fact {
			text = left(text, names) + "  " + c.Unit.String()
		}

		texts = append(texts, text)
		if i == b.at {
			help = c.Help
			if c.Type != "" {
				help += " (" + c.Type + ")"
			}
		}
	}

	return texts, help
}
