package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/titles"
)

// native is the scheme of winperf's own names. Each metric has a name made from the names of its
// object and counter.
type native struct{}

type nativeCounter struct {
	k    int
	name string   // English
	ws   []string // of the name, without the unit
	unit unit
	formula
	served bool // by this counter or by one with the same values
	spare  bool // another counter serves the same values
}

// repeated are families whose values are also in a family of another object.
var repeated = map[string]string{
	"winperf_objects_processes": "winperf_system_processes",
	"winperf_objects_threads":   "winperf_system_threads",
}

func (native) templates(o *layout) []template {
	object, sqlInstance := objectWords(o.Name)
	if len(object) == 0 {
		object = []string{"object", strconv.Itoa(int(o.Object.ID().Index))}
	}

	counters := nativeCounters(o)
	disambiguate(o, object, counters)
	ids := nativeLabels{
		sqlInstance: sqlInstance,
		pid:         nativeID(o, (*definition).isProcessID),
		tid:         nativeID(o, (*definition).isThreadID),
	}
	rows, textRows := ids.rows(o)
	var out []template
	for i := range counters {
		c := &counters[i]
		d := &o.Counters[c.k]
		if c.spare || !d.Named && (ids.pid >= 0 && d.isProcessID() || ids.tid >= 0 && d.isThreadID()) {
			continue
		}

		name := stem(object, c.ws)
		for _, t := range c.make(d, c.k, c.unit) {
			t.Name = name + t.Name
			t.Help = nativeHelp(o, d)
			t.Rows = rows
			if !d.Named {
				t.Repeats = repeated[t.Name]
			}
			if t.Type == Info {
				t.Rows = textRows(c.k)
			}
			out = append(out, t)
		}
	}
	return out
}

func nativeCounters(o *layout) (all []nativeCounter) {
	for k := range o.Counters {
		d := &o.Counters[k]
		f := formulaOf(d.Type)
		if f == nil || d.Size == 0 && !d.Type.IsText() {
			continue
		}

		ws, u := counterWords(o.Name, d.Name, d.Type)
		switch {
		case u.grows:
			ws = counted(withoutEnd(ws, "total"))
		case f.Families[0].Suffix == "_total":
			ws = withoutEnd(ws, "total")
		case u.name == "":
			ws = ending(ws)
		}
		ws = withoutSuffixes(ws, u, f)
		if nameless(d.Name) {
			ws = []string{"title", strconv.Itoa(int(cmp.Or(d.ID.Index, d.ID.ID)))}
		}
		all = append(all, nativeCounter{k: k, name: d.Name, ws: ws, unit: u, formula: *f})
	}
	return all
}

// withoutSuffixes removes words that Prometheus, when it receives OTLP, removes from names of the type:
// total from counters, ratio from ratios.
func withoutSuffixes(ws []string, u unit, f *formula) []string {
	suffix := ""
	switch {
	case u.grows, f.Families[0].Type == Counter:
		suffix = "total"
	case u.name == ratio.name:
		suffix = "ratio"
	}
	return slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return w == suffix })
}

// withOther replaces these words in names that would not be unique without them.
func withOther(ws []string) []string {
	ws = slices.Clone(ws)
	for i, w := range ws {
		switch w {
		case "total":
			ws[i] = "all"
		case "ratio":
			ws[i] = "ratios"
		}
	}
	return ws
}

// nativeHelp returns the counter's path and the first sentence of its help text.
func nativeHelp(o *layout, d *definition) string {
	instance := "(*)"
	if o.Object.Single() {
		instance = ""
	}
	help := fmt.Sprintf(`\%s%s\%s`, o.Name, instance, d.Name)
	if brief := sentence(d.Help); brief != "" {
		help += ": " + brief
	}
	return help
}

// disambiguate makes equal names of an object's counters unique. The result depends on English
// names and types, and on title indices if these are equal, not on the order of counters. A counter
// whose unit needs no conversion keeps the name, or else the first counter in the order of names.
// Counters with the same values in other units, such as Available MBytes, share the name; the first
// selected one serves it. The other counters get their full names, and numbers if necessary.
func disambiguate(o *layout, object []string, counters []nativeCounter) {
	order := make([]*nativeCounter, len(counters))
	for i := range counters {
		order[i] = &counters[i]
	}
	slices.SortStableFunc(order, func(a, b *nativeCounter) int {
		return cmp.Or(
			cmp.Compare(a.unit.converted(), b.unit.converted()),
			cmp.Compare(a.unit.factor(), b.unit.factor()),
			cmp.Compare(a.name, b.name),
			cmp.Compare(o.Counters[a.k].Type, o.Counters[b.k].Type),
			cmp.Compare(o.Counters[a.k].ID.Index, o.Counters[b.k].ID.Index),
		)
	})

	taken := map[string]bool{}
	last := map[string]int{} // the last number for the same words and metrics
	for i, c := range order {
		c.served = !o.Counters[c.k].Unselected
		if c.claim(o, object, taken) {
			continue
		}
		if at := slices.IndexFunc(order[:i], c.converts); at >= 0 {
			c.spare, order[at].served = order[at].served, order[at].served || c.served
			continue
		}

		c.ws = withOther(ending(tidy(words(c.name))))
		full, kind := c.ws, fmt.Sprint(c.ws, c.unit, c.Types)
		if last[kind] == 0 && c.claim(o, object, taken) {
			continue
		}
		for last[kind] = max(1, last[kind]); ; {
			last[kind]++
			c.ws = append(slices.Clone(full), strconv.Itoa(last[kind]))
			if c.claim(o, object, taken) {
				break
			}
		}
	}
}

// converts reports whether a counter has the values of an earlier one in another unit.
func (c *nativeCounter) converts(earlier *nativeCounter) bool {
	return c.unit.factor() != earlier.unit.factor() && c.unit.name == earlier.unit.name &&
		c.unit.grows == earlier.unit.grows && c.Expression == earlier.Expression && slices.Equal(c.ws, earlier.ws)
}

// claim reserves the names of the counter's metrics if all are free.
func (c *nativeCounter) claim(o *layout, object []string, taken map[string]bool) bool {
	var names []string
	for _, t := range c.make(&o.Counters[c.k], c.k, c.unit) {
		names = append(names, claims(stem(object, c.ws)+t.Name, t.Type)...)
	}
	if slices.ContainsFunc(names, func(n string) bool { return taken[n] }) {
		return false
	}
	for _, n := range names {
		taken[n] = true
	}
	return true
}

// claims returns the names that a family occupies. In OpenMetrics the head of a counter has no
// _total.
func claims(name string, t Type) []string {
	switch t {
	case Counter:
		head := strings.TrimSuffix(name, "_total")
		return []string{head, head + "_total", head + "_created"}
	case Summary:
		return []string{name, name + "_sum", name + "_count", name + "_created"}
	case Info:
		return []string{strings.TrimSuffix(name, "_info"), name}
	}
	return []string{name}
}

// rows returns the labellings of an object: for its instances, and with the text of a counter.
func (l nativeLabels) rows(o *layout) (rows *labelling, withText func(k int) *labelling) {
	var ids []int
	for _, k := range []int{l.pid, l.tid} {
		if k >= 0 {
			ids = append(ids, k)
		}
	}

	rows = &labelling{Labels: l.labels, IDs: ids, Index: true}
	if o.Object.Single() && l.sqlInstance == "" && !o.Machine {
		rows = nil
	}
	return rows, func(k int) *labelling {
		labels := func(o frame.Object, i int, ls []Label) ([]Label, bool) {
			text, ok := o.Text(i, k)
			ls, _ = l.labels(o, i, ls)
			return append(ls, Label{"text", text}), ok
		}
		return &labelling{Index: true, Changing: true, Labels: labels}
	}
}

// nativeID returns the position of the counter with an id of instances; -1 for none.
func nativeID(o *layout, is func(*definition) bool) int {
	for k := range o.Counters {
		if !o.Object.Single() && is(&o.Counters[k]) {
			return k
		}
	}
	return -1
}

func (d *definition) isProcessID() bool { return d.isID(titles.IDProcess, "ID Process", "Process ID") }

func (d *definition) isThreadID() bool { return d.isID(titles.IDThread, "ID Thread") }

// isID reports whether a counter is a plain number with a title index or one of the names.
func (d *definition) isID(title uint32, names ...string) bool {
	is := func(name string) bool { return strings.EqualFold(d.Name, name) }
	return (d.ID.Index == title || slices.ContainsFunc(names, is)) && formulaOf(d.Type) == &formulas[0]
}

// nativeLabels makes the labels of instances: name, parent, process and thread ids.
type nativeLabels struct {
	sqlInstance string
	pid, tid    int // positions of counters, -1 for none
}

func (l nativeLabels) labels(o frame.Object, i int, ls []Label) ([]Label, bool) {
	ls = append(ls, Label{"sql_instance", l.sqlInstance})
	if o.Single() {
		return ls, true
	}

	in := o.Instance(i)
	name := in.Name()
	if isNumber(name) && in.RawName() == "" {
		if _, ok := in.UniqueID(); !ok {
			name = "" // it would be the position
		}
	}
	total := frame.IsTotal(name)
	if pid, ok := l.id(o, i, l.pid); ok && !total {
		ls = append(ls, Label{"pid", pid})
		name = withoutID(name, pid)
	}
	if tid, ok := l.id(o, i, l.tid); ok && !total {
		ls = append(ls, Label{"tid", tid})
		if isNumber(name) {
			name = "" // the changing position among the process's threads
		}
	}
	if parent, ok := in.Parent(); ok {
		ls = append(ls, Label{"parent", parent.Name()})
	}
	return append(ls, Label{"name", name}), true
}

func isNumber(name string) bool { return strings.Trim(name, "0123456789") == "" }

func (l nativeLabels) id(o frame.Object, i, k int) (string, bool) {
	if k < 0 {
		return "", false
	}
	v, ok := o.Raw(i, k)
	return strconv.FormatUint(v, 10), ok
}

// withoutID removes the process id from the end of a name, as in Process V2 (name:pid), or in
// Process if the system is configured so (name_pid).
func withoutID(name, pid string) string {
	rest, ok := strings.CutSuffix(name, pid)
	if !ok || len(rest) < 2 || !strings.ContainsAny(rest[len(rest)-1:], ":_") {
		return name
	}
	return rest[:len(rest)-1]
}
