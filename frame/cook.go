package frame

import (
	"bytes"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// Cooker computes displayable values from pairs of frames. It keeps what it
// learned about each object's definitions and reuses its memory, so that
// cooking allocates nothing once warm. The zero Cooker is ready for use. It
// serves one goroutine, but several may call [Pair.Cook] at once, each for
// objects of its own.
type Cooker struct {
	opt       counter.Options
	prev, cur Frame
	pairs     []*Pair // per position of an object in cur
	table     table
	groups    groups
	idle      idleRuns
	taken     []int32 // scratch: older instances that are matched already
	seed      maphash.Seed
	uses      uint64 // frames set so far
}

// hashSeed is random, so that no one can choose names that collide.
func (c *Cooker) hashSeed() maphash.Seed {
	if c.seed == (maphash.Seed{}) {
		c.seed = maphash.MakeSeed()
	}
	return c.seed
}

// Set makes prev and cur the frames to be cooked. Either may be the zero Frame
// as long as no sample was taken. Both must be valid while they are cooked; the error wraps
// winperf.ErrState where one is not.
// What the Cooker returned before is no longer valid.
func (c *Cooker) Set(prev, cur Frame, opt counter.Options) error {
	if err := errors.Join(prev.check("cook, older frame"), cur.check("cook")); err != nil {
		return err
	}
	if opt != c.opt {
		clear(c.pairs)
		c.opt = opt
	}
	c.prev, c.cur = prev, cur
	c.uses++
	return nil
}

// Object returns the pair of an object of the newer frame with the same object
// of the older one. The instances are matched when first asked for.
func (c *Cooker) Object(o Object) *Pair {
	for len(c.pairs) <= o.at {
		c.pairs = append(c.pairs, nil)
	}
	p := c.pairs[o.at]
	if p == nil {
		p = &Pair{cooker: c}
		c.pairs[o.at] = p
	}

	if p.uses != c.uses {
		p.set(o)
		p.uses = c.uses
	}
	return p
}

// Pair is one object in two frames: its instances matched, its counters ready
// to be cooked.
type Pair struct {
	cooker *Cooker
	uses   uint64 // the Cooker's when this was set
	layout int    // how often the definitions changed, 0 before the first

	// What follows from the definitions, made anew when their bytes change.
	title       uint32
	definitions []byte
	columns     []column
	identity    identity

	prev, cur   Object
	prevClocks  counter.Clocks
	curClocks   counter.Clocks
	hasPrev     bool
	sameDefs    bool    // the older definitions are the same bytes
	older       []int32 // position of each definition in the older object, where not sameDefs
	match       []counter.Match
	from        []int32 // position of each instance in the older object, -1 = none
	inPlace     bool    // every instance stands where it stood
	allVerified bool    // every instance is known to be the same
	begun       bool    // some instances began after the older sample, see Began

	settled *Labels // instances that were matched by name, each in its place and verified

	curKeys, prevKeys keys // of instances that are known by their start; see matchByStart

	curFields, prevFields fields // what is read into runs
	kept                  kept   // of it
	runs                  *runs  // while values are read into them

	scratch scratch
	op      counter.Batch // operands of the column at hand
}

func (p *Pair) set(o Object) {
	c := p.cooker
	p.cur, p.curClocks = o, o.Clocks()
	d := o.def()
	defs := definitionBytes(o)
	if p.layout == 0 || p.title != d.Title || !bytes.Equal(p.definitions, defs) {
		p.title, p.settled = d.Title, nil
		p.definitions = append(p.definitions[:0], defs...)
		p.compile()
		p.layout++
	} else if !p.inStates(o.counters()) {
		p.compile()
	}

	p.prev, p.hasPrev = c.older(o)
	p.sameDefs = false
	if p.hasPrev {
		p.prevClocks = p.olderClocks()
		p.sameDefs = bytes.Equal(p.definitions, definitionBytes(p.prev))
		if !p.sameDefs {
			p.matchDefinitions()
		}
	}
	p.matchInstances()
}

// older returns the object before, of the same machine. That of a part beside the others
// is of the last other block.
func (c *Cooker) older(o Object) (Object, bool) {
	if c.cur.lags && c.cur.part(o.s.number).beside {
		former := c.cur.former(o)
		return former, former.s != nil && !c.prev.IsZero()
	}
	return c.prev.same(o)
}

// olderClocks are the clocks of the older of two samples, where their source can
// tell as they would have been read if nobody had set the system time between them.
func (p *Pair) olderClocks() counter.Clocks {
	prev := p.prev.Clocks()
	if p.cur.s.block.Quirks&winperf.ClocksTogether != 0 {
		prev.Time100ns += counter.ClockStep(prev, p.curClocks)
	}
	return prev
}

// definitionBytes are the bytes of all counter definitions of the object, as
// far as winperf.h knows their fields.
func definitionBytes(o Object) []byte {
	if d := o.def(); d.Definitions != nil {
		return d.Definitions
	}
	return datablock.CounterDefinitions(&o.s.index, o.def())
}

func (p *Pair) compile() {
	cs := p.cur.counters()
	p.columns = slices.Grow(p.columns[:0], len(cs))[:len(cs)]
	for k := range cs {
		p.columns[k] = newColumn(&cs[k], baseSize(cs, k), p.cooker.opt)
	}

	for k := range p.columns {
		if c := &p.columns[k]; c.two && c.base >= 0 {
			p.columns[c.base].isBase = true
		}
	}

	p.identity, p.kept.number = newIdentity(cs), 0
	p.curFields.compile(cs, func(int) bool { return true })
	p.prevFields.compile(cs, p.needsOlder)
}

// baseSize is the width of the base of the counter at position k, 0 where it has none.
func baseSize(cs []index.Counter, k int) int {
	if base := cs[k].Base; base >= 0 {
		return int(cs[base].Size)
	}
	return 0
}

// inStates reports whether the counters are in the states that they had when they
// were compiled: a short counter block costs some counters in one sample only.
func (p *Pair) inStates(cs []index.Counter) bool {
	for k := range cs {
		c, col := &cs[k], &p.columns[k]
		if c.State != col.state || c.Base != col.found || c.Multi != col.behind {
			return false
		}
	}
	return true
}

// matchDefinitions finds each definition of the newer object in the older one:
// the same title index and type, the first with the first, the second with the
// second. A counter whose type changed gets typeChanged.
func (p *Pair) matchDefinitions() {
	cur, prev := p.cur.counters(), p.prev.counters()
	p.older = slices.Grow(p.older[:0], len(cur))[:len(cur)]
	for k := range cur {
		p.older[k] = noDefinition
		nth := 0
		for _, d := range cur[:k] {
			if d.Title == cur[k].Title && d.Type == cur[k].Type {
				nth++
			}
		}

		for j := range prev {
			if prev[j].Title != cur[k].Title || prev[j].Type.IsBase() != cur[k].Type.IsBase() {
				continue
			}
			if prev[j].Type != cur[k].Type {
				p.older[k] = typeChanged
				continue
			}
			if nth--; nth < 0 {
				p.older[k] = int32(j)
				break
			}
		}
	}
}

const (
	noDefinition = -1
	typeChanged  = -2
)

// SameDefinitions reports whether the older object is there and has the same definitions.
func (p *Pair) SameDefinitions() bool { return p.sameDefs }

// Layout is a number that changes when the definitions of the object in a place do.
func (p *Pair) Layout() int { return p.layout }

// len is the number of instances of the newer object.
func (p *Pair) len() int { return p.cur.Len() }

// InPlace reports whether every instance is the same as the one that stood in its place
// in the older object, as well as From knows.
func (p *Pair) InPlace() bool { return p.inPlace }

// From returns the position, in the older object, of the same instance as
// instance i of the newer one, and how well that is known. It is -1 and
// Unmatched for an instance that is new.
func (p *Pair) From(i int) (int, counter.Match) {
	if p.from[i] < 0 {
		return -1, counter.Unmatched
	}
	return int(p.from[i]), p.match[i]
}

// Clocks are the times of the sample that the object was taken with, and the
// object's own.
func (o Object) Clocks() counter.Clocks { return o.s.index.ObjectClocks(o.def()) }
