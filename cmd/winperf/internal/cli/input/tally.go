package input

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Tally records which paths had a value, and missed and damaged samples.
type Tally struct {
	Cycles, missed, Damaged int

	// Samples are also missed while the program is stopped. The signal to continue may arrive after the
	// sample that notices them, so they are assigned to a reason with the next sample.
	stopped   int         // missed for this reason
	undecided int         // missed before the last sample, reason unknown
	resumed   bool        // the last sample was the first after a stop
	Continued func() bool // reports whether the program continued after a stop since the last call; may be nil

	values       bool // any cycle had one
	Served       []bool
	Last         []counter.Status // status of each path's last reading without a value, otherwise OK
	explained    []bool
	explanations int
	damage       []error // damage of the first damaged sample, until reported
	Denied       Denied
	Notices      []error // first notice of each kind
}

// NewTally returns a tally for a number of paths.
func NewTally(paths int) Tally {
	return Tally{
		Served:    make([]bool, paths),
		Last:      make([]counter.Status, paths),
		explained: make([]bool, paths),
	}
}

// Choose continues with another number of paths, none of which had a value yet.
func (t *Tally) Choose(paths int) {
	chosen := NewTally(paths)
	t.Served, t.Last, t.explained = chosen.Served, chosen.Last, chosen.explained
}

// Count adds the values of a cycle.
func (t *Tally) Count(c *measure.Cycle) {
	t.Cycles++
	t.values = t.values || c.Len() > 0
	t.Miss(c.Missed)
	t.CountDamage(c)
	t.Denied.Count(c)

	for w := range c.ColumnParts[:min(len(c.ColumnParts), len(t.Served))] { // the user requested only these
		columns := c.Part(w)
		for i := range columns {
			t.countColumn(w, &columns[i])
		}
		if len(columns) == 0 {
			t.Served[w] = true // another path has the value
		}
	}
}

func (t *Tally) countColumn(w int, c *winperf.Column) {
	t.Served[w] = t.Served[w] || slices.Contains(c.Status, counter.OK)
	if n := c.Len(); n > 0 && !t.Served[w] {
		t.Last[w] = c.Status[n-1]
	}
}

// Miss adds n missed samples and assigns earlier ones to a reason. The first sample after a stop is late,
// so the next one may be missed for the same reason.
func (t *Tally) Miss(n int) {
	switch {
	case t.Continued != nil && t.Continued():
		t.stopped += t.undecided + n
		t.undecided, t.resumed = 0, true
	case t.resumed:
		t.stopped += n
		t.resumed = false
	default:
		t.missed += t.undecided
		t.undecided = n
	}
}

// CountDamage adds the damage of a sample.
func (t *Tally) CountDamage(c *measure.Cycle) {
	t.Notices = console.AddNotices(t.Notices, c.Damage)
	if damage := console.Costly(c.Damage); len(damage) > 0 {
		if t.Damaged++; t.Damaged == 1 && t.damage == nil { // or the damage of an earlier check
			t.damage = damage
		}
	}
}

// ReportDamage reports the damage of the first damaged sample once, and new notices.
func (t *Tally) ReportDamage(a *console.App) {
	a.Notice(t.Notices)
	a.Damaged(t.damage)
	t.damage = nil
}

// ReportCounts reports the numbers of missed and damaged samples; slow names a possible
// cause of delays in addition to the machine.
func (t *Tally) ReportCounts(a *console.App, slow string) {
	t.Miss(0)
	missed := func(n int, why string) {
		what := "1 sample was"
		if n > 1 {
			what = fmt.Sprintf("%d samples were", n)
		}
		if n > 0 {
			a.Complain(fmt.Errorf("%s missed %s", what, why))
		}
	}
	missed(t.stopped, "while the program was stopped")
	missed(t.missed, fmt.Sprintf("because the machine or the %s was too slow", slow))
	if t.Damaged > 1 {
		a.Complain(fmt.Errorf("%d of %d samples were damaged", t.Damaged, t.Cycles))
	}
}

// CheckExcluded returns an error if there were samples and --exclude leaves no value of them.
func (t *Tally) CheckExcluded(sel *SelectFlags) error {
	if t.Cycles > 0 && !t.values && len(sel.Exclude) > 0 {
		return errors.New("--exclude omits all values")
	}
	return nil
}

// Unmatched reports whether any path without a value matches nothing.
func (t *Tally) Unmatched() bool {
	for w, served := range t.Served {
		if !served && t.Last[w].NamesNothing() {
			return true
		}
	}
	return false
}

// Any reports whether any path has had a value.
func (t *Tally) Any() bool { return slices.Contains(t.Served, true) }

// Nothing reports whether no path matched anything.
func (t *Tally) Nothing() bool { return t.none(counter.Status.NamesNothing) }

// Hopeless reports whether no path names an existing counter.
func (t *Tally) Hopeless() bool { return t.none(catalogue.Absent) }

func (t *Tally) none(such func(counter.Status) bool) bool {
	return !t.Any() && !slices.ContainsFunc(t.Last, func(s counter.Status) bool { return !such(s) })
}
