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

// closeGrace is how long Close waits for a running sample of costly objects.
const closeGrace = 3 * time.Second

// Measurement samples and computes a selection of counters of one source. It may be used by one
// goroutine at a time.
type Measurement struct {
	src winperf.Source
	is  winperf.Description
	sel winperf.Selection
	opt Options

	mu    sync.Mutex // for state; not held while a step runs
	state string

	query  winperf.Query
	apart  *apart.Query       // of costly objects; nil: sampled with the others
	sample *winperf.Sample    // the next one, or the last one taken
	older  [2]*winperf.Sample // of the last two cycles; nil before
	pool   frame.Pool
	prev   frame.Frame // of the last cycle
	cooker frame.Cooker
	plan   plan
	cycle  *Cycle
	taken  int // number of samples

	// Facts about a cycle, for anomalies and cost.
	notes  notes
	cost   Cost
	meter  meter
	begin  time.Duration // start of the sample, by the clock's Elapsed
	time   time.Time     // start of the sample, by the clock's Now
	missed int           // due samples that were not taken
	late   time.Duration // delay of the sample's start
	known  uint64        // number of the source's anomalies that were reported

	unreported []error // damage not yet reported in a cycle
}

// New returns a Measurement of a selection. It does not access the source; the first Prepare does.
// Close the Measurement after use. Close does not close the source.
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

// Prepare prepares the next sample. The first call compiles the selection and returns the errors of
// the source. Prepare can be repeated after an error. Prepare may also follow Sample: it then drops
// the sample. During another step or after Close the error wraps winperf.ErrState.
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

func (c *Measurement) compile(ctx context.Context) error {
	if c.query != nil {
		return nil
	}
	opt := &c.opt
	if !c.is.Recorded && !opt.FramesOnly && !opt.RawOnly && !opt.CostlyTogether {
		a, err := apart.Compile(ctx, c.src, c.sel, apart.Options{
			Clock: opt.Clock, Interval: opt.interval(), Least: opt.CostlyInterval,
			IsOwn: isSelf, InUse: c.pool.InUse, Grace: closeGrace,
		})
		if err != nil {
			return err
		}
		if a != nil {
			c.query, c.apart = a, a
			c.plan.markIndependent(a.Parts)
		}
	}

	if c.query == nil {
		q, err := c.src.Compile(ctx, withoutSelf(c.sel))
		if err != nil {
			return err
		}
		c.query = q
	}

	if c.is.Anomalies != nil {
		_, c.known = c.is.Anomalies(nil, math.MaxUint64) // earlier anomalies do not concern this measurement
	}
	return nil
}

func (c *Measurement) inUse(b *winperf.Block) bool {
	for _, s := range c.older {
		if s != nil && slices.ContainsFunc(s.Parts, func(p winperf.Part) bool { return p.Block == b }) {
			return true
		}
	}
	return c.pool.InUse(b)
}

// next makes the oldest sample the next one to fill, or a new one if the oldest was kept.
func (c *Measurement) next() {
	for i, s := range c.older {
		if s != nil && s.Kept() {
			c.older[i] = nil // the garbage collector may free it
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

// Sample takes one sample. It returns io.EOF at the end of a log. If the previous step was not Prepare
// or still runs, the error wraps winperf.ErrState. After any other error call Prepare.
//
// It allocates nothing, unless the source does or one of the two previous cycles was kept.
func (c *Measurement) Sample(ctx context.Context) error {
	do := func() error { return c.takeSample(ctx) }
	return c.step("sample", sampling, sampled, do, prepared)
}

func (c *Measurement) takeSample(ctx context.Context) error {
	c.begin, c.time = c.opt.Clock.Elapsed(), c.opt.Clock.Now()
	err := c.query.Next(ctx, c.sample)
	c.cost.Sample = c.opt.Clock.Elapsed() - c.begin
	c.unreported = append(c.unreported, c.sample.Damage...)
	if err == nil {
		c.taken++
	}
	return err
}

// Decode computes the cycle of the sample. If nothing of a damaged sample can be read, Decode
// fails, and the next sample is compared with the last readable one. Other damage is in the Cycle.
// If the previous step was not Sample, the error wraps winperf.ErrState. The next Decode replaces
// the values of the Cycle.
func (c *Measurement) Decode() (*Cycle, error) {
	if err := c.step("decode", decoding, initialized, c.decode, sampled); err != nil {
		return nil, err
	}
	return c.cycle, nil
}

// Cycle runs Prepare, Sample and Decode, and returns the error of the first step that fails, such
// as io.EOF at the end of a log. It does not wait between samples, as Watch and Rest do.
func (c *Measurement) Cycle(ctx context.Context) (*Cycle, error) {
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.Sample(ctx); err != nil {
		return nil, err
	}
	return c.Decode()
}

// Close ends the measurement and releases the query; the source stays open. Closing again does
// nothing. During a step in another goroutine, Close does nothing and returns an error that wraps
// winperf.ErrState.
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
