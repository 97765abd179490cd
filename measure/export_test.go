package measure

import (
	"math"
	"slices"

	"github.com/winperf/winperf"
)

// What tests see of the state machine.

// States and Operations are the names of all of them.
var (
	States     = stateNames[:]
	Operations = operationNames[:]
)

// State is the state that a Measurement is in.
func (c *Measurement) State() string { return c.gate.state().String() }

// State is the state that a Joint is in.
func (j *Joint) State() string { return j.gate.state().String() }

// Allowed tells what the table of transitions says: the states during, after
// success and after failure, or nothing.
func Allowed(s, op string) []string {
	t := transitions[slices.Index(States, s)][slices.Index(Operations, op)]
	if !t.allowed {
		return nil
	}
	return []string{t.during.String(), t.success.String(), t.failure.String()}
}

// SpendNumbers gives all numbers of instances but one, in every object.
func (c *Measurement) SpendNumbers() {
	for _, op := range c.plan.objects {
		op.next = math.MaxUint32 - 1
	}
}

// CookTogether has even the smallest sample cooked on several processors.
func (c *Measurement) CookTogether() {
	c.plan.crew = newCrew(&c.plan)
	c.plan.crew.pays = 0
}

// Misplace gives no column a place.
func (c *Measurement) Misplace() {
	for _, op := range c.plan.objects {
		for i := range op.group.columns {
			op.group.columns[i].out = -1
		}
	}
}

// Reading is the n-th value as a reading.
func (c *Column) Reading(n int) (r winperf.Reading) {
	c.reading(&r, n, c.Series(n))
	return r
}

// NewCatalogue is newCatalogue.
var NewCatalogue = newCatalogue
