package sensor

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Missing takes one sample of the paths in each origin, with instances named by rules. For each path it
// returns the part that is missing: counter.NoObject, NoCounter or NoInstance, from the origin that has
// most of the path. The status is counter.OK if an origin has the whole path, with or without a value,
// and if no origin answered. Path i is searched in an origin if only(i, origin) is true; a nil only
// selects all.
//
// answered lists the origins that returned a sample. If it is empty, err is the last origin's error.
func Missing(
	ctx context.Context, origins []Origin, paths []winperf.Path, only func(int, Origin) bool,
	names []measure.NameRule,
) (parts []counter.Status, answered []Origin, err error) {
	parts = make([]counter.Status, len(paths))
	known := make([]bool, len(paths))
	for _, o := range origins {
		var requested []int
		var sel winperf.Selection
		for i, p := range paths {
			if only == nil || only(i, o) {
				requested = append(requested, i)
				sel.Paths = append(sel.Paths, p)
			}
		}
		if len(requested) == 0 {
			continue
		}

		lacks, failed := missingIn(ctx, o.Source, sel, names)
		if failed != nil {
			err = failed
			continue
		}
		answered = append(answered, o)
		for k, i := range requested {
			if !known[i] || lacks[k] < parts[i] { // OK is less than NoInstance, NoCounter, NoObject
				parts[i], known[i] = lacks[k], true
			}
		}
	}

	if len(answered) > 0 {
		err = nil
	}
	return parts, answered, err
}

func missingIn(
	ctx context.Context, src winperf.Source, sel winperf.Selection, names []measure.NameRule,
) ([]counter.Status, error) {
	m := measure.New(src, sel, measure.Options{CostlyTogether: true, Names: names})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if err != nil {
		return nil, err
	}

	parts := make([]counter.Status, len(sel.Paths))
	for i := range parts {
		parts[i] = counter.NoInstance
		if columns := cycle.Part(i); len(columns) > 0 {
			parts[i] = counter.OK
			if status := columns[0].Status[0]; status.NamesNothing() {
				parts[i] = status
			}
		}
	}
	return parts, nil
}
