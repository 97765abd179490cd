package perflib

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/nametable"
)

// Compile implements winperf.Source. Of each set that is wanted the query asks
// for all counters, as their formulas need one another, and for the instances
// that all paths have in common.
func (s *source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	for _, p := range sel.Paths {
		if p.Machine != "" && !strings.EqualFold(p.Machine, s.machine) {
			return nil, fmt.Errorf("%s: %w: this one is %s", p, winperf.ErrNoMachine, s.machine)
		}
	}
	schema, err := s.Schema(ctx)
	if err != nil {
		return nil, err
	}
	names, _ := nametable.FromSchema(schema) // who reads the schema is told of its damage
	var ids []counterset.Identifier
	for _, set := range schema.Sets {
		if filter, wanted := wants(sel, set, names); wanted {
			id := counterset.Identifier{Set: set.GUID, Counter: counterset.Any, InstanceID: counterset.Any}
			if info, _ := counterset.ParseInfo(set.Info); info != nil && !info.Single() {
				id.Instance = filter
			}
			ids = append(ids, id)
		}
	}
	q := newQuery(s)
	if sel.Metadata {
		err = q.session.describe(ids)
	} else if left := q.line.Do(ctx, 0, func(context.Context) { err = q.session.start(ids) }); left != nil {
		err = fmt.Errorf("compile: %w", left)
	}
	if err != nil {
		_ = q.Close()
		return nil, err
	}
	return q, nil
}

// wants tells whether a set is wanted, and the filter for its instances.
func wants(sel winperf.Selection, set winperf.CounterSet, names *nametable.Names) (filter string, wanted bool) {
	id := winperf.ObjectID{Index: set.Title, GUID: set.GUID}
	if sel.Global || slices.ContainsFunc(sel.Objects, id.Is) {
		return counterset.AllInstances, true
	}
	for _, p := range sel.Paths {
		if !names.Matches(p.Object, set.Title) {
			continue
		}
		if f := pathFilter(p); !wanted {
			filter, wanted = f, true
		} else if !strings.EqualFold(f, filter) {
			filter = counterset.AllInstances
		}
	}
	return filter, wanted
}

// pathFilter is what Windows is asked for: all that a path may mean, and where
// that is simple nothing else. A # may be part of a name, and a number behind it
// counts instances of one name.
func pathFilter(p winperf.Path) string {
	filter := p.Instance
	if p.Index != 0 {
		filter += counterset.AllInstances
	}
	if filter == "" || len(filter) > counterset.MaxInstanceName {
		return counterset.AllInstances
	}
	return filter
}
