package summary

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
)

// lifetimes finds the instances that paths without wildcards name. (svchost) is the first process of that
// name, which can change when a process ends. A row covers the whole lifetime of a process, so all
// instances of the name are read, and instances that a path never named are omitted.
type lifetimes struct {
	matchers []winperf.Matcher
	widened  []bool // by path: all instances of the name are read
	named    []bool // by path: it named an instance

	rows    map[string]bool // by logs.Gatherer.Name: rows of widened paths that a path named
	present logs.View       // values of a path
}

func newLifetimes(requested []winperf.Path) (lifetimes, []winperf.Path) {
	l := lifetimes{
		widened: make([]bool, len(requested)), named: make([]bool, len(requested)),
		rows: map[string]bool{},
	}
	var read []winperf.Path
	for i, p := range requested {
		l.matchers = append(l.matchers, p.Matcher())
		instance := winperf.Path{Instance: p.Instance, Index: p.Index, HasInstance: true}
		if p.HasInstance && p.Instance != "" && !instance.HasWildcard() {
			l.widened[i] = true
			p.Index = winperf.AnyIndex
		}
		read = append(read, p)
	}
	return l, read
}

func (l *lifetimes) add(cycle *measure.Cycle, g *logs.Gatherer) {
	for w := range cycle.ColumnParts {
		if w >= len(l.widened) || !l.widened[w] {
			continue
		}
		for _, c := range l.present.Named(cycle.Part(w)) {
			for _, s := range c.AllSeries() {
				l.addSeries(s, w, g.Name(s))
			}
		}
	}
}

// addSeries records whether path w names a series; name is the gatherer's name for it.
func (l *lifetimes) addSeries(s *winperf.Series, w int, name string) {
	switch {
	case l.matchers[w].Instance(s.Path.Instance, s.Path.Index):
		l.named[w], l.rows[name] = true, true
	case !l.rows[name]:
		l.rows[name] = l.other(&s.Path, w)
	}
}

func (l *lifetimes) other(p *winperf.Path, w int) bool {
	for i := range l.matchers {
		m := &l.matchers[i]
		if i != w && m.Object(p.Object) && m.Counter(p.Counter) && m.Instance(p.Instance, p.Index) {
			l.named[i] = true
			return true
		}
	}
	return false
}

func (l *lifetimes) finish(t *input.Tally) {
	for w, widened := range l.widened {
		if widened && t.Served[w] && !l.named[w] {
			t.Served[w], t.Last[w] = false, counter.NoInstance
		}
	}
}

func (l *lifetimes) has(name string) bool {
	named, widened := l.rows[name]
	return named || !widened
}
