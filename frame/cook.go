package frame

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// Cooker computes displayable values from pairs of frames. It keeps what it
// learned about each object's definitions and reuses its memory, so that
// cooking allocates nothing once warm. The zero Cooker is ready for use; it
// serves one goroutine.
type Cooker struct {
	opt       counter.Options
	prev, cur Frame
	pairs     []*Pair // per position of an object in cur
	table     table
	curKeys   keys
	prevKeys  keys
	groups    groups
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
// as long as no sample was taken. Both must be held while they are cooked.
// What the Cooker returned before is no longer valid.
func (c *Cooker) Set(prev, cur Frame, opt counter.Options) {
	if opt != c.opt {
		clear(c.pairs)
		c.opt = opt
	}
	c.prev, c.cur = prev, cur
	c.uses++
}

// Object returns the pair of an object of the newer frame with the same object
// of the older one. The instances are matched when first asked for.
func (c *Cooker) Object(o Object) *Pair {
	for len(c.pairs) <= o.pos {
		c.pairs = append(c.pairs, nil)
	}
	p := c.pairs[o.pos]
	if p == nil {
		p = &Pair{cooker: c}
		c.pairs[o.pos] = p
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
	layout int    // how often the definitions changed

	// What follows from the definitions, made anew when their bytes change.
	title       uint32
	definitions []byte
	columns     []column
	identity    identity

	prev, cur   Object
	hasPrev     bool
	sameDefs    bool    // the older definitions are the same bytes
	older       []int32 // position of each definition in the older object, where not sameDefs
	match       []counter.Match
	from        []int32 // position of each instance in the older object, -1 = none
	inPlace     bool    // every instance stands where it stood
	allVerified bool    // every instance is known to be the same

	settled *Labels // instances that were matched by name, each in its place and verified

	scratch scratch
}

// column is one counter definition ready to be cooked.
type column struct {
	formula counter.Formula
	state   index.CounterState
	base    int32
	multi   bool // the component count stands behind the value
}

// scratch holds one column's operands and results.
type scratch struct {
	cur, prev, curBase, prevBase []uint64
	bits                         []uint64
	status                       []counter.Status
}

func (p *Pair) set(o Object) {
	c := p.cooker
	p.cur = o
	d := o.def()
	defs := definitionBytes(o)
	if p.title != d.Title || !bytes.Equal(p.definitions, defs) {
		p.title, p.settled = d.Title, nil
		p.definitions = append(p.definitions[:0], defs...)
		p.compile()
		p.layout++
	}
	at := c.prev.store.find(o.pos, d.Title)
	p.hasPrev = at >= 0
	if p.hasPrev {
		p.prev = c.prev.Object(at)
		p.sameDefs = bytes.Equal(p.definitions, definitionBytes(p.prev))
		if !p.sameDefs {
			p.matchDefinitions()
		}
	}
	p.matchInstances()
}

// definitionBytes are the bytes of all counter definitions of the object, as
// far as winperf.h knows their fields.
func definitionBytes(o Object) []byte {
	cs := o.counters()
	if len(cs) == 0 {
		return nil
	}
	const definitionSize = 40 // PERF_COUNTER_DEFINITION
	return o.s.index.Data[cs[0].Off : cs[len(cs)-1].Off+definitionSize]
}

func (p *Pair) compile() {
	cs := p.cur.counters()
	p.columns = slices.Grow(p.columns[:0], len(cs))[:len(cs)]
	for k := range cs {
		d := &cs[k]
		baseSize := 0
		if d.Base >= 0 {
			baseSize = int(cs[d.Base].Size)
		}
		p.columns[k] = column{
			formula: counter.NewFormula(d.Type, int(d.Size), baseSize, p.cooker.opt),
			state:   d.State,
			base:    d.Base,
			multi:   d.Multi != 0,
		}
	}
	p.identity = newIdentity(cs)
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

// Layout is a number that changes when the object's definitions do.
func (p *Pair) Layout() int { return p.layout }

// Len is the number of instances of the newer object.
func (p *Pair) Len() int { return p.cur.Len() }

// From returns the position, in the older object, of the same instance as
// instance i of the newer one, and how well that is known. It is -1 and
// Unmatched for an instance that is new.
func (p *Pair) From(i int) (int, counter.Match) {
	if p.from[i] < 0 {
		return -1, counter.Unmatched
	}
	return int(p.from[i]), p.match[i]
}

// Column is one counter cooked over instances of an object. Its slices are
// valid until the next column of the same object is cooked.
type Column struct {
	Kind     counter.Kind
	Unit     counter.Unit
	Bits     []uint64         // values, see counter.FromBits
	Status   []counter.Status // only OK goes with a value
	o        Object
	k, first int
}

// Value returns the value at position i of the column; it holds nothing where
// the status is not OK.
func (c *Column) Value(i int) counter.Value {
	switch {
	case c.Status[i] != counter.OK:
		return counter.Value{}
	case c.Kind == counter.KindText:
		s, _ := c.o.Text(c.first+i, c.k)
		return counter.Text(s)
	}
	return counter.FromBits(c.Kind, c.Bits[i])
}

// Column cooks the counter at position k of the newer object for all instances.
func (p *Pair) Column(k int) Column { return p.Part(k, 0, p.Len()) }

// Parts is [Object.Parts] for both samples.
func (p *Pair) Parts() iter.Seq2[int, int] {
	return func(yield func(first, n int) bool) {
		for first, n := range p.cur.Parts() {
			if p.hasPrev {
				at := min(first, p.prev.Len())
				p.prev.touch(at, min(n, p.prev.Len()-at))
			}
			if !yield(first, n) {
				return
			}
		}
	}
}

// Part cooks the counter at position k for n instances from position first on.
// Where many counters of many instances are cooked, [Pair.Parts] makes it faster.
func (p *Pair) Part(k, first, n int) Column {
	s, col := &p.scratch, &p.columns[k]
	s.grow(n)
	out := Column{Kind: col.formula.Kind(), Unit: col.formula.Unit(), Bits: s.bits[:n], Status: s.status[:n], o: p.cur, k: k, first: first}
	if st := p.unreadable(col, k); st != counter.OK {
		fillStatus(out.Status, st)
		return out
	}
	clear(out.Status)
	if col.state == index.TextValue {
		out.Kind, out.Unit = counter.KindText, counter.TextUnit
		for i := range out.Status {
			if _, ok := p.cur.Text(first+i, k); !ok {
				out.Status[i] = counter.InvalidData
			}
		}
		return out
	}
	op := counter.Column{Bits: out.Bits, Status: out.Status}
	if !p.allVerified {
		op.Match = p.match[first : first+n]
	}
	p.load(&op, col, k, first)
	if col.formula.Samples() == 2 {
		p.loadOlder(&op, col, k, first)
	}
	col.formula.Cook(clocks(p.prev, p.hasPrev), clocks(p.cur, true), &op)
	return out
}

func (p *Pair) olderLen() int {
	if !p.hasPrev {
		return 0
	}
	return p.prev.Len()
}

// unreadable is the status of a counter that has no value for any instance.
func (p *Pair) unreadable(col *column, k int) counter.Status {
	switch col.state {
	case index.TextValue:
		return counter.OK
	case index.NoValue, index.BadSize:
		return counter.Unsupported
	}
	if col.formula.Kind() == counter.KindNone {
		return counter.Unsupported
	}
	if col.state == index.MissingBase {
		return counter.InvalidData
	}
	if col.formula.Samples() < 2 {
		return counter.OK
	}
	if !p.hasPrev {
		return counter.NoPrevious
	}
	if !p.sameDefs {
		switch p.older[k] {
		case typeChanged:
			return counter.InvalidData
		case noDefinition:
			return counter.NoPrevious
		}
		if col.base >= 0 && p.older[col.base] < 0 {
			return counter.NoPrevious
		}
	}
	return counter.OK
}

// load reads the operands of the newer sample. A value that is not there gives
// InvalidData.
func (p *Pair) load(op *counter.Column, col *column, k, first int) {
	s, n := &p.scratch, len(op.Bits)
	op.Cur = s.cur[:n]
	p.cur.read(op.Cur, k, first, op.Status)
	switch {
	case !col.formula.NeedsBase() && !col.formula.NeedsMulti():
	case col.base >= 0:
		op.CurBase = s.curBase[:n]
		p.cur.read(op.CurBase, int(col.base), first, op.Status)
	case col.multi:
		op.CurBase = s.curBase[:n]
		p.cur.s.index.MultiColumn(op.CurBase, p.cur.pos, k, first)
	}
}

// read reads raw values into dst. Where there is none the status becomes
// InvalidData.
func (o Object) read(dst []uint64, k, first int, status []counter.Status) {
	if o.ReadRaw(dst, k, first) {
		return
	}
	for i := range dst {
		if _, ok := o.Raw(first+i, k); !ok {
			status[i] = counter.InvalidData
		}
	}
}

// loadOlder reads the operands of the older sample.
func (p *Pair) loadOlder(op *counter.Column, col *column, k, first int) {
	s, n := &p.scratch, len(op.Bits)
	op.Prev = s.prev[:n]
	p.readOlder(op.Prev, p.olderPosition(int32(k)), first, op.Status)
	if col.formula.NeedsBase() {
		op.PrevBase = s.prevBase[:n]
		p.readOlder(op.PrevBase, p.olderPosition(col.base), first, op.Status)
	}
}

// readOlder reads raw values of the older sample into dst, in the newer one's
// order of instances. Where there is none the status becomes NoPrevious.
func (p *Pair) readOlder(dst []uint64, k, first int, status []counter.Status) {
	from := p.from[first : first+len(dst)]
	if p.inPlace {
		if p.prev.ReadRaw(dst, k, first) {
			return
		}
	} else if p.prev.s.index.Gather(dst, p.prev.pos, k, from) {
		return
	}
	for i, j := range from {
		if j < 0 || status[i] != counter.OK {
			continue // Match says that there is none
		}
		if _, ok := p.prev.Raw(int(j), k); !ok {
			status[i] = counter.NoPrevious
		}
	}
}

func clocks(o Object, ok bool) counter.Clocks {
	if !ok {
		return counter.Clocks{}
	}
	c := o.s.index.Clocks
	c.ObjectTime, c.ObjectFreq = o.def().Time, o.def().Freq
	return c
}

// grow makes room for n instances.
func (s *scratch) grow(n int) {
	if n <= len(s.bits) {
		return
	}
	n = max(n, 2*len(s.bits))
	s.cur, s.prev, s.curBase, s.prevBase = make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n)
	s.bits, s.status = make([]uint64, n), make([]counter.Status, n)
}

func fillStatus(dst []counter.Status, st counter.Status) {
	for i := range dst {
		dst[i] = st
	}
}
