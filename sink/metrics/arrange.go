package metrics

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// arranging collects the families of a Set.
type arranging struct {
	families []Family
	byName   map[string]int
	owners   []*object       // the object of each family, nil for none
	claimed  map[string]bool // names of families, except unchangeable names
	joined   map[joint]bool
	next     map[wish]int
	first    map[objectName]*object // of each name
}

// objectName identifies an object, in lower case.
type objectName struct{ machine, name string }

func (st *object) fullName() objectName {
	return objectName{strings.ToLower(st.machine), strings.ToLower(st.name)}
}

// joint is a family and the labels that distinguish the rows of its objects.
type joint struct {
	family       int
	machine, sql string
}

func (st *object) joint(family int) joint {
	_, sql := withoutInstance(st.name)
	return joint{family, strings.ToLower(st.machine), sql}
}

// wish is a requested name for a family of a type.
type wish struct {
	objectName
	family string
	kind   Type
}

func (m *Mapper) arrange() {
	m.dated, m.hosted = m.dated[:0], m.hosted[:0]
	clear(m.set.Families[min(m.groupsAt, len(m.set.Families)):]) // their columns must not be reused
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

	if m.grouped {
		for i := range m.groups.families {
			a.claim(m.groups.families[i].Name, m.groups.families[i].Type)
		}
	}

	for s := range m.schemes {
		for _, st := range m.objects {
			at := st.cellsBefore(s)
			for t := range st.templatesOf(s) {
				tmpl := &st.templates[s][t]
				cells := st.cells[at : at+len(tmpl.Columns)]
				at += len(tmpl.Columns)
				if a.spare(st, tmpl) || m.repeats(s, st, tmpl) {
					omit(cells)
					continue
				}
				a.add(a.place(st, tmpl), cells)
			}
		}
		a.addFacts(m, m.schemes[s])
	}
	m.groupsAt = len(a.families)
	if m.grouped {
		a.families = append(a.families, m.groups.families...)
	}
	clear(a.families[len(a.families):cap(a.families)])
	m.set.Families = a.families
}

func (a *arranging) add(f int, cells []cell) {
	for i := range cells {
		c := &cells[i]
		c.family, c.column = f, len(a.families[f].Columns)
		a.families[f].Columns = append(a.families[f].Columns, Column{})
	}
}

func omit(cells []cell) {
	for i := range cells {
		cells[i].family = -1
	}
}

// spare reports whether a template is redundant: its object appears twice, or is only a substitute
// for another object in the sample.
func (a *arranging) spare(st *object, t *template) bool {
	if !t.Shared {
		return false
	}

	name := st.fullName()
	return a.first[name] != st || slices.ContainsFunc(t.Unless, func(other string) bool {
		return a.first[objectName{name.machine, strings.ToLower(other)}] != nil
	})
}

// repeats reports whether another object of the machine has the family that a template repeats.
func (m *Mapper) repeats(s int, st *object, t *template) bool {
	named := func(other template) bool { return other.Name == t.Repeats }
	return t.Repeats != "" && slices.ContainsFunc(m.objects, func(o *object) bool {
		return o != st && strings.EqualFold(o.machine, st.machine) &&
			slices.ContainsFunc(o.templatesOf(s), named)
	})
}

// addFacts adds the families of a scheme that belong to no object, unless counters provide them.
func (a *arranging) addFacts(m *Mapper, s scheme) {
	t, ok := s.(factScheme)
	if !ok {
		return
	}
	for _, f := range t.factFamilies(m.machines()) {
		if _, known := a.byName[f.Name]; known {
			continue
		}
		if f.isTime {
			m.dated = append(m.dated, len(a.families))
		}
		if f.isHost {
			m.hosted = append(m.hosted, hostFamily{len(a.families), f.filters})
		}
		a.byName[f.Name] = len(a.families)
		a.families, a.owners = append(a.families, f.Family), append(a.owners, nil)
	}
}

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

func (st *object) cellsBefore(s int) (at int) {
	for _, templates := range st.templates[:min(s, len(st.templates))] {
		for t := range templates {
			at += len(templates[t].Columns)
		}
	}
	return at
}

func (st *object) templatesOf(s int) []template {
	if s >= len(st.templates) {
		return nil
	}
	return st.templates[s]
}

// place returns the position of the family for a template: an existing one if its name is shared or
// both belong to the same object of two machines; else a new one, numbered if another object has
// the name.
func (a *arranging) place(st *object, t *template) int {
	// Names stay taken, so that the search continues at the previous number.
	key := wish{st.fullName(), t.Name, t.Type}
	var name string
	n := max(1, a.next[key])
	for ; ; n++ {
		name = Numbered(t.Name, t.Unit, n)
		if f, ok := a.byName[name]; ok && (t.Shared || a.join(f, st, t.Type)) {
			a.next[key] = n
			return f
		}
		if a.claim(name, t.Type) || t.Shared {
			break
		}
	}
	a.next[key] = n

	at := len(a.families)
	f := Family{Name: name, Type: t.Type, Unit: t.Unit, Help: t.Help, Object: st.name, Additive: t.Additive}
	if at < cap(a.families) {
		f.Columns = a.families[:at+1][at].Columns[:0]
	}
	a.families, a.owners, a.byName[name] = append(a.families, f), append(a.owners, st), at
	a.joined[st.joint(at)] = true
	return at
}

// join reports whether an object can add its rows to a family: the family belongs to the same
// object of another machine or SQL Server instance, and no other object has the same labels.
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

// sisters reports whether two objects are the same object of different machines or instances of SQL
// Server, so that labels distinguish their rows.
func sisters(a, b *object) bool {
	nameA, sqlA := withoutInstance(a.name)
	nameB, sqlB := withoutInstance(b.name)
	return a != b && strings.EqualFold(nameA, nameB) &&
		(!strings.EqualFold(a.machine, b.machine) || sqlA != sqlB)
}

// Numbered makes the names of families unique that have the same name under Own. n counts these
// families from 1. The first keeps the name; for the others Numbered inserts n before the unit,
// _total or _info.
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

// fill fills the columns of changed objects and assigns all columns to the Set.
func (m *Mapper) fill() {
	for _, st := range m.objects {
		in := &m.in
		in.object, in.state = st.now, st
		for c := range st.cells {
			cell := &st.cells[c]
			if st.fresh {
				in.cell, in.rows = cell, cell.rows
				cell.fill(in)
				if cell.grows && cell.family >= 0 && len(m.held) > 0 {
					m.holdOn(cell, in)
				}
				cell.out.Time = st.time
			}
			if cell.family >= 0 {
				m.set.Families[cell.family].Columns[cell.column] = cell.out
			}
		}
	}

	m.held = nil
	if m.grouped {
		copy(m.set.Families[m.groupsAt:], m.groups.families)
	}
	m.date()
	m.fillHost()
}

// date sets the values that are the time of the sample.
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
	if c.grows {
		in.last, in.lastForm = append(in.last[:0], out.Bits...), out.Form
	}
	out.Bits = slices.Grow(out.Bits[:0], rows.Len())[:rows.Len()]
	out.Absent = nil
	c.template.Value(in, out)
	if c.grows {
		c.hold(in)
	}
}
