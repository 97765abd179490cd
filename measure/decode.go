package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/schedule"
)

func (c *Measurement) decode() error {
	var err error
	switch {
	case c.opt.RawOnly:
		err = c.makeRaw()
	default:
		err = c.decodeParts()
	}
	if err != nil {
		return err
	}

	if c.apart != nil {
		c.apart.Start() // in parallel with the use of the cycle
	}
	return nil
}

// decodeParts makes a cycle of a sample with blocks. After a panic in the computation the next sample
// is still compared with this one.
func (c *Measurement) decodeParts() error {
	begin := c.opt.Clock.Elapsed()
	cur, err := c.pool.Decode(c.sample, c.prev)
	if err != nil {
		return fmt.Errorf("sample %d: %w", c.taken, err)
	}
	c.cost.Decode = c.opt.Clock.Elapsed() - begin

	prev := c.prev
	c.prev = cur
	c.start(cur.Time())
	c.cycle.Damage = append(c.cycle.Damage, cur.Damage()...)
	c.cycle.Damage = append(c.cycle.Damage, c.setSchema(c.cycle.Sample.Schema)...)
	c.cycle.Frame, c.cycle.Names, c.cycle.Cook = cur, c.plan.names, c.cookOptions()
	c.noteSize()

	c.notes.clocks(prev, cur)
	if !c.opt.FramesOnly {
		if err := c.cooker.Set(prev, cur, c.cycle.Cook); err != nil {
			return err
		}
		c.plan.read(c.cycle, &c.cooker, &c.notes)
	}
	c.finish(c.opt.Clock.Elapsed() - begin - c.cost.Decode)
	return nil
}

func (c *Measurement) cookOptions() counter.Options {
	opt := c.opt.Cook
	ofLinux := c.prev.Quirks()&winperf.ClocksTogether != 0
	if opt.Least == 0 && (!c.is.Recorded || ofLinux) {
		opt.Least = LeastInterval
	}
	return opt
}

// Rest waits until [LeastInterval] has passed since the last sample of a live source, so that rates
// can be computed from the next sample. It is for programs that sample on demand. It does not wait
// before the first sample, or for a log. The only error is the error of ctx.
func (c *Measurement) Rest(ctx context.Context) error {
	if c.is.Recorded || c.taken == 0 {
		return ctx.Err()
	}
	return schedule.Sleep(ctx, c.opt.Clock, c.begin+c.cost.Sample+LeastInterval-c.opt.Clock.Elapsed())
}

func (c *Measurement) makeRaw() error {
	if c.sample.CheckRaw() != nil {
		return fmt.Errorf("the source has no raw samples: %w", winperf.ErrNotSupported)
	}
	c.start(c.time.UTC())
	c.cycle.Names = nil
	c.noteSize()
	c.finish(0)
	return nil
}

func (c *Measurement) start(t time.Time) {
	if c.cycle.kept {
		c.cycle = &Cycle{}
	}
	cy := c.cycle
	cy.Time, cy.Missed, cy.Frame, cy.Sample = t, c.missed, frame.Frame{}, c.sample
	c.next()
	cy.begin()
	cy.Damage = append(cy.Damage[:0], c.unreported...)
	c.notes.begin(t, cy.Anomalies)
	c.noteSource()
	c.missed, c.late, c.unreported = 0, 0, c.unreported[:0]
}

func (c *Measurement) finish(cook time.Duration) {
	cy := c.cycle
	c.cost.Cook = cook
	if c.apart != nil {
		if err := c.apart.TakeError(); err != nil {
			c.notes.add(winperf.Anomaly{
				Kind: winperf.SourceFailed, Detail: "costly objects", Err: err,
				Action: "retried; the last values are kept",
			})
		}
	}
	cy.Anomalies = c.notes.list
	if len(c.plan.self) > 0 {
		cy.used = c.meter.read(c.opt.Clock)
	}
	cy.Cost = c.cost
	c.plan.readSelf(cy)
}

// setSchema passes the names of a sample to the plan and returns their errors.
func (c *Measurement) setSchema(s *winperf.Schema) []error {
	if c.plan.names != nil && s != c.plan.schema && !c.opt.FramesOnly {
		c.notes.addToAll(winperf.Anomaly{
			Kind: winperf.SchemaChanged, Detail: "the names of objects and counters were read again",
			Action: "paths are looked up again",
		})
	}
	return c.plan.setSchema(s)
}
