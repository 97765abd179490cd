package summary

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
)

// lifetimes finds the instances that paths without wildcards name. (svchost) is the first of that name,
// which is another process once the first one has ended. A row has the whole lifetime of its process,
// so all instances of the name are read, and instances that were never named are left out.
type lifetimes struct {
	matchers []winperf.Matcher
	widened  []bool // by path: all instances of its name are read
	named    []bool // by path: an instance was named

	rows    map[string]bool // by logs.Gatherer.Name: of the widened paths, whether a path named it
	present logs.View       // of a path
}

// newLifetimes returns the lifetimes of paths, and the paths to read.
func newLifetimes(asked []winperf.Path) (lifetimes, []winperf.Path) {
	l := lifetimes{
		widened: make([]bool, len(asked)), named: make([]bool, len(asked)),
		rows: map[string]bool{},
	}
	var read []winperf.Path
	for i, p := range asked {
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

// add notes which readings of a cycle the paths name.
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

// addSeries notes whether the path at w names a series, of which a gatherer has the name.
func (l *lifetimes) addSeries(s *winperf.Series, w int, name string) {
	switch {
	case l.matchers[w].Instance(s.Path.Instance, s.Path.Index):
		l.named[w], l.rows[name] = true, true
	case !l.rows[name]:
		l.rows[name] = l.other(&s.Path, w)
	}
}

// other reports whether another path than the one at w names an instance.
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

// finish notes in the tally the paths that named no instance, although others of the name were there.
func (l *lifetimes) finish(t *input.Tally) {
	for w, widened := range l.widened {
		if widened && t.Served[w] && !l.named[w] {
			t.Served[w], t.Last[w] = false, counter.NoInstance
		}
	}
}

// has reports whether a row is to be shown.
func (l *lifetimes) has(name string) bool {
	named, widened := l.rows[name]
	return named || !widened
}
