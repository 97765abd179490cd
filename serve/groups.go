package serve

import (
	"context"
	"errors"

	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics"
)

// Errors of impossible groups.
var (
	errNoOwners = errors.New("process_groups: user: this source has no owners of processes; group by name")
	errNoPaths  = errors.New("process_groups: control_group: this source has no control groups of processes; " +
		"group by name")
)

// addGroups adds the groups of processes to the mapping.
func (e *Exporter) addGroups(ctx context.Context) error {
	e.mapping.Groups = e.opt.grouping()
	switch by := e.mapping.Groups.By; {
	case by == metrics.ByControlGroup && e.mapping.ControlGroup == nil:
		return errNoPaths
	case by != metrics.ByUser:
		return nil
	}
	schema, err := e.src.Schema(ctx)
	if err != nil {
		return err
	}
	names, _ := nametable.FromSchema(schema)
	if len(names.In(nametable.English).Lookup("User ID")) == 0 {
		return errNoOwners
	}
	return nil
}
