package selection

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// Tables are name tables in which names are looked up, each once: paths share most of
// them, and a table is searched from end to end.
type Tables struct {
	names   *nametable.Names
	english *nametable.Names // nil: patterns stand for names of any language
	found   map[string][]uint32
}

// NewTables returns Tables for a caller that does not know in which language names are
// shown, such as a source: patterns stand for names of any language.
func NewTables(names *nametable.Names) *Tables {
	return &Tables{names: names, found: map[string][]uint32{}}
}

// ShownTables returns Tables for a caller that shows names as these tables have them:
// patterns stand for names that are shown, and for English ones.
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

// Name is what a path asks for as an object or counter.
type Name struct {
	pattern winperf.Pattern
	title   uint32   // that it is itself, as in #230; 0 = none
	tables  *Tables  // to look it up in
	titles  []uint32 // what it stands for there, rising; nil before it was looked up
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

// Resolve has the name looked up in tables, in place of others, when it is first needed: so
// a Name is for one goroutine at a time.
func (n *Name) Resolve(t *Tables) { n.tables, n.titles = t, nil }

// String returns the text that the Name was made of.
func (n *Name) String() string { return n.pattern.String() }

// Wildcard reports whether the name is a pattern.
func (n *Name) Wildcard() bool { return n.pattern.HasWildcard() }

// Everything reports whether the name is a pattern that every name matches.
func (n *Name) Everything() bool { return n.Wildcard() && strings.Trim(n.String(), "*") == "" }

// ByTitle reports whether the name is a title index, as in #230, so that it may mean a thing
// of any name.
func (n *Name) ByTitle() bool { return n.title != 0 }

// Titles are the title indices that the name stands for in its tables, rising. A pattern
// has none: it depends on what is there. They must not be changed.
func (n *Name) Titles() []uint32 {
	if n.titles == nil && n.tables != nil && !n.Wildcard() {
		n.titles = n.tables.lookup(n.String())
	}
	return n.titles
}

// Is reports whether the name stands for what has a title index, 0 for none, and is
// called name. name is "" for what is called as the tables of Resolve say.
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
