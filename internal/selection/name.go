package selection

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// Tables cache lookups in name tables: paths share names, and each lookup reads a whole
// table.
type Tables struct {
	names   *nametable.Names
	english *nametable.Names // nil: patterns match names of any language
	found   map[string][]uint32
}

// NewTables returns Tables for a caller that does not know the shown language, such as a
// source: patterns match names of any language.
func NewTables(names *nametable.Names) *Tables {
	return &Tables{names: names, found: map[string][]uint32{}}
}

// ShownTables returns Tables for a caller that shows names in the language of these tables:
// patterns match shown and English names.
func ShownTables(names *nametable.Names) *Tables {
	t := NewTables(names)
	t.english = names.In(nametable.English)
	return t
}

func (t *Tables) lookup(name string) []uint32 {
	titles, known := t.found[name]
	if !known {
		titles = t.names.Lookup(name)
		t.found[name] = titles
	}
	return titles
}

func (t *Tables) matches(p winperf.Pattern, title uint32) bool {
	if t.english == nil {
		return t.names.Matches(p, title)
	}
	return p.Match(t.names.Title(title)) || p.Match(t.english.Title(title))
}

// Name is the object or counter of a path.
type Name struct {
	pattern winperf.Pattern
	title   uint32   // of the form #230; 0 = none
	tables  *Tables  // for lookups
	titles  []uint32 // its title indices there, rising; nil before the lookup
}

// NewName makes a Name of a name or a pattern.
func NewName(text string) Name {
	n := Name{pattern: winperf.CompilePattern(text)}
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		if title, err := strconv.ParseUint(digits, 10, 32); err == nil {
			n.title = uint32(title)
		}
	}
	return n
}

// Resolve sets the tables, which are used on first need. So a Name must be used by one
// goroutine at a time.
func (n *Name) Resolve(t *Tables) { n.tables, n.titles = t, nil }

// String returns the text of the Name.
func (n *Name) String() string { return n.pattern.String() }

// Wildcard reports whether the name is a pattern.
func (n *Name) Wildcard() bool { return n.pattern.HasWildcard() }

// Everything reports whether the name is a pattern that matches every name.
func (n *Name) Everything() bool { return n.Wildcard() && strings.Trim(n.String(), "*") == "" }

// ByTitle reports whether the name is a title index, as in #230.
func (n *Name) ByTitle() bool { return n.title != 0 }

// Titles returns the title indices of the name in its tables, rising. A pattern has none:
// its matches depend on the objects. They must not be changed.
func (n *Name) Titles() []uint32 {
	if n.titles == nil && n.tables != nil && !n.Wildcard() {
		n.titles = n.tables.lookup(n.String())
	}
	return n.titles
}

// Is reports whether the name matches an object or counter with a title index (0 for none)
// and a name ("" for its name in the tables).
func (n *Name) Is(title uint32, name string) bool {
	switch {
	case name != "" || n.tables == nil:
		return n.pattern.Match(name) || n.ByTitle() && n.title == title
	case n.Wildcard():
		return n.tables.matches(n.pattern, title)
	}
	_, found := slices.BinarySearch(n.Titles(), title)
	return found
}
