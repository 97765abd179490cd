package measure

import (
	"math"
	"time"

	"github.com/winperf/winperf"
)

// State returns the state of a Measurement.
func (c *Measurement) State() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

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

// Used returns the processor time that the program used between a cycle and the one before, and the time.
func Used(c *Cycle) (processor, elapsed time.Duration) {
	return c.used.processor, c.used.elapsed
}
