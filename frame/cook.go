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

// Cooker computes displayable values from pairs of frames. It keeps the compiled definitions of each
// object and reuses its memory, so that computing allocates nothing after the first frames. The zero
// Cooker is ready for use. It serves one goroutine, except [Pair.Cook], which several may call in
// parallel for different objects.
type Cooker struct {
	opt       counter.Options
	prev, cur Frame
	pairs     []*Pair // by position in cur
	table     table
	groups    groups
	idle      idleRuns
	taken     []int32
	seed      maphash.Seed
	uses      uint64
}

// hashSeed returns a random seed, so that colliding names cannot be chosen in advance.
func (c *Cooker) hashSeed() maphash.Seed {
	if c.seed == (maphash.Seed{}) {
		c.seed = maphash.MakeSeed()
	}
	return c.seed
}

// Set sets the frames to compute values from. Either may be the zero Frame, for no sample. Both must
// stay valid while the Cooker uses them. The error wraps winperf.ErrState if one is not valid. Pairs
// and columns from before the call become invalid.
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

// Object returns the pair of an object of the newer frame and the same object of the older one, with
// their instances matched.
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

// Pair is one object in two frames, with matched instances.
type Pair struct {
	cooker *Cooker
	uses   uint64
	layout int // changes of the definitions

	title       uint32
	definitions []byte
	columns     []column
	identity    identity

	prev, cur   Object
	prevClocks  counter.Clocks
	curClocks   counter.Clocks
	hasPrev     bool
	sameDefs    bool
	older       []int32 // position of each definition in the older object, unless sameDefs
	match       []counter.Match
	from        []int32 // position of each instance in the older object, -1 for none
	inPlace     bool
	allVerified bool
	begun       bool

	settled *Labels // labels with only verified matches, all in place

	curKeys, prevKeys keys

	curFields, prevFields fields
	kept                  kept
	runs                  *runs

	scratch scratch
	op      counter.Batch
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

// older returns the object of the same machine to compare with. For an independent part it is in the
// part's last other block.
func (c *Cooker) older(o Object) (Object, bool) {
	if c.cur.hasIndependent && c.cur.part(o.s.number).independent {
		previous := c.cur.previousOf(o)
		return previous, previous.s != nil && !c.prev.IsZero()
	}
	return c.prev.same(o)
}

// olderClocks returns the clocks of the older sample, corrected by the change of the system time
// between the samples if the source has [winperf.ClocksTogether].
func (p *Pair) olderClocks() counter.Clocks {
	prev := p.prev.Clocks()
	if p.cur.s.block.Quirks&winperf.ClocksTogether != 0 {
		prev.Time100ns += counter.ClockStep(prev, p.curClocks)
	}
	return prev
}

// definitionBytes returns the bytes of all counter definitions, limited to the fields of winperf.h.
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

func baseSize(cs []index.Counter, k int) int {
	if base := cs[k].Base; base >= 0 {
		return int(cs[base].Size)
	}
	return 0
}

// inStates reports whether the counters still have the states in which they were compiled: a short
// counter block can lack counters in one sample.
func (p *Pair) inStates(cs []index.Counter) bool {
	for k := range cs {
		c, col := &cs[k], &p.columns[k]
		if c.State != col.state || c.Base != col.found || c.Multi != col.behind {
			return false
		}
	}
	return true
}

// matchDefinitions finds each definition of the newer object in the older one: the n-th of a title
// index and type by the n-th. A counter whose type changed gets typeChanged.
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

// SameDefinitions reports whether the older object exists and has the same definitions.
func (p *Pair) SameDefinitions() bool { return p.sameDefs }

// Layout returns a number that changes when the definitions of the pair's newer object change.
func (p *Pair) Layout() int { return p.layout }

func (p *Pair) len() int { return p.cur.Len() }

// InPlace reports whether each instance has the same position as in the older object; see From.
func (p *Pair) InPlace() bool { return p.inPlace }

// From returns the position of instance i in the older object and the certainty of the match: -1 and
// Unmatched for a new instance.
func (p *Pair) From(i int) (int, counter.Match) {
	if p.from[i] < 0 {
		return -1, counter.Unmatched
	}
	return int(p.from[i]), p.match[i]
}

// Clocks returns the times of the sample of the object's part, and the object's own time.
func (o Object) Clocks() counter.Clocks { return o.s.index.ObjectClocks(o.def()) }
