package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// Context measures a selection of one source's counters. One goroutine measures;
// Browse and Readings may be called from others meanwhile.
type Context struct {
	src  winperf.Source
	sel  winperf.Selection
	opt  Options
	gate gate

	query  winperf.Query
	apart  *apart // of costly objects; nil: they are sampled with the others
	beside bool   // it is that of another's costly objects
	pool   frame.Pool
	prev   frame.Frame // decoded, of the cycle before
	cur    frame.Frame // being sampled or decoded
	cooker frame.Cooker
	plan   plan
	cycle  Cycle
	whole  *Cycle // what Decode returned last: the cycle, or the one of apart
	taken  int    // samples so far

	// What is noticed in a cycle.
	notes  notes
	cost   Cost
	meter  meter
	begin  time.Duration // of the sample, by the clock's Elapsed
	time   time.Time     // of the sample's beginning, by the clock's Now
	size   int           // of the last sample, in bytes
	room   int           // of the buffer when the sample began
	missed int           // samples that were due and not taken
	late   time.Duration // how much later than due the sample began
	known  uint64        // anomalies of the source that were told

	reading   sync.Mutex // held while the cycle changes or is read; never by Sample
	completed bool       // there is a cycle to be read

	frameQuery FrameQuery // of a query that shares frames

	// Of a query that cooks its readings itself.
	cookedQuery winperf.CookedQuery
	cooked      cooked
	readings    []winperf.Reading // of the sample
}

// New returns a Context over a selection. Nothing is done yet.
func New(src winperf.Source, sel winperf.Selection, opt Options) *Context {
	opt.Clock = orSystem(opt.Clock)
	c := &Context{src: src, sel: sel, opt: opt, plan: newPlan(sel, opt)}
	c.notes.source = opt.Source
	_, c.plan.recorded = src.(winperf.Recorded)
	c.whole = &c.cycle
	c.gate.set(initialized)
	return c
}

// Prepare makes the next sample possible. The first time it compiles the
// selection; an error is the source's, and Prepare can be tried again.
func (c *Context) Prepare(ctx context.Context) error {
	t, _, err := c.gate.enter(opPrepare)
	if err != nil {
		return err
	}
	err = c.prepare(ctx)
	c.gate.leave(t, err)
	return err
}

func (c *Context) prepare(ctx context.Context) error {
	begin := c.opt.Clock.Elapsed()
	c.drop()
	if err := c.compile(ctx); err != nil {
		return err
	}
	if c.cookedQuery == nil && c.frameQuery == nil {
		c.cur = c.pool.Get()
		c.makeRoom()
	}
	if c.apart != nil {
		if err := c.apart.first(ctx); err != nil {
			return err
		}
	}
	c.cost.Prepare = c.opt.Clock.Elapsed() - begin
	return nil
}

// makeRoom makes the frame's buffer somewhat larger than the last sample, so
// that none has to be allocated while the next is taken.
func (c *Context) makeRoom() {
	const little = 512
	raw := c.cur.Raw()
	if room := c.size + c.size/16 + little; c.size > 0 && cap(raw.Bytes) < room {
		raw.Bytes = slices.Grow(raw.Bytes[:0], c.size+c.size/8+2*little)
	}
}

// compile makes the query, once.
func (c *Context) compile(ctx context.Context) error {
	if c.query != nil {
		return nil
	}
	sel, opt := c.sel, &c.opt
	var apart *apart
	if !c.plan.recorded && !opt.FramesOnly && !opt.RawOnly && !opt.CostlyTogether {
		var err error
		if apart, sel, err = newApart(ctx, c.src, sel, *opt); err != nil {
			return err
		}
	}
	q, err := c.src.Compile(ctx, withoutOwn(sel))
	if err != nil {
		return err
	}
	if c.query, c.apart = q, apart; apart != nil {
		c.plan = newPlan(sel, *opt)
	}
	c.cookedQuery, _ = q.(winperf.CookedQuery)
	c.frameQuery, c.plan.shared = q.(FrameQuery)
	if t, ok := c.src.(winperf.Troubled); ok {
		_, c.known = t.Anomalies(nil, math.MaxUint64) // what was before is not about this measurement
	}
	return nil
}

// drop gives back the frame of a round that did not come to its end.
func (c *Context) drop() {
	c.cur.Release()
	c.cur = frame.Frame{}
}

// Sample takes one sample. It returns io.EOF at the end of recorded data. After
// an error Prepare comes next.
//
// It allocates nothing, unless the source does, and takes no lock that another
// stage can hold.
func (c *Context) Sample(ctx context.Context) error {
	t, _, err := c.gate.enter(opSample)
	if err != nil {
		return err
	}
	err = c.sample(ctx)
	c.gate.leave(t, err)
	return err
}

func (c *Context) sample(ctx context.Context) (err error) {
	c.begin, c.time = c.opt.Clock.Elapsed(), c.opt.Clock.Now()
	switch {
	case c.cookedQuery != nil:
		c.readings, err = c.cookedQuery.Readings(ctx, c.readings[:0])
	case c.frameQuery != nil:
		err = c.frameQuery.Take(ctx)
	default:
		raw := c.cur.Raw()
		c.room = cap(raw.Bytes)
		err = c.query.Sample(ctx, raw)
	}
	c.cost.Sample = c.opt.Clock.Elapsed() - c.begin
	if err == nil {
		c.taken++
	}
	return err
}

// Decode turns the sample into readings. When a sample is damaged so that
// nothing of it can be read, Decode fails, and the next sample is cooked against
// the one before; any other damage is in the Cycle.
func (c *Context) Decode() (*Cycle, error) {
	t, _, err := c.gate.enter(opDecode)
	if err != nil {
		return nil, err
	}
	err = c.decodeAny()
	c.gate.leave(t, err)
	if err != nil {
		return nil, err
	}
	return c.whole, nil
}

// Cycle runs the three steps.
func (c *Context) Cycle(ctx context.Context) (*Cycle, error) {
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
func (c *Context) Close() error {
	_, was, err := c.gate.enter(opClose)
	if err != nil || was == closed {
		return err
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.drop()
	c.prev.Release()
	c.prev = frame.Frame{}
	if c.query == nil {
		return nil
	}
	err = c.query.Close()
	if c.apart != nil {
		err = errors.Join(c.apart.close(), err)
	}
	return err
}
