package selection

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// Part is one part of a selection: a path, a class of objects, or else an object by its
// identity.
type Part struct {
	Path   *Path // nil for what is no path
	Class  bool
	Costly bool // of a class: the costly objects, not the others
	Object winperf.ObjectID
}

// Parts returns the parts of a selection: the paths, the objects, Global and Costly, in
// this order.
func Parts(sel winperf.Selection) []Part {
	parts := make([]Part, 0, len(sel.Paths)+len(sel.Objects)+2)
	for _, p := range sel.Paths {
		path := NewPath(p)
		parts = append(parts, Part{Path: &path})
	}

	for _, id := range sel.Objects {
		parts = append(parts, Part{Object: id})
	}
	if sel.Global {
		parts = append(parts, Part{Class: true})
	}
	if sel.Costly {
		parts = append(parts, Part{Class: true, Costly: true})
	}
	return parts
}

// Resolve returns the parts of a selection with tables to look their names up in.
func Resolve(sel winperf.Selection, names *nametable.Names) []Part {
	parts, tables := Parts(sel), NewTables(names)
	for i := range parts {
		parts[i].Resolve(tables)
	}
	return parts
}

// Resolve has the names of a path looked up; see [Name.Resolve].
func (p *Part) Resolve(t *Tables) {
	if p.Path != nil {
		p.Path.Resolve(t)
	}
}

// AddTo adds the part to a selection.
func (p *Part) AddTo(sel *winperf.Selection) {
	switch {
	case p.Path != nil:
		sel.Paths = append(sel.Paths, p.Path.Asked)
	case !p.Class:
		sel.Objects = append(sel.Objects, p.Object)
	case p.Costly:
		sel.Costly = true
	default:
		sel.Global = true
	}
}

// Machine reports whether the part is about a machine, as all but paths are about any.
func (p *Part) Machine(name string) bool { return p.Path == nil || p.Path.Machine(name) }

// Object is one that is there.
type Object struct {
	ID     winperf.ObjectID
	Name   string // "" where the tables tell that the parts were resolved with
	Costly bool
}

// Want says how a part wants an object.
type Want uint8

// How parts want objects.
const (
	Unwanted    Want = iota
	AmongOthers      // as one of a class, or of those that a pattern matches
	InFull           // by its name or identity
)

// Wants tells how the part wants an object that a sample holds, whatever the machine.
func (p *Part) Wants(o Object) Want {
	switch {
	case p.Path != nil && !p.Path.Object.Is(o.ID.Index, o.Name),
		p.Class && p.Costly != o.Costly,
		p.Path == nil && !p.Class && !p.Object.Is(o.ID):
		return Unwanted
	case p.Class, p.ByPattern():
		return AmongOthers
	}
	return InFull
}

// ByPattern reports whether the part is a path with a pattern for the object.
func (p *Part) ByPattern() bool { return p.Path != nil && p.Path.Object.Wildcard() }

// Asks tells how a source that has an object is asked for it: as Wants does, but a
// pattern asks for no costly one.
func (p *Part) Asks(o Object) Want {
	if o.Costly && p.ByPattern() {
		return Unwanted
	}
	return p.Wants(o)
}

// Split divides a selection into the parts that ask for costly objects and the rest. Titles are the title
// indices of costly objects, names the tables to look names up in. For each part, in the order of Parts,
// parts has whether it is in costly.
func Split(
	sel winperf.Selection, names *nametable.Names, titles []uint32,
) (rest, costly winperf.Selection, parts []bool) {
	rest = sel
	rest.Paths, rest.Objects, rest.Global, rest.Costly = nil, nil, false, false
	costly = rest

	for _, p := range Resolve(sel, names) {
		to := &rest
		if p.asksCostly(titles) {
			to = &costly
		}
		p.AddTo(to)
		parts = append(parts, to == &costly)
	}
	return rest, costly, parts
}

// IsEmpty reports whether a selection has no parts.
func IsEmpty(sel winperf.Selection) bool {
	return len(sel.Paths) == 0 && len(sel.Objects) == 0 && !sel.Global && !sel.Costly
}

// asksCostly reports whether the part asks for costly objects, of which costly are the
// title indices.
func (p *Part) asksCostly(costly []uint32) bool {
	return p.Class && p.Costly || slices.ContainsFunc(costly, func(title uint32) bool {
		return p.Wants(Object{ID: winperf.ObjectID{Index: title}}) == InFull
	})
}
