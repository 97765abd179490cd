package consumer

import (
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// Compile implements winperf.Source. For each wanted set the query reads all counters, because
// formulas use several of them, and the instances that match all paths. A query for names only
// enumerates all instances of each set.
func (s *source) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if err := selection.CheckMachine(sel.Paths, s.machine); err != nil {
		return nil, err
	}
	schema, err := s.Schema(ctx)
	if err != nil {
		return nil, err
	}

	names, _ := nametable.FromSchema(schema) // readers of the schema get its damage
	parts := selection.Resolve(sel, names)
	var ids []counterset.Identifier
	var infos []*counterset.Info
	for _, set := range schema.Sets {
		if filter, selected := selects(parts, set); selected {
			id := counterset.Identifier{Set: set.GUID, Counter: counterset.Any, InstanceID: counterset.Any}
			info, _ := counterset.ParseInfo(set.Info)
			if info != nil && !info.Single() {
				id.Instance = filter
			}
			ids, infos = append(ids, id), append(infos, info)
		}
	}

	q := newQuery(s)
	if sel.Metadata {
		err = q.session.describe(ids)
	} else if sel.NamesOnly {
		err = q.session.enumerate(ids, infos)
	} else if left := q.line.Do(ctx, 0, func(context.Context) { err = q.session.start(ids) }); left != nil {
		err = fmt.Errorf("compile: %w", left)
	}

	if err != nil {
		_ = q.Close()
		return nil, err
	}
	return q, nil
}

// selects reports whether a set is wanted, and returns the filter for its instances.
func selects(parts []selection.Part, set winperf.CounterSet) (filter string, selected bool) {
	object := selection.Object{ID: winperf.ObjectID{Index: set.Title, GUID: set.GUID}}
	for i := range parts {
		p := &parts[i]
		if p.Requests(object) == selection.NoMatch {
			continue
		}

		of := counterset.AllInstances
		if p.Path != nil {
			of = pathFilter(p.Path.Original)
		}

		if !selected {
			filter = of
			selected = true
		} else if !strings.EqualFold(of, filter) {
			filter = counterset.AllInstances
		}
	}
	return filter, selected
}

// pathFilter returns the filter of a path for Windows: it matches all instances that the path may
// mean, and in simple cases no others. A # may be part of a name, or precede a number that counts
// instances of one name.
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
