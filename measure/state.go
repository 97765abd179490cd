package measure

import (
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// The states of a Measurement. The state has a name in -ing while a step runs. Other goroutines can
// see it.
const (
	initialized = "initialized" // Prepare may follow
	preparing   = "preparing"
	prepared    = "prepared" // Sample may follow
	sampling    = "sampling"
	sampled     = "sampled" // Decode may follow
	decoding    = "decoding"
	closed      = "closed" // only Close may follow
)

// enter changes the state to next if it is in from, and returns the previous state.
func (c *Measurement) enter(step, next string, from ...string) (before string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(from, c.state) {
		return "", fmt.Errorf("%s: the measurement is %s: %w", step, c.state, winperf.ErrState)
	}
	before, c.state = c.state, next
	return before, nil
}

// step runs a step if the state is in from. Afterwards the state is after, or initialized if the step
// failed or panicked: the measurement can still be closed.
func (c *Measurement) step(name, during, after string, do func() error, from ...string) error {
	if _, err := c.enter(name, during, from...); err != nil {
		return err
	}

	end := initialized
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state = end
	}()
	if err := do(); err != nil {
		return err
	}
	end = after
	return nil
}
