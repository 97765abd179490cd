package measure

import (
	"context"
	"math"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/thismachine"
	"github.com/winperf/winperf/measure/internal/apart"
)

// closeGrace is how long Close waits for a costly sample that is under way.
const closeGrace = 3 * time.Second

// Measurement takes and computes a selection of one source's counters. It serves one
// goroutine at a time.
type Measurement struct {
	src  winperf.Source
	is   winperf.Description
	sel  winperf.Selection
	opt  Options
	gate gate

	query  winperf.Query
	apart  *apart.Query // of costly objects; nil: they are sampled with the others
	sample winperf.Sample
	pool   frame.Pool
	prev   frame.Frame // of the cycle before
	cur    frame.Frame // being decoded
	cooker frame.Cooker
	plan   plan
	cycle  Cycle
	taken  int // samples so far

	// What is noticed in a cycle.
	notes  notes
	cost   Cost
	meter  meter
	begin  time.Duration // of the sample, by the clock's Elapsed
	time   time.Time     // of the sample's beginning, by the clock's Now
	missed int           // samples that were due and not taken
	late   time.Duration // how much later than due the sample began
	known  uint64        // anomalies of the source that were told

	passed []error // damage that no cycle told of
}

// New returns a Measurement over a selection. It does not touch the source yet: what is
// wrong with the selection is the error of the first Prepare.
func New(src winperf.Source, sel winperf.Selection, opt Options) *Measurement {
	opt.Clock = schedule.OrSystem(opt.Clock)
	is := src.Describe()
	sel.Paths, opt.Exclude = thismachine.Paths(sel.Paths, is), thismachine.Paths(opt.Exclude, is)
	c := &Measurement{src: src, is: is, sel: sel, opt: opt}
	c.notes.source = opt.Source
	c.plan = newPlan(sel, opt)
	c.plan.recorded = c.is.Recorded
	return c
}

// Prepare makes the next sample possible. It gives back the sample before, so that the last
// Cycle's Sample is no longer valid. The first time it compiles the selection; an error is
// the source's, and Prepare can be tried again. In the wrong order it fails with an error
// that wraps winperf.ErrState.
func (c *Measurement) Prepare(ctx context.Context) error {
	return c.gate.run(opPrepare, func() error { return c.prepare(ctx) })
}

func (c *Measurement) prepare(ctx context.Context) error {
	begin := c.opt.Clock.Elapsed()
	c.drop()
	if err := c.compile(ctx); err != nil {
		return err
	}

	if c.apart != nil {
		if err := c.apart.First(ctx); err != nil {
			return err
		}
	}
	c.cost.Prepare = c.opt.Clock.Elapsed() - begin
	return nil
}

// compile makes the query, once.
func (c *Measurement) compile(ctx context.Context) error {
	if c.query != nil {
		return nil
	}
	opt := &c.opt
	if !c.is.Recorded && !opt.FramesOnly && !opt.RawOnly && !opt.CostlyTogether {
		a, err := apart.Compile(ctx, c.src, c.sel, apart.Options{
			Clock: opt.Clock, Interval: opt.interval(), Least: opt.CostlyInterval,
			IsOwn: isOwn, Grace: closeGrace,
		})
		if err != nil {
			return err
		}
		if a != nil {
			c.query, c.apart = a, a
			c.plan.wait(a.Parts)
		}
	}

	if c.query == nil {
		q, err := c.src.Compile(ctx, withoutOwn(c.sel))
		if err != nil {
			return err
		}
		c.query = q
	}

	if c.is.Anomalies != nil {
		_, c.known = c.is.Anomalies(nil, math.MaxUint64) // what was before is not about this measurement
	}
	return nil
}

// drop gives back the sample of a round that did not come to its end.
func (c *Measurement) drop() {
	c.sample.Release()
	c.cur.Release()
	c.cur = frame.Frame{}
}

// Sample takes one sample. It returns io.EOF at the end of recorded data. After
// an error Prepare comes next.
//
// It allocates nothing, unless the source does, and takes no lock that another
// stage can hold.
func (c *Measurement) Sample(ctx context.Context) error {
	return c.gate.run(opSample, func() error { return c.takeSample(ctx) })
}

func (c *Measurement) takeSample(ctx context.Context) error {
	c.begin, c.time = c.opt.Clock.Elapsed(), c.opt.Clock.Now()
	err := c.query.Next(ctx, &c.sample)
	c.cost.Sample = c.opt.Clock.Elapsed() - c.begin
	c.passed = append(c.passed, c.sample.Damage...)
	if err == nil {
		c.taken++
	}
	return err
}

// Decode turns the sample into readings. When a sample is damaged so that
// nothing of it can be read, Decode fails, and the next sample is cooked against
// the one before; any other damage is in the Cycle.
func (c *Measurement) Decode() (*Cycle, error) {
	if err := c.gate.run(opDecode, c.decode); err != nil {
		return nil, err
	}
	return &c.cycle, nil
}

// Cycle runs the three steps Prepare, Sample and Decode, and returns the error of the first
// one that fails: io.EOF at the end of recorded data. It does not wait between samples, as
// Watch and Rest do.
func (c *Measurement) Cycle(ctx context.Context) (*Cycle, error) {
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.Sample(ctx); err != nil {
		return nil, err
	}
	return c.Decode()
}

// Close ends the measurement and releases the query; the source stays open.
// Closing again does nothing. An operation that is under way in another
// goroutine is not interrupted: Close then fails with an error that wraps
// winperf.ErrState.
func (c *Measurement) Close() error {
	was, err := c.gate.enter(opClose)
	if err != nil || was == closed {
		return err
	}

	c.drop()
	c.prev.Release()
	c.prev = frame.Frame{}
	if c.query == nil {
		return nil
	}
	return c.query.Close()
}
