package selection

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// Part is one part of a selection: a path, a class of objects, or else an object by its
// identity.
type Part struct {
	Path   *Path // nil if not a path
	Class  bool
	Costly bool // the class of costly objects
	Object winperf.ObjectID
	// Unneeded are objects that the class of other objects lacks.
	Unneeded []winperf.ObjectID
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
		parts = append(parts, Part{Class: true, Unneeded: sel.Unneeded})
	}
	if sel.Costly {
		parts = append(parts, Part{Class: true, Costly: true})
	}
	return parts
}

// Resolve returns the parts of a selection with tables for their names.
func Resolve(sel winperf.Selection, names *nametable.Names) []Part {
	parts, tables := Parts(sel), NewTables(names)
	for i := range parts {
		parts[i].Resolve(tables)
	}
	return parts
}

// Resolve sets the tables of a path; see [Name.Resolve].
func (p *Part) Resolve(t *Tables) {
	if p.Path != nil {
		p.Path.Resolve(t)
	}
}

// AddTo adds the part to a selection.
func (p *Part) AddTo(sel *winperf.Selection) {
	switch {
	case p.Path != nil:
		sel.Paths = append(sel.Paths, p.Path.Original)
	case !p.Class:
		sel.Objects = append(sel.Objects, p.Object)
	case p.Costly:
		sel.Costly = true
	default:
		sel.Global, sel.Unneeded = true, p.Unneeded
	}
}

// Machine reports whether the part selects a machine. Parts other than paths select any.
func (p *Part) Machine(name string) bool { return p.Path == nil || p.Path.Machine(name) }

// Object is an existing object.
type Object struct {
	ID     winperf.ObjectID
	Name   string // "" if the tables have it
	Costly bool
}

// Match is the way in which a part selects an object.
type Match uint8

// The ways.
const (
	NoMatch     Match = iota
	AmongOthers       // as one of a class, or by a pattern
	InFull            // by its name or identity
)

// Selects returns how the part selects an object of a sample, whatever the machine.
func (p *Part) Selects(o Object) Match {
	switch {
	case p.Path != nil && !p.Path.Object.Is(o.ID.Index, o.Name),
		p.Class && (p.Costly != o.Costly || slices.ContainsFunc(p.Unneeded, o.ID.Is)),
		p.Path == nil && !p.Class && !p.Object.Is(o.ID):
		return NoMatch
	case p.Class, p.ByPattern():
		return AmongOthers
	}
	return InFull
}

// ByPattern reports whether the part is a path with a pattern for the object.
func (p *Part) ByPattern() bool { return p.Path != nil && p.Path.Object.Wildcard() }

// Requests is Selects for a source: a pattern does not select costly objects.
func (p *Part) Requests(o Object) Match {
	if o.Costly && p.ByPattern() {
		return NoMatch
	}
	return p.Selects(o)
}

// Split divides a selection into the parts that select costly objects and the rest. titles
// are the title indices of costly objects, names the tables for names. parts reports for
// each part, in the order of Parts, whether it is in costly.
func Split(
	sel winperf.Selection, names *nametable.Names, titles []uint32,
) (rest, costly winperf.Selection, parts []bool) {
	rest = sel
	rest.Paths, rest.Objects, rest.Global, rest.Costly, rest.Unneeded = nil, nil, false, false, nil
	costly = rest

	for _, p := range Resolve(sel, names) {
		to := &rest
		if p.selectsCostly(titles) {
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

func (p *Part) selectsCostly(costly []uint32) bool {
	return p.Class && p.Costly || slices.ContainsFunc(costly, func(title uint32) bool {
		return p.Selects(Object{ID: winperf.ObjectID{Index: title}}) == InFull
	})
}
