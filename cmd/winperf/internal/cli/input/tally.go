package input

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Tally keeps which paths have had a value.
type Tally struct {
	Cycles, missed, Damaged int

	// Samples are missed while the program is stopped, too. The signal that it goes on may come
	// shortly after the sample that notices them, so they wait for the next one.
	stopped   int         // missed because of that
	undecided int         // missed before the last sample
	resumed   bool        // the last sample was the first one after a stop
	Continued func() bool // the program went on after a stop since the last call; nil: it never does

	Served       []bool
	Last         []counter.Status // of each path's last reading without a value, else OK
	explained    []bool
	explanations int
	damage       []error // of the first damaged sample, until it is reported
	Denied       Denied
	Notices      []error // the first of each kind
}

// NewTally returns a tally for a number of paths.
func NewTally(paths int) Tally {
	return Tally{
		Served:    make([]bool, paths),
		Last:      make([]counter.Status, paths),
		explained: make([]bool, paths),
	}
}

// Count counts the values of a cycle.
func (t *Tally) Count(c *measure.Cycle) {
	t.Cycles++
	t.Miss(c.Missed)
	t.CountDamage(c)
	t.Denied.Count(c)

	for w := range c.ColumnParts[:min(len(c.ColumnParts), len(t.Served))] { // the user did not ask for others
		columns := c.Part(w)
		for i := range columns {
			t.countColumn(w, &columns[i])
		}
		if len(columns) == 0 {
			t.Served[w] = true // another path has it
		}
	}
}

// countColumn counts a column of a path.
func (t *Tally) countColumn(w int, c *winperf.Column) {
	t.Served[w] = t.Served[w] || slices.Contains(c.Status, counter.OK)
	if n := c.Len(); n > 0 && !t.Served[w] {
		t.Last[w] = c.Status[n-1]
	}
}

// Miss counts samples that were missed since the sample before, and decides why those before that were.
// The first sample after a stop is late, so that the one behind it may be missed because of that, too.
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

// CountDamage notes what is wrong with a sample.
func (t *Tally) CountDamage(c *measure.Cycle) {
	t.Notices = console.AddNotices(t.Notices, c.Damage)
	if damage := console.Costly(c.Damage); len(damage) > 0 {
		if t.Damaged++; t.Damaged == 1 && t.damage == nil { // else that of a first look
			t.damage = damage
		}
	}
}

// ReportDamage reports the damage of the first damaged sample, once, and notices that
// were not told yet.
func (t *Tally) ReportDamage(a *console.App) {
	a.Notice(t.Notices)
	a.Damaged(t.damage)
	t.damage = nil
}

// ReportCounts says how many samples were missed or damaged; slow is what may have been too slow
// for them, besides the machine.
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

// Unmatched reports whether a path has had no value and matches nothing.
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

// Nothing reports whether every path named nothing.
func (t *Tally) Nothing() bool { return t.none(counter.Status.NamesNothing) }

// Hopeless reports whether no path names a counter that is there.
func (t *Tally) Hopeless() bool { return t.none(catalogue.Absent) }

// none reports whether no path has had a value and the last statuses of all are such.
func (t *Tally) none(such func(counter.Status) bool) bool {
	return !t.Any() && !slices.ContainsFunc(t.Last, func(s counter.Status) bool { return !such(s) })
}
