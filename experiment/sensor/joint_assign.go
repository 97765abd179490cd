package sensor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// Join returns a Joint over several sources. Each path of the selection is measured in the sources of its
// machine; if any of them has its object, only in sources that have it. A path with wildcards for machine and
// object is measured in all. Whole objects and classes of objects are measured in every source, and the
// paths of an origin in that origin: see [Assign] for sensors. Options of [measure.Watch] have no effect.
//
// The error wraps winperf.ErrNoMachine where a path names a machine that no source reads. A source whose
// names cannot be read returns its own error.
func Join(ctx context.Context, origins []Origin, sel winperf.Selection, opt measure.Options) (*Joint, error) {
	known, err := knowOrigins(ctx, origins)
	if err != nil {
		return nil, err
	}

	for _, p := range sel.Paths {
		if err := assign(known, p); err != nil {
			return nil, err
		}
	}
	for i := range known {
		rest := sel
		rest.Paths = append(known[i].sel.Paths, known[i].Paths...)
		known[i].sel = rest
	}
	return newJoint(known, opt), nil
}

// knownOrigin is an origin with its name tables and its part of the selection.
type knownOrigin struct {
	Origin
	names *selection.Tables
	sel   winperf.Selection
}

func knowOrigins(ctx context.Context, origins []Origin) ([]knownOrigin, error) {
	if len(origins) == 0 {
		return nil, errors.New("no sources, need at least one")
	}
	var known []knownOrigin
	for _, o := range origins {
		if slices.ContainsFunc(known, func(k knownOrigin) bool { return strings.EqualFold(k.Name, o.Name) }) {
			return nil, fmt.Errorf("two sources are called %q", o.Name)
		}
		schema, err := o.Source.Schema(ctx)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", o.Name, err)
		}

		if schema == nil {
			schema = &winperf.Schema{}
		}
		names, _ := nametable.FromSchema(schema) // damage is reported with the samples
		known = append(known, knownOrigin{Origin: o, names: selection.NewTables(names)})
	}
	return known, nil
}

// assign adds a path to the selections of the sources that it applies to.
func assign(known []knownOrigin, p winperf.Path) error {
	path := selection.NewPath(p)
	var candidates, knows []int
	for i := range known {
		if name := known[i].Source.Describe().Machine; name != "" && !path.Machine(name) {
			continue
		}
		candidates = append(candidates, i)
		path.Object.Resolve(known[i].names)
		if len(path.Object.Titles()) > 0 {
			knows = append(knows, i)
		}
	}

	if len(candidates) == 0 {
		return fmt.Errorf("%s: %w", p, winperf.ErrNoMachine)
	}
	if own := strings.EqualFold(p.Object, "winperf"); len(knows) > 0 && !own {
		candidates = knows
	}

	for _, i := range candidates {
		known[i].sel.Paths = append(known[i].sel.Paths, p)
	}
	return nil
}

func newJoint(known []knownOrigin, opt measure.Options) *Joint {
	opt.Clock = schedule.OrSystem(opt.Clock)
	j := &Joint{clock: opt.Clock, state: initialized}
	for _, k := range known {
		if sel := &k.sel; len(sel.Paths) > 0 || len(sel.Objects) > 0 || sel.Global || sel.Costly {
			j.members = append(j.members, newMember(k.Origin, k.sel, opt))
		}
	}
	return j
}
