package logs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
)

// counterName identifies a counter, in lower case.
type counterName struct{ machine, object, counter string }

func counterNameOf(p winperf.Path) counterName {
	return counterName{strings.ToLower(p.Machine), strings.ToLower(p.Object), strings.ToLower(p.Counter)}
}

// sameCounters checks that a recording has the counters of the log's columns. Instances of a
// wildcard may differ.
type sameCounters struct {
	columns []*winperf.Series
	names   map[counterName]bool
	texts   map[string]bool
}

func newSameCounters(head *pdhtext.Head) *sameCounters {
	s := &sameCounters{columns: head.Columns, names: map[counterName]bool{}, texts: map[string]bool{}}
	for _, column := range head.Columns {
		s.names[counterNameOf(column.Path)] = true
		s.texts[column.Path.String()] = true
	}
	return s
}

const inAnother = "write other counters to another file"

// check compares the columns with the readings of a cycle. Each part belongs to one of the paths;
// without paths everything is recorded.
func (s *sameCounters) check(paths []winperf.Path, c *measure.Cycle) error {
	recorded, every := map[string]bool{}, map[counterName]bool{}
	var named View
	for w := range c.ColumnParts {
		wildcard := len(paths) == 0 || everyInstance(paths[w])
		for _, of := range named.Named(c.Part(w)) {
			name := counterNameOf(of.Counter().Path)
			every[name] = every[name] || wildcard
			for _, series := range of.AllSeries() {
				if !s.has(series.Path, wildcard) {
					return fmt.Errorf("the file has no column for %s; %s", series.Path, inAnother)
				}
				recorded[series.Path.String()] = true
			}
		}
	}

	for _, column := range s.columns {
		p := column.Path
		if !recorded[p.String()] && !every[counterNameOf(p)] && !isSelected(paths, column) {
			return fmt.Errorf("the file has a column for %s, which is not recorded; %s", p, inAnother)
		}
	}
	return nil
}

// has reports whether a reading has a column, or with wildcard another instance has. A column
// without machine belongs to a path without a match.
func (s *sameCounters) has(p winperf.Path, wildcard bool) bool {
	anywhere := p
	anywhere.Machine = ""
	return s.texts[p.String()] || s.names[counterNameOf(anywhere)] || wildcard && s.names[counterNameOf(p)]
}

func isSelected(paths []winperf.Path, column *winperf.Series) bool {
	return slices.ContainsFunc(paths, func(p winperf.Path) bool {
		path := selection.NewPath(p)
		return path.Series(column) == counter.OK
	})
}

// everyInstance reports whether a path has varying instances.
func everyInstance(p winperf.Path) bool {
	return winperf.Path{HasInstance: p.HasInstance, Instance: p.Instance, Index: p.Index}.HasWildcard()
}
