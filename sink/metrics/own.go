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

// own are winperf's own names: every counter, named after itself.
type own struct{}

// ownCounter is a counter on its way to a name.
type ownCounter struct {
	k    int
	name string   // English
	ws   []string // of the name, without those of its unit
	unit unit
	formula
}

// templates makes the metrics of all counters.
func (own) templates(o *layout) []template {
	object, sqlInstance := objectWords(o.Name)
	if len(object) == 0 {
		object = []string{"object", strconv.Itoa(int(o.Object.ID().Index))}
	}

	counters := ownCounters(o)
	tellApart(o, object, counters)
	rows, textRows := ownRows(o, sqlInstance)
	var out []template
	for i := range counters {
		c := &counters[i]
		d := &o.Counters[c.k]
		name := stem(object, c.ws)
		for _, t := range c.make(d, c.k, c.unit) {
			t.Name = name + t.Name
			t.Help = ownHelp(o, d, name, c)
			t.Rows = rows
			if t.Type == Info {
				t.Rows = textRows(c.k)
			}
			out = append(out, t)
		}
	}
	return out
}

// ownCounters are the counters that become metrics.
func ownCounters(o *layout) (all []ownCounter) {
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
		if nameless(d.Name) {
			ws = []string{"title", strconv.Itoa(int(cmp.Or(d.ID.Index, d.ID.ID)))}
		}
		all = append(all, ownCounter{k, d.Name, ws, u, *f})
	}
	return all
}

// ownHelp says which counter a metric is of, and how its displayed value is computed.
func ownHelp(o *layout, d *definition, name string, c *ownCounter) string {
	instance := "(*)"
	if o.Object.Single() {
		instance = ""
	}
	expression := c.displayed(name)
	help := fmt.Sprintf(`\%s%s\%s`, o.Name, instance, d.Name)
	if expression != "" {
		help += " = " + expression
	}
	if d.Help != "" {
		help += ": " + d.Help
	}
	return help
}

// displayed is the expression that gives the counter's displayed value, in the counter's own unit;
// "" where the metric is that value, or a text.
func (c *ownCounter) displayed(name string) string {
	if c.Families[0].Type == Info || c.unit.offset != 0 {
		return ""
	}

	expression := strings.ReplaceAll(c.Expression, "x_", c.x(name)+"_")
	if c.Expression == "x" {
		expression = c.x(name)
		if c.unit.grows {
			expression += "_total"
		}
	}
	switch factor := c.unit.factor(); {
	case factor > 1:
		return expression + " / " + decimals(factor)
	case factor < 1:
		return decimals(1/factor) + " * " + expression
	case c.Expression == "x":
		return ""
	}
	return expression
}

// decimals is a number as an expression has it.
func decimals(f float64) string { return strconv.FormatFloat(f, 'g', 12, 64) }

// x is what x stands for in the expression of the counter, given its name without unit.
func (c *ownCounter) x(name string) string {
	if strings.Contains(c.Expression, "_seconds") {
		return name
	}
	return name + c.unit.suffix()
}

// tellApart gives counters of an object with one name different ones. Which of them
// gets which name depends on their English names and types, and on title indices only
// where these are the same, never on their order. The one whose unit needs no conversion
// has the name, and of several the first in the order of names; the others have their
// name in full, and a number where even that is the same.
func tellApart(o *layout, object []string, counters []ownCounter) {
	order := make([]*ownCounter, len(counters))
	for i := range counters {
		order[i] = &counters[i]
	}
	slices.SortStableFunc(order, func(a, b *ownCounter) int {
		return cmp.Or(
			cmp.Compare(a.unit.converted(), b.unit.converted()),
			cmp.Compare(a.name, b.name),
			cmp.Compare(o.Counters[a.k].Type, o.Counters[b.k].Type),
			cmp.Compare(o.Counters[a.k].ID.Index, o.Counters[b.k].ID.Index),
		)
	})

	taken := map[string]bool{}
	last := map[string]int{} // the number that one of the same words and metrics got
	for _, c := range order {
		if c.claim(o, object, taken) {
			continue
		}

		c.ws = ending(tidy(words(c.name)))
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

// claim takes the names of the counter's metrics if all of them are free.
func (c *ownCounter) claim(o *layout, object []string, taken map[string]bool) bool {
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

// claims are the names that a family takes, those of its values and of its head: in
// OpenMetrics the head of a counter lacks _total.
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

// ownRows are the labellings of an object: of its instances, and of those with the text
// of the counter at position k.
func ownRows(o *layout, sqlInstance string) (rows *labelling, withText func(k int) *labelling) {
	l := ownLabels{
		sqlInstance: sqlInstance,
		pid:         ownID(o, titles.IDProcess, "ID Process", "Process ID"),
		tid:         ownID(o, titles.IDThread, "ID Thread"),
	}
	if o.Object.Single() {
		l.pid, l.tid = -1, -1
	}
	var ids []int
	for _, k := range []int{l.pid, l.tid} {
		if k >= 0 {
			ids = append(ids, k)
		}
	}

	rows = &labelling{Labels: l.labels, IDs: ids, Index: true}
	if o.Object.Single() && sqlInstance == "" && !o.Machine {
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

// ownID is the position of the counter with a title index or one of some names, as long as
// it is a plain number; -1 for none.
func ownID(o *layout, title uint32, names ...string) int {
	for k := range o.Counters {
		d := &o.Counters[k]
		is := func(name string) bool { return strings.EqualFold(d.Name, name) }
		if (d.ID.Index == title || slices.ContainsFunc(names, is)) && formulaOf(d.Type) == &formulas[0] {
			return k
		}
	}
	return -1
}

// ownLabels makes the labels of instances: name and parent, and what identifies processes
// and threads.
type ownLabels struct {
	sqlInstance string
	pid, tid    int // positions of counters, -1 for none
}

func (l ownLabels) labels(o frame.Object, i int, ls []Label) ([]Label, bool) {
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
			name = "" // the position among the process's threads, which moves
		}
	}
	if parent, ok := in.Parent(); ok {
		ls = append(ls, Label{"parent", parent.Name()})
	}
	return append(ls, Label{"name", name}), true
}

// isNumber reports whether a name has nothing but digits.
func isNumber(name string) bool { return strings.Trim(name, "0123456789") == "" }

// id is the value of a counter that identifies what instance i is.
func (l ownLabels) id(o frame.Object, i, k int) (string, bool) {
	if k < 0 {
		return "", false
	}
	v, ok := o.Raw(i, k)
	return strconv.FormatUint(v, 10), ok
}

// withoutID cuts the process id from the end of a name that has it, as those of Process V2
// do (name:pid), and those of Process where the system is set so (name_pid).
func withoutID(name, pid string) string {
	rest, ok := strings.CutSuffix(name, pid)
	if !ok || len(rest) < 2 || !strings.ContainsAny(rest[len(rest)-1:], ":_") {
		return name
	}
	return rest[:len(rest)-1]
}
