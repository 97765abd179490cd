package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Options for a [Context] and for [Watch]. The zero Options are good defaults.
type Options struct {
	// Cook chooses between readings of the formulas.
	Cook counter.Options
	// Language of object and counter names in paths, as nametable.ParseLanguage
	// takes it; "" is the source's preferred one.
	Language string
	// Exclude leaves out what these paths name.
	Exclude []winperf.Path
	// FramesOnly makes no readings: the frames are what is wanted.
	FramesOnly bool

	// Interval is the time between two samples of Watch; 0 means one second.
	Interval time.Duration
	// Count ends Watch after so many cycles; 0 means no end.
	Count int
	// KeepFirst makes Watch yield the first cycle of a live source too, in
	// which counters that need two samples have no value yet.
	KeepFirst bool
}

// Context measures a selection of one source's counters. It serves one
// goroutine.
type Context struct {
	src   winperf.Source
	sel   winperf.Selection
	opt   Options
	state state

	query  winperf.Query
	pool   frame.Pool
	prev   frame.Frame // decoded, of the cycle before
	cur    frame.Frame // being sampled or decoded
	cooker frame.Cooker
	plan   plan
	cycle  Cycle
	taken  int // samples so far
}

// state is what may come next. Prepare may be called again at any time: it
// drops a sample that was not decoded.
type state uint8

const (
	initialized state = iota // Prepare may follow
	prepared                 // Sample may follow
	sampled                  // Decode may follow
	closed                   // nothing may follow
)

var stateNames = [...]string{"initialized", "prepared", "sampled", "closed"}

func (s state) String() string { return stateNames[s] }

// Cycle is what one round of prepare, sample and decode gave. It is valid
// until its Context decodes the next sample or is closed; whoever wants to keep
// the frame for longer retains it, and copies readings.
type Cycle struct {
	// Time of the sample, UTC.
	Time time.Time
	// Readings in the order of the selection's paths; below a path by object,
	// counter and instance. A path that nothing matched has one reading, with
	// the path as it was given and the machine's name, that says so.
	Readings []winperf.Reading
	// Parts holds, for each part of the selection (its paths in their order,
	// then the rest), where its readings end in Readings.
	Parts []int
	// Frame is the sample with all its objects.
	Frame frame.Frame
	// Names are the names of the sample's objects and counters.
	Names *nametable.Names
	// Damage is what was found wrong with the sample or its name tables.
	Damage []error
	// Missed is the number of samples that were due since the cycle before but
	// not taken because taking or handling one lasted too long.
	Missed int
}

// New returns a Context over a selection. Nothing is done yet.
func New(src winperf.Source, sel winperf.Selection, opt Options) *Context {
	c := &Context{src: src, sel: sel, opt: opt, plan: newPlan(sel, opt)}
	_, c.plan.recorded = src.(winperf.Recorded)
	return c
}

// expect refuses an operation in any but the allowed states, and changes nothing.
func (c *Context) expect(operation string, allowed ...state) error {
	if slices.Contains(allowed, c.state) {
		return nil
	}
	return fmt.Errorf("%s of a measurement that is %v: %w", operation, c.state, winperf.ErrState)
}

// Prepare makes the next sample possible. The first time it compiles the
// selection; an error is the source's, and Prepare can be tried again.
func (c *Context) Prepare(ctx context.Context) error {
	if err := c.expect("prepare", initialized, prepared, sampled); err != nil {
		return err
	}
	c.drop()
	c.state = initialized
	if c.query == nil {
		q, err := c.src.Compile(ctx, c.sel)
		if err != nil {
			return err
		}
		c.query = q
	}
	c.cur = c.pool.Get()
	c.state = prepared
	return nil
}

// drop gives back the frame of a round that did not come to its end.
func (c *Context) drop() {
	c.cur.Release()
	c.cur = frame.Frame{}
}

// Sample takes one sample. It returns io.EOF at the end of recorded data. After
// an error Prepare comes next.
func (c *Context) Sample(ctx context.Context) error {
	if err := c.expect("sample", prepared); err != nil {
		return err
	}
	c.state = initialized
	if err := c.query.Sample(ctx, c.cur.Raw()); err != nil {
		return err
	}
	c.state = sampled
	c.taken++
	return nil
}

// Decode turns the sample into readings. When a sample is damaged so that
// nothing of it can be read, Decode fails, and the next sample is cooked against
// the one before; any other damage is in the Cycle.
func (c *Context) Decode() (*Cycle, error) {
	if err := c.expect("decode", sampled); err != nil {
		return nil, err
	}
	c.state = initialized
	err := c.cur.Decode(c.prev)
	if err != nil && c.cur.NumObjects() == 0 {
		return nil, fmt.Errorf("sample %d: %w", c.taken, err)
	}
	c.cycle.Damage = append(c.cycle.Damage[:0], c.cur.Damage()...)
	if err != nil {
		c.cycle.Damage = append(c.cycle.Damage, err)
	}
	c.cycle.Damage = append(c.cycle.Damage, c.plan.setSchema(c.cur.Raw().Schema)...)
	c.cycle.Time, c.cycle.Frame, c.cycle.Names = c.cur.Time(), c.cur, c.plan.names
	c.cycle.Readings, c.cycle.Parts, c.cycle.Missed = c.cycle.Readings[:0], c.cycle.Parts[:0], 0
	if !c.opt.FramesOnly {
		c.cooker.Set(c.older(), c.cur, c.opt.Cook)
		c.plan.read(&c.cycle, &c.cooker)
	}
	c.prev.Release()
	c.prev, c.cur = c.cur, frame.Frame{}
	return &c.cycle, nil
}

// older is the frame to cook the current one against: the one before, unless
// a record goes on with another machine.
func (c *Context) older() frame.Frame {
	if c.plan.recorded && !c.prev.IsZero() && c.prev.Machine() != c.cur.Machine() {
		return frame.Frame{}
	}
	return c.prev
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
// Closing again does nothing.
func (c *Context) Close() error {
	if c.state == closed {
		return nil
	}
	c.state = closed
	c.drop()
	c.prev.Release()
	c.prev = frame.Frame{}
	if c.query == nil {
		return nil
	}
	return c.query.Close()
}
