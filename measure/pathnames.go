package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// pathNames is a path ready to be compared with what a sample holds: names
// are looked up in every language once, so that samples are compared by title
// index.
type pathNames struct {
	matcher winperf.Matcher
	object  nameMatcher
	counter nameMatcher
}

func newPathNames(p winperf.Path) pathNames {
	return pathNames{
		matcher: p.Matcher(),
		object:  nameMatcher{pattern: winperf.CompilePattern(p.Object)},
		counter: nameMatcher{pattern: winperf.CompilePattern(p.Counter)},
	}
}

func (p *pathNames) resolve(titles titleCache) {
	p.object.resolve(titles)
	p.counter.resolve(titles)
}

func (p *pathNames) machine(name string) bool { return p.matcher.Machine(name) }

// instance compares with instance i. A single-instance object is written
// without parentheses, and any other with them; (*) is accepted for both, as
// Windows logs hold it.
func (p *pathNames) instance(single bool, labels *frame.Labels, i int) bool {
	if single {
		return !p.matcher.WantsInstance() || p.matcher.Instance("", 0)
	}
	return p.matcher.WantsInstance() && p.matcher.Instance(labels.Full(i), labels.Occurrence(i))
}

// titleCache looks names up, each once: paths share most of them, and a name
// table is searched from end to end.
type titleCache struct {
	names *nametable.Names
	found map[string][]uint32
}

func (c titleCache) lookup(name string) []uint32 {
	titles, known := c.found[name]
	if !known {
		titles = c.names.Lookup(name)
		c.found[name] = titles
	}
	return titles
}

// nameMatcher compares the name of an object or counter, given by title index,
// with a pattern: in the language of output, in English, and without wildcards
// in any other language there is.
type nameMatcher struct {
	pattern winperf.Pattern
	titles  []uint32 // all indices with this very name, rising
}

func (m *nameMatcher) wildcard() bool { return m.pattern.HasWildcard() }

func (m *nameMatcher) resolve(titles titleCache) {
	if !m.wildcard() {
		m.titles = titles.lookup(m.pattern.String())
	}
}

func (m *nameMatcher) is(p *plan, title uint32) bool {
	if !m.wildcard() {
		_, found := slices.BinarySearch(m.titles, title)
		return found
	}
	return m.pattern.Match(p.names.Title(title)) || m.pattern.Match(p.english.Title(title))
}
