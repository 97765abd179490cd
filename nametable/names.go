package nametable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
)

// Names combines the name tables of several languages.
type Names struct {
	// languages are in the order of lookup: the chosen language, English, the others.
	languages []language
}

type language struct {
	id          string
	names, help *Table
}

// FromSchema reads the name tables of a schema. The first language is the one shown; see
// [Names.In]. Tables are read tolerantly. The Source of each damage names its table, such
// as "Counter 009". Empty tables count as absent; a nil schema as empty.
func FromSchema(s *winperf.Schema) (*Names, []error) {
	n := &Names{}
	if s == nil {
		return n, nil
	}

	var damage []error
	for _, nt := range s.Names {
		id, err := ParseLanguage(nt.Language)
		if err != nil {
			id = nt.Language
			list := damageList{source: "name table"}
			whole := winperf.DataError{Offset: -1}
			damage = append(damage, list.damage(badLanguage, whole, fmt.Sprintf("%.40q", id)))
		}

		read := func(kind Kind, value string, b []byte) *Table {
			if len(b) == 0 {
				return &Table{kind: kind}
			}
			t, found := parse(value+" "+id, b, 0, Options{Kind: kind, Tolerant: true})
			damage = append(damage, found...)
			return t
		}
		n.languages = append(n.languages, language{id, read(Counter, "Counter", nt.Counter),
			read(Help, "Help", nt.Help)})
	}

	if len(n.languages) > 0 {
		n = n.In(n.languages[0].id)
	}
	return n, damage
}

// Languages returns the ids of all languages, the one that names are shown in first.
func (n *Names) Languages() []string {
	ids := make([]string, len(n.languages))
	for i, l := range n.languages {
		ids[i] = l.id
	}
	return ids
}

// In returns the same names shown in another language, in any form that [ParseLanguage]
// accepts. Names missing there are shown in English, then in any other language.
func (n *Names) In(lang string) *Names {
	if id, err := ParseLanguage(lang); err == nil {
		lang = id
	}
	rank := func(l language) int {
		switch l.id {
		case lang:
			return 0
		case English:
			return 1
		}
		return 2
	}

	view := &Names{languages: slices.Clone(n.languages)}
	sorted.Func(view.languages, func(a, b language) int { return rank(a) - rank(b) })
	return view
}

// Tables returns the tables of a language, as spelled by [Names.Languages]. They are empty
// if the language is missing.
func (n *Names) Tables(id string) (names, help *Table) {
	for _, l := range n.languages {
		if l.id == id {
			return l.names, l.help
		}
	}
	return &Table{kind: Counter}, &Table{kind: Help}
}

// Name returns the name of an object or counter and whether any language has one.
func (n *Names) Name(index uint32) (string, bool) {
	for _, l := range n.languages {
		if s, ok := l.names.Name(index); ok {
			return s, true
		}
	}
	return "", false
}

// Title returns the name of an object or counter, or "#" and the index if no language has
// one. It never returns "".
func (n *Names) Title(index uint32) string {
	if s, ok := n.Name(index); ok {
		return s
	}
	return "#" + strconv.FormatUint(uint64(index), 10)
}

// Help returns the help text of a help index, or "". An object's or counter's help index is
// in the data next to its title index; usually it is the next number.
func (n *Names) Help(index uint32) string {
	for _, l := range n.languages {
		if s, ok := l.help.Name(index); ok {
			return s
		}
	}
	return ""
}

// Lookup returns all indices that have the name in any language, whatever the case of its
// letters, by rising index and each once. "#" and an index, as [Names.Title] shows it, is a
// name of that index.
func (n *Names) Lookup(name string) []uint32 {
	var found []uint32
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if index, ok := parseIndex(digits, 1); ok {
			found = append(found, index)
		}
	}
	for _, l := range n.languages {
		found = append(found, l.names.lookup(name)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Matches reports whether an index has a name, in any language, that equals or matches p. A
// pattern also matches the title of an index without a name.
func (n *Names) Matches(p winperf.Pattern, index uint32) bool {
	if !p.HasWildcard() {
		return slices.Contains(n.Lookup(p.String()), index)
	}

	for _, l := range n.languages {
		if s, ok := l.names.Name(index); ok && p.Match(s) {
			return true
		}
	}
	_, named := n.Name(index)
	return !named && p.Match(n.Title(index))
}

// LookupCounter returns the title index with the name among the titles of one object's
// counters. Pass titles without base counters, because a base repeats the name of the
// counter before it; duplicate titles count once. If no title or several titles have the
// name, the error wraps [winperf.ErrNoCounter].
func (n *Names) LookupCounter(titles []uint32, name string) (uint32, error) {
	found := slices.DeleteFunc(n.Lookup(name),
		func(index uint32) bool { return !slices.Contains(titles, index) })
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, fmt.Errorf("%w as %q", winperf.ErrNoCounter, name)
	}
	return 0, fmt.Errorf("%w by the name %q alone: the title indices %d have this name", winperf.ErrNoCounter,
		name, found)
}
