// Package missing finds out which part of a path a source does not have.
package missing

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Parts takes one sample, with instances named by rules, and returns for each path which part of it the
// source does not have: counter.NoObject, NoCounter or NoInstance; or counter.OK if all is there, with or
// without a value. Of several sources the one with the lowest status has most of a path. The error is that of
// the sample.
func Parts(
	ctx context.Context, src winperf.Source, paths []winperf.Path, names []measure.NameRule,
) ([]counter.Status, error) {
	opt := measure.Options{CostlyTogether: true, Names: names}
	m := measure.New(src, winperf.Selection{Paths: paths}, opt)
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if err != nil {
		return nil, err
	}

	parts := make([]counter.Status, len(paths))
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
