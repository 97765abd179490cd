package measure

import (
	"math"

	"github.com/winperf/winperf"
)

// What tests see of the state machine.

// States are the names of all of them.
var States = stateNames[:]

// State is the state that a Measurement is in.
func (c *Measurement) State() string { return c.gate.state().String() }

// SpendNumbers gives all numbers of instances but one, in every object.
func (c *Measurement) SpendNumbers() {
	for _, op := range c.plan.objects {
		op.next = math.MaxUint32 - 1
	}
}

// ReadingOf is the n-th value of a column as a reading.
func ReadingOf(c *winperf.Column, n int) winperf.Reading {
	part := c.Slice(n, n+1)
	return appendReadings(nil, &part)[0]
}
