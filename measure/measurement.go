package measure

import (
	"context"
	"math"
	"slices"
	"sync"
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
	src winperf.Source
	is  winperf.Description
	sel winperf.Selection
	opt Options

	mu    sync.Mutex // of state; no step holds it while it runs
	state string

	query  winperf.Query
	apart  *apart.Query       // of costly objects; nil: they are sampled with the others
	sample *winperf.Sample    // that is taken next, or was taken last
	older  [2]*winperf.Sample // of the last cycle and the one before, nil where there was none
	pool   frame.Pool
	prev   frame.Frame // of the last cycle
	cooker frame.Cooker
	plan   plan
	cycle  *Cycle
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
	c := &Measurement{src: src, is: is, sel: sel, opt: opt, state: initialized}
	c.sample, c.cycle = &winperf.Sample{}, &Cycle{}
	c.sample.InUse = c.inUse
	c.notes.source = opt.Source
	c.plan = newPlan(sel, opt)
	c.plan.recorded = c.is.Recorded
	return c
}

// Prepare makes the next sample possible. The first time it compiles the selection; an error is
// the source's, and Prepare can be tried again. In the wrong order it fails with an error
// that wraps winperf.ErrState. A sample that was not decoded is dropped.
func (c *Measurement) Prepare(ctx context.Context) error {
	do := func() error { return c.prepare(ctx) }
	return c.step("prepare", preparing, prepared, do, initialized, prepared, sampled)
}

func (c *Measurement) prepare(ctx context.Context) error {
	begin := c.opt.Clock.Elapsed()
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
			IsOwn: isOwn, InUse: c.pool.InUse, Grace: closeGrace,
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

// inUse reports whether a cycle that is still valid refers to a block.
func (c *Measurement) inUse(b *winperf.Block) bool {
	for _, s := range c.older {
		if s != nil && slices.ContainsFunc(s.Parts, func(p winperf.Part) bool { return p.Block == b }) {
			return true
		}
	}
	return c.pool.InUse(b)
}

// next ends the round of a sample that was decoded: the sample of the cycle before the last one is
// not valid any more, and is filled next. If it was kept another one takes its place.
func (c *Measurement) next() {
	for i, s := range c.older {
		if s != nil && s.Kept() {
			c.older[i] = nil // the collector may have it when nothing else refers to it
		}
	}
	ended := c.older[1]
	c.older[0], c.older[1] = c.sample, c.older[0]
	if ended == nil {
		ended = &winperf.Sample{InUse: c.inUse}
	}
	ended.Clear()
	ended.Like(c.sample)
	c.sample = ended
}

// Sample takes one sample. It returns io.EOF at the end of recorded data. After
// an error Prepare comes next.
//
// It allocates nothing, unless the source does or one of the two cycles before was kept, and waits for
// no other step.
func (c *Measurement) Sample(ctx context.Context) error {
	do := func() error { return c.takeSample(ctx) }
	return c.step("sample", sampling, sampled, do, prepared)
}

func (c *Measurement) takeSample(ctx context.Context) error {
	c.begin, c.time = c.opt.Clock.Elapsed(), c.opt.Clock.Now()
	err := c.query.Next(ctx, c.sample)
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
	if err := c.step("decode", decoding, initialized, c.decode, sampled); err != nil {
		return nil, err
	}
	return c.cycle, nil
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
// Closing again does nothing. A step that runs in another goroutine is not interrupted:
// Close then fails with an error that wraps winperf.ErrState.
func (c *Measurement) Close() error {
	was, err := c.enter("close", closed, initialized, prepared, sampled, closed)
	if err != nil || was == closed {
		return err
	}

	c.prev = frame.Frame{}
	if c.query == nil {
		return nil
	}
	return c.query.Close()
}
