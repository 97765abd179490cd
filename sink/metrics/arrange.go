package metrics

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// arranging are families on their way into a Set.
type arranging struct {
	families []Family
	byName   map[string]int
	owners   []*object       // of families by position: the object that made one, nil for none
	claimed  map[string]bool // names that families take, but for those that are as they are
	joined   map[joint]bool
	next     map[wish]int
	first    map[objectName]*object // of those of one name
}

// objectName is what an object is called, but for case, and where.
type objectName struct{ machine, name string }

func (st *object) fullName() objectName {
	return objectName{strings.ToLower(st.machine), strings.ToLower(st.name)}
}

// joint says that a family has rows with these labels, which tell the rows of objects apart.
type joint struct {
	family       int
	machine, sql string
}

func (st *object) joint(family int) joint {
	_, sql := withoutInstance(st.name)
	return joint{family, strings.ToLower(st.machine), sql}
}

// wish is a name that objects of one name want for a family of a type.
type wish struct {
	objectName
	family string
	kind   Type
}

// arrange puts the families of all objects together.
func (m *Mapper) arrange() {
	m.dated = m.dated[:0]
	a := arranging{
		families: m.set.Families[:0], byName: map[string]int{}, claimed: map[string]bool{},
		joined: map[joint]bool{}, next: map[wish]int{}, first: map[objectName]*object{},
	}
	for _, st := range m.objects {
		if name := st.fullName(); a.first[name] == nil {
			a.first[name] = st
		}
	}
	for i := range m.opt.Reserved {
		a.claim(m.opt.Reserved[i].Name, m.opt.Reserved[i].Type)
	}

	for s := range m.schemes {
		for _, st := range m.objects {
			at := st.cellsBefore(s)
			for t := range st.templatesOf(s) {
				tmpl := &st.templates[s][t]
				cells := st.cells[at : at+len(tmpl.Columns)]
				at += len(tmpl.Columns)
				if a.spare(st, tmpl) {
					leaveOut(cells)
					continue
				}
				a.add(a.place(st, tmpl), cells)
			}
		}
		a.tell(m, m.schemes[s])
	}
	clear(a.families[len(a.families):cap(a.families)])
	m.set.Families = a.families
}

// add adds columns to the family at position f.
func (a *arranging) add(f int, cells []cell) {
	for i := range cells {
		c := &cells[i]
		c.family, c.column = f, len(a.families[f].Columns)
		a.families[f].Columns = append(a.families[f].Columns, Column{})
	}
}

// leaveOut has columns stand in no family.
func leaveOut(cells []cell) {
	for i := range cells {
		cells[i].family = -1
	}
}

// spare reports whether a template is not needed: because it stands in for an object that
// is there, or since the same object comes twice and a family has its values already.
func (a *arranging) spare(st *object, t *template) bool {
	if !t.Shared {
		return false
	}

	name := st.fullName()
	return a.first[name] != st || slices.ContainsFunc(t.Unless, func(other string) bool {
		return a.first[objectName{name.machine, strings.ToLower(other)}] != nil
	})
}

// tell adds what a scheme says of no object, but for what counters say.
func (a *arranging) tell(m *Mapper, s scheme) {
	t, ok := s.(teller)
	if !ok {
		return
	}
	for _, f := range t.told(m.machines()) {
		if _, known := a.byName[f.Name]; known {
			continue
		}
		if f.isTime {
			m.dated = append(m.dated, len(a.families))
		}
		a.byName[f.Name] = len(a.families)
		a.families, a.owners = append(a.families, f.Family), append(a.owners, nil)
	}
}

// machines are the names of those that the sample is of, each once.
func (m *Mapper) machines() (names []string) {
	known := map[string]bool{}
	for _, o := range m.objects {
		if name := strings.ToLower(o.machine); !known[name] {
			known[name] = true
			names = append(names, o.machine)
		}
	}
	return names
}

// cellsBefore is where the cells of a scheme begin.
func (st *object) cellsBefore(s int) (at int) {
	for _, templates := range st.templates[:min(s, len(st.templates))] {
		for t := range templates {
			at += len(templates[t].Columns)
		}
	}
	return at
}

// templatesOf are the templates of a scheme.
func (st *object) templatesOf(s int) []template {
	if s >= len(st.templates) {
		return nil
	}
	return st.templates[s]
}

// place returns the position of the family that a template adds to: an old one where
// both are made to be together, or are of the same object of two machines; else a new
// one, with a number in its name where another object has the name.
func (a *arranging) place(st *object, t *template) int {
	// Names that were taken once stay taken, so that those of one name go on where the last one ended.
	wants := wish{st.fullName(), t.Name, t.Type}
	var name string
	n := max(1, a.next[wants])
	for ; ; n++ {
		name = Numbered(t.Name, t.Unit, n)
		if f, ok := a.byName[name]; ok && (t.Shared || a.join(f, st, t.Type)) {
			a.next[wants] = n
			return f
		}
		if a.claim(name, t.Type) || t.Shared {
			break
		}
	}
	a.next[wants] = n

	at := len(a.families)
	f := Family{Name: name, Type: t.Type, Unit: t.Unit, Help: t.Help, Object: st.name, Additive: t.Additive}
	if at < cap(a.families) {
		f.Columns = a.families[:at+1][at].Columns[:0]
	}
	a.families, a.owners, a.byName[name] = append(a.families, f), append(a.owners, st), at
	a.joined[st.joint(at)] = true
	return at
}

// join reports whether an object can add its rows to a family: one that sisters of it have made,
// and no other object with its labels.
func (a *arranging) join(f int, st *object, t Type) bool {
	owner := a.owners[f]
	if owner == nil || a.families[f].Type != t || !sisters(owner, st) {
		return false
	}

	key := st.joint(f)
	if a.joined[key] {
		return false
	}
	a.joined[key] = true
	return true
}

// claim takes the names of a family if all of them are free.
func (a *arranging) claim(name string, t Type) bool {
	names := claims(name, t)
	for _, n := range names {
		if a.claimed[n] {
			return false
		}
	}
	for _, n := range names {
		a.claimed[n] = true
	}
	return true
}

// sisters reports whether two are the same object of different machines, or of different
// instances of SQL Server: labels tell their rows apart.
func sisters(a, b *object) bool {
	nameA, sqlA := withoutInstance(a.name)
	nameB, sqlB := withoutInstance(b.name)
	return a != b && strings.EqualFold(nameA, nameB) && (!strings.EqualFold(a.machine, b.machine) || sqlA != sqlB)
}

// Numbered returns the name of a family of winperf's own names with a number, from the second one
// on, which stands before its unit and before _total or _info. It tells families of one name apart.
func Numbered(name, unit string, n int) string {
	if n < 2 {
		return name
	}
	rest, end := name, ""
	for _, suffix := range []string{"_total", "_info", "_" + unit} {
		if cut, ok := strings.CutSuffix(rest, suffix); ok && suffix != "_" {
			rest, end = cut, suffix+end
		}
	}
	return rest + "_" + strconv.Itoa(n) + end
}

// fill fills the columns of objects that are new since the sample before, and puts all
// into the Set.
func (m *Mapper) fill() {
	for _, st := range m.objects {
		in := &m.in
		in.object, in.state = st.now, st
		for c := range st.cells {
			cell := &st.cells[c]
			if st.fresh {
				in.cell, in.rows = cell, cell.rows
				cell.fill(in)
				cell.out.Time = st.time
			}
			if cell.family >= 0 {
				m.set.Families[cell.family].Columns[cell.column] = cell.out
			}
		}
	}
	m.date()
}

// date fills in the time of the sample where it is a value.
func (m *Mapper) date() {
	for _, f := range m.dated {
		now := winperf.ToFiletime(m.set.Time) - int64(unixEpoch)
		m.set.Families[f].Columns[0].Bits[0] = uint64(max(0, now))
	}
}

// unlabelled is one row without labels.
var unlabelled = NewRows([][]Label{nil}, nil)

func (c *cell) fill(in *inputs) {
	rows := unlabelled
	if c.rows != nil {
		rows = c.rows.rows
	}
	out := &c.out
	out.Rows, out.Extra, out.Suffix = rows, c.template.Extra, c.template.Suffix
	out.Bits = slices.Grow(out.Bits[:0], rows.Len())[:rows.Len()]
	out.Absent = nil
	c.template.Value(in, out)
}
