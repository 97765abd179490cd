package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// copy writes all moments of the logs, merged in the order of time.
func (c *converter) copy(ctx context.Context, out *convertOutput) error {
	for _, in := range c.inputs {
		if err := in.begin(ctx, c.selection, c.options); err != nil && !c.damaged(in, err) {
			return in.blame(err)
		}
	}

	c.progress.restart()
	var m moment
	for c.earliest(&m) {
		c.take(&m)
		if !slices.ContainsFunc(m.cycles, isLarge) {
			c.timeMatters()
		}
		if err := out.write(&m); err != nil {
			return err
		}
		c.progress.show(c.inputs, c.tally.cycles)
		if err := c.advance(&m); err != nil {
			return err
		}
	}

	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case c.tally.cycles == 0:
		return errors.Join(append(c.damage.first, errors.New("there are no samples to convert"))...)
	}
	return nil
}

// earliest gathers the samples of the earliest time that are next in the logs.
func (c *converter) earliest(m *moment) bool {
	m.cycles = m.cycles[:0]
	for _, in := range c.inputs {
		switch {
		case in.cycle == nil || len(m.cycles) > 0 && in.cycle.Time.After(m.time):
			continue
		case len(m.cycles) > 0 && in.cycle.Time.Before(m.time):
			m.cycles = m.cycles[:0]
		}
		m.cycles, m.time = append(m.cycles, in.cycle), in.cycle.Time
	}
	return len(m.cycles) > 0
}

// take puts the readings of the samples together, and counts.
func (c *converter) take(m *moment) {
	for _, cycle := range m.cycles {
		c.tally.count(cycle)
	}
	m.readings.choose(m.cycles, func(r *winperf.Reading) bool { return !namesNothing(r.Status) })
	for _, in := range c.inputs {
		if in.cycle != nil && in.cycle.Time.Equal(m.time) {
			c.damage.add(in, in.cycle.Damage)
		}
	}
}

// advance goes on in the logs whose samples were taken.
func (c *converter) advance(m *moment) error {
	for _, in := range c.inputs {
		if in.cycle == nil || !in.cycle.Time.Equal(m.time) {
			continue
		}
		if err := in.advance(); err != nil && !c.damaged(in, err) {
			return in.blame(err)
		}
	}
	return nil
}

// damaged tells whether an error is no more than damage at the end of a log.
func (c *converter) damaged(in *logInput, err error) bool {
	if !errors.Is(err, winperf.ErrBadData) {
		return false
	}
	c.damage.add(in, []error{err})
	return true
}

// damageCount keeps the first damage that was found.
type damageCount struct {
	first []error
	more  int
}

// maxDamageShown is how many findings are worth a line of their own.
const maxDamageShown = 10

func (d *damageCount) add(in *logInput, errs []error) {
	for _, err := range costly(errs) {
		if len(d.first) == maxDamageShown {
			d.more++
			continue
		}
		d.first = append(d.first, in.blame(err))
	}
}

// tell says what was found.
func (d *damageCount) tell(a *app) {
	for _, err := range d.first {
		a.complain(err)
		a.partial = true
	}
	if d.more > 0 {
		a.complain(fmt.Errorf("%d more findings of damage", d.more))
	}
}

// finish says at the end what was not as it should be.
func (c *converter) finish(ctx context.Context) {
	a := c.app
	c.damage.tell(a)
	a.notice(c.tally.notices)
	c.tally.denied.report(a, c.inputs[0].src.Source)
	if paths := c.selection.Paths; len(paths) > 0 {
		a.explain(ctx, c.inputs[0].src.Source, &c.tally, paths, true)
	}
}
