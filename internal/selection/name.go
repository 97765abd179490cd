package selection

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// Tables look up names in name tables and cache the results: most paths share names, and a lookup
// scans a whole table.
type Tables struct {
	names   *nametable.Names
	english *nametable.Names // nil: patterns match names of any language
	found   map[string][]uint32
}

// NewTables returns Tables for a caller that does not know the shown language, such as a source:
// patterns match names of any language.
func NewTables(names *nametable.Names) *Tables {
	return &Tables{names: names, found: map[string][]uint32{}}
}

// ShownTables returns Tables for a caller that shows the names of these tables: patterns match
// shown names and English ones.
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
	title   uint32   // title index of a name such as #230; 0 = none
	tables  *Tables  // tables for lookups
	titles  []uint32 // its title indices there, ascending; nil before the lookup
}

// NewName returns the Name for a name or a pattern.
func NewName(text string) Name {
	n := Name{pattern: winperf.CompilePattern(text)}
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		if title, err := strconv.ParseUint(digits, 10, 32); err == nil {
			n.title = uint32(title)
		}
	}
	return n
}

// Resolve sets the tables for the lookup, which happens on first use: a Name is for one goroutine
// at a time.
func (n *Name) Resolve(t *Tables) { n.tables, n.titles = t, nil }

// String returns the text passed to NewName.
func (n *Name) String() string { return n.pattern.String() }

// Wildcard reports whether the name is a pattern.
func (n *Name) Wildcard() bool { return n.pattern.HasWildcard() }

// Everything reports whether the name is a pattern that every name matches.
func (n *Name) Everything() bool { return n.Wildcard() && strings.Trim(n.String(), "*") == "" }

// ByTitle reports whether the name is a title index, such as #230, which may match any name.
func (n *Name) ByTitle() bool { return n.title != 0 }

// Titles returns the title indices of the name in its tables in ascending order, none for a
// pattern. The caller must not change them.
func (n *Name) Titles() []uint32 {
	if n.titles == nil && n.tables != nil && !n.Wildcard() {
		n.titles = n.tables.lookup(n.String())
	}
	return n.titles
}

// Is reports whether the name matches an object or counter with a title index (0 for none) and a
// name. An empty name means the name in the tables of Resolve.
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
