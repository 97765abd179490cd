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
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/nametable"
)

// search is what list looks for. It is read in the first of these ways that finds
// something: as a counter path, as an object's name or number, as a pattern of names
// of objects and counters, as words of names and help texts.
type search struct {
	text  string
	path  *selection.Path // nil where the text is none
	name  selection.Name
	only  bool // names are those of objects
	words []winperf.Pattern
}

func newSearch(text string, is winperf.Description) *search {
	s := &search{text: text, only: strings.HasPrefix(text, `\`)}
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

// all reports whether everything is looked for.
func (s *search) all() bool { return s.text == "*" }

// inWords reports whether all words stand in the texts.
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

// wordsOf yields the runs of characters that belong to words.
func wordsOf(text string, belongs func(rune) bool) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !belongs(r) })
}

// partsOf yields what a word such as PhysicalDisk was put together from.
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

// finding is an object that was found, with what of it is shown.
type finding struct {
	frame.Object
	counters  []int // their positions
	instances []int // their positions
	brief     bool  // found by its counters, so that only these are shown of it
}

// find returns what is looked for in a sample, ordered by the names of objects.
func (l *lister) find(f frame.Frame) []finding {
	tables := selection.ShownTables(l.table)
	l.search.name.Resolve(tables)
	if l.search.path != nil {
		l.search.path.Resolve(tables)
	}

	l.english = l.table.In(nametable.English)

	for _, way := range []func(frame.Object) (finding, bool){l.byPath, l.byObject, l.byName, l.byWords} {
		var found []finding
		for o := range f.Objects() {
			same := func(g finding) bool { return g.ID() == o.ID() && g.Machine() == o.Machine() }
			if one, is := way(o); is && !slices.ContainsFunc(found, same) {
				found = append(found, one)
			}
		}

		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b finding) int {
				return strings.Compare(strings.ToLower(l.name(a.Object)), strings.ToLower(l.name(b.Object)))
			})
			return found
		}
	}
	return nil
}

// wholeObject is an object of which everything is shown.
func wholeObject(o frame.Object) (finding, bool) {
	return finding{Object: o, counters: catalogue.ShownCounters(o), instances: selected(o.Len(), nil)}, true
}

// briefly is an object of which only some counters are shown, if there are any.
func briefly(o frame.Object, wants func(c frame.Counter) bool) (finding, bool) {
	found, _ := wholeObject(o)
	found.brief = true
	found.counters = slices.DeleteFunc(found.counters, func(k int) bool { return !wants(o.Counter(k)) })
	return found, len(found.counters) > 0
}

// selected returns the positions of those of n things that are wanted; nil wants all.
func selected(n int, wants func(i int) bool) []int {
	var all []int
	for i := range n {
		if wants == nil || wants(i) {
			all = append(all, i)
		}
	}
	return all
}

// byPath finds what a path names.
func (l *lister) byPath(o frame.Object) (finding, bool) {
	p := l.search.path
	if p == nil || !p.Machine(o.Machine()) || !p.Object.Is(o.ID().Index, "") || !p.Fits(o.Single()) {
		return finding{}, false
	}

	found, is := briefly(o, func(c frame.Counter) bool { return p.Counter.Is(c.ID.Index, "") })
	found.brief = false
	if o.Single() {
		return found, is
	}

	found.instances = selected(o.Len(), func(i int) bool {
		in := o.Instance(i)
		return p.Instance(in.Full(), in.Occurrence())
	})
	return found, is && (len(found.instances) > 0 || p.EveryInstance())
}

// byObject finds the object of a name, or a number, in any language.
func (l *lister) byObject(o frame.Object) (finding, bool) {
	title := o.ID().Index
	name := &l.search.name
	if !name.Wildcard() && name.Is(title, "") || slices.Contains(input.TitlesOf(l.table, l.search.text), title) {
		return wholeObject(o)
	}
	return finding{}, false
}

// byName finds objects and counters by a pattern.
func (l *lister) byName(o frame.Object) (finding, bool) {
	name := &l.search.name
	switch {
	case !name.Wildcard():
		return finding{}, false
	case name.Is(o.ID().Index, ""):
		return wholeObject(o)
	case l.search.only:
		return finding{}, false
	}
	return briefly(o, func(c frame.Counter) bool { return name.Is(c.ID.Index, "") })
}

// byWords finds counters by words of their names and help texts and of those of their object, in
// the chosen language and in English.
func (l *lister) byWords(o frame.Object) (finding, bool) {
	return briefly(o, func(c frame.Counter) bool {
		var texts []string
		for _, in := range []*nametable.Names{l.table, l.english} {
			texts = append(texts, in.Title(o.ID().Index), in.Help(o.Help()))
			texts = append(texts, in.Title(c.ID.Index), in.Help(c.Help))
		}
		return l.search.inWords(texts...)
	})
}

// named yields the instances that are shown: their positions, and their names as paths
// have them.
func (f *finding) named() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if f.Single() {
			return
		}
		for _, i := range f.instances {
			if !yield(i, catalogue.InstanceName(f.Instance(i))) {
				return
			}
		}
	}
}

// nothing says that nothing was found of what there is, or that there is nothing.
func (s *search) nothing(empty string, c *catalogue.Catalogue) error {
	path := c.Unquoted(s.text)
	switch {
	case s.all():
		return errors.New(empty)
	case path != "":
		return fmt.Errorf("no object matches %q; quote the path: '%s'", s.text, path)
	case len(s.words) > 1:
		const form = "no counter has the words %q in its name, its help text or those of its object"
		return fmt.Errorf(form, s.text)
	}
	return fmt.Errorf("no object matches %q%s", s.text, console.DidYouMean(s.text, c.ObjectNames()))
}

// findSeries returns what is looked for among the series of a log that holds displayable
// values, which has names and nothing else.
func (s *search) findSeries(series []*winperf.Series) []*winperf.Series {
	ways := []func(*winperf.Series) bool{
		func(one *winperf.Series) bool {
			return s.path != nil && s.path.Series(one) == counter.OK
		},
		func(one *winperf.Series) bool {
			ofCounter := !s.only && s.name.Wildcard() && s.name.Is(0, one.Path.Counter)
			return ofCounter || s.name.Is(0, one.Path.Object)
		},
		func(one *winperf.Series) bool { return s.inWords(one.Path.Object, one.Path.Counter) },
	}
	for _, is := range ways {
		other := func(one *winperf.Series) bool { return !is(one) }
		found := slices.DeleteFunc(slices.Clone(series), other)
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
