package nametable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
)

// Names are the name tables of several languages as one.
type Names struct {
	// languages are in the order they are asked: the chosen language, English, the others.
	languages []language
}

// language holds the tables of one language; each may be empty.
type language struct {
	id          string
	names, help *Table
}

// FromSchema reads the name tables of a schema. The first one is the language
// that names are shown in; see [Names.In]. Tables are read tolerantly, so that
// as many names as possible are there; the damage says in its Source which
// table it is of, such as "Counter 009". Empty tables count as absent, and nil
// as an empty schema.
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

// In returns the same names shown in another language, given as
// [ParseLanguage] takes it. What that language lacks is shown in English, and
// what English lacks in any other. Without such a language everything is shown
// in English.
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
	slices.SortStableFunc(view.languages, func(a, b language) int { return rank(a) - rank(b) })
	return view
}

// Tables returns the tables of a language, given as [Names.Languages] spells
// it; they are empty where there is no such language.
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

// Title returns the name of an object or counter, or "#" and the index where
// no language has one. It never returns "".
func (n *Names) Title(index uint32) string {
	if s, ok := n.Name(index); ok {
		return s
	}
	return "#" + strconv.FormatUint(uint64(index), 10)
}

// Help returns the help text of a help index, or "" where no language has one.
// The help index of an object or counter stands in the data beside its title
// index; that it is the next number is usual, not sure.
func (n *Names) Help(index uint32) string {
	for _, l := range n.languages {
		if s, ok := l.help.Name(index); ok {
			return s
		}
	}
	return ""
}

// Lookup returns all indices that have the name in any language, whatever the
// case of its letters, by rising index and each once. "#" and an index, as
// [Names.Title] shows it, is a name of that index.
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

// Matches reports whether a name, or a pattern with wildcards, stands for an index in
// any language. A pattern may also match what [Names.Title] shows where no language
// has a name.
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

// LookupCounter returns which of the title indices of one object's counters has
// the name. The titles come from the object's own definitions, without its base
// counters, which repeat the name of the counter before them; a title that
// stands there twice counts once. Where no title or more than one has the name
// the error says so and wraps [winperf.ErrNoCounter].
func (n *Names) LookupCounter(titles []uint32, name string) (uint32, error) {
	found := slices.DeleteFunc(n.Lookup(name),
		func(index uint32) bool { return !slices.Contains(titles, index) })
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, fmt.Errorf("%w as %q", winperf.ErrNoCounter, name)
	}
	return 0, fmt.Errorf("%w by the name %q alone: it stands for the title indices %d", winperf.ErrNoCounter,
		name, found)
}
