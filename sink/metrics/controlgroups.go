package metrics

import "github.com/winperf/winperf/sink/metrics/internal/groups"

// controlGroups has the control groups of the processes in two samples.
type controlGroups struct {
	of          func(id uint64) string // Options.ControlGroup
	now, before map[processKey]controlGroup
}

// processKey identifies a process by its id and its start, in the unit of the sample.
type processKey struct{ id, started uint64 }

type controlGroup struct {
	path    string
	lookups int
}

func newControlGroups(of func(id uint64) string) *controlGroups {
	return &controlGroups{of: of, now: map[processKey]controlGroup{}, before: map[processKey]controlGroup{}}
}

// next begins a sample.
func (c *controlGroups) next() {
	c.now, c.before = c.before, c.now
	clear(c.now)
}

// name returns the control group of a process. It looks it up in the first two samples that have the
// process, because a new process may move to its control group shortly after its start.
func (c *controlGroups) name(_ string, r *rawProcess) string {
	k := processKey{r.values[processID], r.values[processStart]}
	g := c.before[k]
	if g.lookups < 2 && c.of != nil {
		g.lookups++
		if path := c.of(k.id); path != "" {
			g.path = path
		}
	}
	c.now[k] = g
	if g.path == "" {
		return groups.Other
	}
	return g.path
}
