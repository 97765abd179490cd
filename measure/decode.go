package measure

import (
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// decodeAny makes a cycle of a sample of whatever form.
func (c *Context) decodeAny() error {
	c.reading.Lock()
	defer c.reading.Unlock()
	switch {
	case c.opt.RawOnly:
		if err := c.takeRaw(); err != nil {
			return err
		}
	case c.cookedQuery != nil:
		c.takeCooked()
	default:
		if err := c.decode(); err != nil {
			return err
		}
	}
	if c.apart != nil {
		c.whole = c.apart.join(&c.cycle, c.begin)
		c.apart.start()
	}
	c.completed = true
	return nil
}

func (c *Context) decode() error {
	begin := c.opt.Clock.Elapsed()
	err := c.index()
	if err != nil && c.cur.NumObjects() == 0 {
		return fmt.Errorf("sample %d: %w", c.taken, err)
	}
	c.cost.Decode = c.opt.Clock.Elapsed() - begin
	raw := c.cur.Raw()
	c.start(c.cur.Time())
	if err != nil {
		c.cycle.Damage = append(c.cycle.Damage, err)
	}
	c.cycle.Damage = append(c.cycle.Damage, c.cur.Damage()...)
	c.cycle.Damage = append(c.cycle.Damage, c.setSchema(raw.Schema)...)
	c.cycle.Frame, c.cycle.Names = c.cur, c.plan.names
	c.cost.Bytes = len(raw.Bytes)
	c.noteGrowth(cap(raw.Bytes))
	older := c.older()
	c.notes.clocks(older, c.cur)
	if !c.opt.FramesOnly {
		c.cooker.Set(older, c.cur, c.opt.Cook)
		c.plan.read(&c.cycle, &c.cooker, &c.notes)
	}
	c.prev.Release()
	c.prev, c.cur = c.cur, frame.Frame{}
	c.finish(c.opt.Clock.Elapsed() - begin - c.cost.Decode)
	return nil
}

// index makes the sample a frame that can be read.
func (c *Context) index() (err error) {
	if c.frameQuery == nil {
		return c.cur.Decode(c.prev)
	}
	c.cur, err = c.frameQuery.Frame()
	return err
}

// start begins the cycle of a sample that can be read.
func (c *Context) start(t time.Time) {
	cy := &c.cycle
	cy.Time, cy.Missed = t, c.missed
	cy.begin(forms{columns: c.cookedQuery == nil, readings: c.cookedQuery != nil})
	cy.Damage = append(cy.Damage[:0], c.passedOver()...)
	c.notes.begin(t, cy.Anomalies)
	c.noteSource()
	c.missed, c.late = 0, 0
}

// finish ends a cycle: what it cost is known, but for the rest of this function.
func (c *Context) finish(cook time.Duration) {
	cy := &c.cycle
	c.cost.Cook = cook
	if c.apart != nil {
		c.apart.poll() // not before: what failed must leave the last cycle as it is
		c.apart.tell(cy, &c.notes)
	}
	cy.Anomalies = c.notes.list
	if len(c.plan.own) > 0 {
		c.cost.Usage = c.meter.read(c.opt.Clock)
	}
	cy.Cost = c.cost
	c.plan.readOwn(cy)
}

// takeCooked makes a cycle of readings that came cooked.
func (c *Context) takeCooked() {
	begin := c.opt.Clock.Elapsed()
	t := c.cycle.Time
	if len(c.readings) > 0 {
		t = c.readings[0].Time
		c.plan.setMachine(c.readings[0].Path.Machine)
	}
	c.start(t)
	c.plan.setSchema(nil)
	c.cycle.Names = c.plan.names
	c.cooked.read(&c.plan, &c.cycle, &c.readings, c.notes.touched)
	c.finish(c.opt.Clock.Elapsed() - begin)
}

// setSchema gives the plan the names of a sample, notes when they are others
// than before, and returns what is wrong with them.
func (c *Context) setSchema(s *winperf.Schema) []error {
	if c.plan.names != nil && s != c.plan.schema && !c.opt.FramesOnly {
		c.notes.addToAll(winperf.Anomaly{Kind: winperf.SchemaChanged, Detail: "the names of objects and counters were read anew", Action: "paths are looked up again"})
	}
	return c.plan.setSchema(s)
}

// passedOver is what the query could not read.
func (c *Context) passedOver() []error {
	if q, ok := c.query.(winperf.DamagedQuery); ok {
		return q.Damage()
	}
	return nil
}

// older is the frame to cook the current one against: the one before, unless
// a record goes on with another machine.
func (c *Context) older() frame.Frame {
	if c.plan.recorded && !c.prev.IsZero() && c.prev.Machine() != c.cur.Machine() {
		return frame.Frame{}
	}
	return c.prev
}
