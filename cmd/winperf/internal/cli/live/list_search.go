package live

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/nametable"
)

// search is the argument of list. The first successful interpretation is used: a counter path, an object's
// name or number, a pattern for names, words of names and help texts.
type search struct {
	text  string
	given string          // the argument
	path  *selection.Path // nil if the text is not a path
	name  selection.Name
	only  bool // search only names of objects
	words []winperf.Pattern
}

func newSearch(text string, is winperf.Description) *search {
	s := &search{text: text, given: text, only: strings.HasPrefix(text, `\`)}
	if p, err := winperf.ParsePath(text); err == nil {
		path := selection.NewPath(thismachine.Paths([]winperf.Path{p}, is)[0])
		s.path = &path
	}
	if s.only {
		s.text = strings.Trim(text, `\`)
	}

	s.name = selection.NewName(s.text)
	for word := range wordsOf(s.text, isWordOrWildcard) {
		s.words = append(s.words, winperf.CompilePattern(word))
	}
	return s
}

func (s *search) all() bool { return s.text == "*" }

func (s *search) inWords(texts ...string) bool {
	if s.only || len(s.words) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.words, func(word winperf.Pattern) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return hasWord(text, word) })
	})
}

func hasWord(text string, word winperf.Pattern) bool {
	for w := range wordsOf(text, isWord) {
		if word.Match(w) {
			return true
		}
		for part := range partsOf(w) {
			if word.Match(part) {
				return true
			}
		}
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isWordOrWildcard(r rune) bool { return isWord(r) || r == '*' || r == '?' }

func wordsOf(text string, belongs func(rune) bool) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !belongs(r) })
}

// partsOf returns the parts of a compound word such as PhysicalDisk.
func partsOf(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from, before := 0, rune(0)
		for at, r := range word {
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				if !yield(word[from:at]) {
					return
				}
				from = at
			}
			before = r
		}
		yield(word[from:])
	}
}

type finding struct {
	catalogue.KnownObject
	include func(catalogue.KnownInstance) bool // selects the shown instances; nil for all
	brief   bool                               // found by its counters: only these are shown
}

func (f *finding) shown() iter.Seq[catalogue.KnownInstance] {
	return func(yield func(catalogue.KnownInstance) bool) {
		for in := range f.Instances() {
			if (f.include == nil || f.include(in)) && !yield(in) {
				return
			}
		}
	}
}

type way struct {
	object func(catalogue.KnownObject) (finding, bool)
	series func(*winperf.Series) bool
}

// find returns the matching objects, sorted by name, and series of displayable values, which may be
// incomplete.
func (l *lister) find(f frame.Frame) (found []finding, series []*winperf.Series) {
	tables := selection.ShownTables(l.table)
	l.search.name.Resolve(tables)
	if l.search.path != nil {
		l.search.path.Resolve(tables)
	}
	l.english = l.table.In(nametable.English)

	for _, w := range []way{
		{l.byPath, l.search.inPath},
		{l.byObject, l.search.named},
		{l.byName, l.search.named},
		{l.byWords, func(s *winperf.Series) bool { return l.search.inWords(s.Path.Object, s.Path.Counter) }},
	} {
		for v := range f.Values() {
			not := func(s *winperf.Series) bool { return !w.series(s) }
			series = append(series, slices.DeleteFunc(slices.Clone(v.AllSeries()), not)...)
		}
		for o := range f.Objects() {
			same := func(g finding) bool { return g.ID == o.ID() && g.Machine == o.Machine() }
			if one, is := w.object(catalogue.NewObject(o, l.table)); is && !slices.ContainsFunc(found, same) {
				found = append(found, one)
			}
		}
		if len(found)+len(series) > 0 {
			break
		}
	}

	sorted.Func(found, func(a, b finding) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return found, series
}

// briefly returns an object with only some counters, if it has any of them.
func briefly(o catalogue.KnownObject, include func(catalogue.KnownCounter) bool) (finding, bool) {
	o.Counters = slices.DeleteFunc(o.Counters, func(c catalogue.KnownCounter) bool { return !include(c) })
	return finding{KnownObject: o, brief: true}, len(o.Counters) > 0
}

func (l *lister) byPath(o catalogue.KnownObject) (finding, bool) {
	p := l.search.path
	if p == nil || !p.Machine(o.Machine) || !p.Object.Is(o.ID.Index, "") || !p.Fits(!o.Multi) {
		return finding{}, false
	}

	found, is := briefly(o, func(c catalogue.KnownCounter) bool { return p.Counter.Is(c.Of.ID.Index, "") })
	found.brief = false
	if !o.Multi || !is {
		return found, is
	}

	found.include = func(in catalogue.KnownInstance) bool { return p.Instance(in.Name, in.Occurrence) }
	for range found.shown() {
		return found, true
	}
	return found, p.EveryInstance()
}

func (l *lister) byObject(o catalogue.KnownObject) (finding, bool) {
	name, title := &l.search.name, o.ID.Index
	is := !name.Wildcard() && name.Is(title, "")
	return finding{KnownObject: o}, is || slices.Contains(input.TitlesOf(l.table, l.search.text), title)
}

func (l *lister) byName(o catalogue.KnownObject) (finding, bool) {
	name := &l.search.name
	switch {
	case !name.Wildcard():
		return finding{}, false
	case name.Is(o.ID.Index, ""):
		return finding{KnownObject: o}, true
	case l.search.only:
		return finding{}, false
	}
	return briefly(o, func(c catalogue.KnownCounter) bool { return name.Is(c.Of.ID.Index, "") })
}

// byWords searches counters by words of their and their object's names and help texts, in the chosen
// language and in English.
func (l *lister) byWords(o catalogue.KnownObject) (finding, bool) {
	english := []string{l.english.Title(o.ID.Index), l.english.Help(o.Of.Help())}
	return briefly(o, func(c catalogue.KnownCounter) bool {
		texts := append(english, l.english.Title(c.Of.ID.Index), l.english.Help(c.Of.Help))
		return l.search.inWords(append(texts, o.Name, o.Help, c.Name, c.Help)...)
	})
}

func (s *search) inPath(of *winperf.Series) bool {
	return s.path != nil && s.path.Series(of) == counter.OK
}

func (s *search) named(of *winperf.Series) bool {
	ofCounter := !s.only && s.name.Wildcard() && s.name.Is(0, of.Path.Counter)
	return ofCounter || s.name.Is(0, of.Path.Object)
}

// nothing returns the error for a search without result; empty is the error for an empty source.
func (s *search) nothing(empty string, c *catalogue.Catalogue) error {
	path := c.Unquoted(s.text)
	switch {
	case s.all():
		return errors.New(empty)
	case path != "":
		return fmt.Errorf("no object matches %q; quote the path: '%s'", s.text, path)
	case s.path != nil && s.only:
		const form = "%s: no counter matches this path%s"
		return fmt.Errorf(form, s.given, hintOf(s.given, c))
	case len(s.words) > 1:
		const form = "no counter has the words %q in its name or help text, or in its object's"
		return fmt.Errorf(form, s.text)
	}
	return fmt.Errorf("no object matches %q%s", s.text, console.DidYouMeanOr(s.text, c.ObjectNames(), toList))
}

const toList = "; winperf list shows the objects"

// hintOf returns the next step after a path without a match.
func hintOf(path string, c *catalogue.Catalogue) string {
	p, _ := winperf.ParsePath(path) // newSearch has parsed it
	for name := range c.ObjectNames() {
		if strings.EqualFold(name, p.Object) {
			return fmt.Sprintf("; winperf list %q shows the counters of this object", name)
		}
	}
	return console.DidYouMeanOr(p.Object, c.ObjectNames(), toList)
}
