package frame

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/poison"
)

// Cooked is a counter with its values for instances of an object; see [Pair.Cook].
type Cooked struct {
	// K is the position of the counter. Only, if not nil, selects instances: it lists their positions
	// in ascending order.
	K    int
	Only []int32

	Kind   counter.Kind
	Unit   counter.Unit
	Bits   []uint64         // values, see counter.FromBits
	Status []counter.Status // values are valid where it is OK
	// Fell reports a fall as in [counter.Batch], possibly of an instance that is not in Only.
	Fell bool

	o    Object
	next int // first of Only that is not computed
	done bool
}

// Value returns the value at position i of the column, the zero Value unless the status is OK.
func (c *Cooked) Value(i int) counter.Value {
	switch {
	case c.Status[i] != counter.OK:
		return counter.Value{}
	case c.Kind == counter.KindText:
		s, _ := c.o.Text(c.instance(i), c.K)
		return counter.Text(s)
	}
	return counter.FromBits(c.Kind, c.Bits[i])
}

func (c *Cooked) instance(i int) int {
	if c.Only == nil {
		return i
	}
	return int(c.Only[i])
}

// Column computes the counter at position k of the newer object for all instances. Its slices are
// valid until the next column of the same object is requested.
func (p *Pair) Column(k int) Cooked {
	s := &p.scratch
	if n := p.len(); n > len(s.bits) {
		s.bits, s.status = make([]uint64, n+n/4), make([]counter.Status, n+n/4)
	}
	if poison.On {
		poison.Words(s.bits)
		poison.Bytes(s.status)
	}

	one := [1]Cooked{{K: k, Bits: s.bits[:p.len()], Status: s.status[:p.len()]}}
	p.Cook(one[:])
	return one[0]
}

// Cook computes columns of the newer object. For each column the caller sets K and Only, and makes Bits
// and Status with an element for each selected instance. If Only is nil and Cookers share the columns
// of the block (see [winperf.Block.Kept]), Cook may replace Bits and Status by shared slices. Do not
// change these; they are valid as long as the frame. One call for all columns is fastest, because it
// reads the samples in order.
func (p *Pair) Cook(cols []Cooked) {
	if sh := &p.cur.s.shared; sh.on {
		cols = sh.take(p, cols)
	}
	p.cook(cols)
}

func (p *Pair) cook(cols []Cooked) {
	active := 0
	for i := range cols {
		if p.begin(&cols[i]); !cols[i].done && cols[i].Only == nil {
			active++
		}
	}

	// Reading all fields pays if most of them are needed.
	step, inRuns := strip, false
	if active > 0 && 2*active >= len(p.columns) && p.suitsRuns() {
		step, inRuns = index.RunLen, true
		p.beginRuns()
	}

	p.scratch.grow(min(step, p.len()))
	for first := 0; first < p.len(); first += step {
		n := min(step, p.len()-first)
		if inRuns {
			p.readRuns(first, n)
		}

		for i := range cols {
			c := &cols[i]
			switch {
			case c.done:
			case c.Only == nil:
				p.cookStrip(c, first, c.Bits[first:][:n], c.Status[first:][:n], inRuns)
			default:
				p.cookOnly(c, first, n, inRuns)
			}
		}

		if inRuns {
			p.keepRuns(first, n)
		}
	}

	if inRuns {
		p.endRuns()
	}
}

func (p *Pair) begin(c *Cooked) {
	col := &p.columns[c.K]
	c.Kind, c.Unit = col.formula.Kind(), col.formula.Unit()
	c.o, c.Fell, c.next, c.done = p.cur, false, 0, false
	switch st := p.status(col, c.K); {
	case st != counter.OK:
		fillStatus(c.Status, st)
		if st == counter.NoPrevious {
			p.markNotPermitted(c)
		}
		c.done = true
	case col.text:
		textValues(c)
		c.done = true
	}
}

// markNotPermitted sets counter.NotPermitted where a second sample would not help.
func (p *Pair) markNotPermitted(c *Cooked) {
	if p.cur.def().Missing == 0 {
		return
	}
	for i := range c.Status {
		if in := c.instance(i); p.cur.Lack(in, c.K) == counter.NotPermitted {
			c.Status[i] = counter.NotPermitted
		}
	}
}

// strip is the number of instances computed at a time. It limits the memory for operands.
const strip = 4096

func (p *Pair) cookOnly(c *Cooked, first, n int, inRuns bool) {
	begin, end := c.next, c.next
	for end < len(c.Only) && int(c.Only[end]) < first+n {
		end++
	}

	if begin == end {
		return
	}

	c.next = end
	requested := c.Only[begin:end]
	if !inRuns {
		first, n = int(requested[0]), int(requested[len(requested)-1]-requested[0])+1
	}

	s := &p.scratch
	bits, status := s.someBits[:n], s.someStatus[:n]
	p.cookStrip(c, first, bits, status, inRuns)
	for m, i := range requested {
		at := int(i) - first
		c.Bits[begin+m], c.Status[begin+m] = bits[at], status[at]
	}
}

// cookStrip computes a column for len(bits) instances, at most a strip, from position first on.
// inRuns: they are a run with values at fixed positions. Operands are in the Pair because building
// them on the stack is slow.
func (p *Pair) cookStrip(c *Cooked, first int, bits []uint64, status []counter.Status, inRuns bool) {
	col, op := &p.columns[c.K], &p.op
	clear(status)
	op.Bits, op.Status, op.Match, op.Fell = bits, status, nil, false
	op.CurBase, op.PrevBase = nil, nil
	if col.two && !p.allVerified {
		op.Match = p.match[first:][:len(bits)]
	}

	if inRuns && col.fixed {
		p.loadRuns(op, col, c.K, first)
	} else {
		p.load(op, col, c.K, first)
		if col.two {
			p.loadOlder(op, col, c.K, first)
		}
	}
	if p.begun && col.two {
		p.startFromZero(op, col, first)
	}

	if col.time > 0 {
		p.cookValueClock(op, col, first)
	} else {
		col.formula.Cook(p.prevClocks, p.curClocks, op)
	}
	c.Fell = c.Fell || op.Fell
}

func textValues(out *Cooked) {
	out.Kind, out.Unit = counter.KindText, counter.TextUnit
	clear(out.Status)
	for i := range out.Status {
		if _, ok := out.o.Text(out.instance(i), out.K); !ok {
			out.Status[i] = counter.InvalidData
		}
	}
}

type column struct {
	formula counter.Formula
	status  counter.Status // if the counter never has a value
	text    bool
	two     bool
	base    int32 // position of the base, -1 for none
	isBase  bool  // base of a counter that needs two samples
	multi   bool
	fixed   bool

	fromZero bool

	// Results of the decoder, which depend on values, too.
	state  index.CounterState
	found  int32  // base
	behind uint32 // component count

	time, freq int32 // as in index.Counter
}

func newColumn(d *index.Counter, baseSize int, opt counter.Options) column {
	f := counter.NewFormula(d.Type, int(d.Size), baseSize, opt)
	c := column{
		formula: f, text: d.State == index.TextValue, two: f.Samples() == 2, base: -1,
		state: d.State, found: d.Base, behind: d.Multi, time: d.Time, freq: d.Freq,
	}
	second := f.NeedsBase() || f.NeedsMulti()
	if second {
		c.base, c.multi = d.Base, d.Multi != 0
	}

	switch {
	case c.text:
	case d.State == index.NoValue, d.State == index.BadSize, f.Kind() == counter.KindNone:
		c.status = counter.Unsupported
	case second && c.base < 0 && !c.multi:
		c.status = counter.InvalidData
	}
	c.fixed = d.State == index.Readable && !c.multi
	c.fromZero = CountsFromZero(d.Type) && d.Time == 0
	return c
}

// scratch is memory for a strip, and for columns without memory.
type scratch struct {
	cur, prev, curBase, prevBase []uint64
	someBits, bits               []uint64
	someStatus, status           []counter.Status
}

func (s *scratch) grow(n int) {
	was := len(s.cur)
	if n <= was {
		return
	}
	if was > 0 {
		n = min(strip, max(n, was+was/4))
	}
	s.cur, s.prev = make([]uint64, n), make([]uint64, n)
	s.curBase, s.prevBase = make([]uint64, n), make([]uint64, n)
	s.someBits, s.someStatus = make([]uint64, n), make([]counter.Status, n)
}

func fillStatus(dst []counter.Status, st counter.Status) {
	for i := range dst {
		dst[i] = st
	}
}

// status returns the common status of a counter's values, or OK.
func (p *Pair) status(col *column, k int) counter.Status {
	if col.status != counter.OK || !col.two {
		return col.status
	}
	if !p.hasPrev {
		return counter.NoPrevious
	}
	if p.sameDefs {
		return counter.OK
	}

	if p.older[k] == typeChanged {
		return counter.InvalidData
	}
	if p.older[k] == noDefinition || col.base >= 0 && p.older[col.base] < 0 {
		return counter.NoPrevious
	}
	return counter.OK
}

func (p *Pair) load(op *counter.Batch, col *column, k, first int) {
	s, n := &p.scratch, len(op.Bits)
	op.Cur = s.cur[:n]
	p.cur.read(op.Cur, k, first, op.Status)
	switch {
	case col.base >= 0:
		op.CurBase = s.curBase[:n]
		p.cur.read(op.CurBase, int(col.base), first, op.Status)
	case col.multi:
		op.CurBase = s.curBase[:n]
		p.cur.s.index.MultiColumn(op.CurBase, p.cur.pos, k, first)
	}
}

// read reads raw values into dst. A missing value gets the status of Lack.
func (o Object) read(dst []uint64, k, first int, status []counter.Status) {
	if o.ReadRaw(dst, k, first) {
		return
	}
	for i := range dst {
		if _, ok := o.Raw(first+i, k); !ok && status[i] == counter.OK {
			status[i] = o.Lack(first+i, k)
		}
	}
}

func (p *Pair) loadOlder(op *counter.Batch, col *column, k, first int) {
	s, n := &p.scratch, len(op.Bits)
	op.Prev = s.prev[:n]
	p.readOlder(op.Prev, p.olderPosition(int32(k)), first, op.Status)
	if col.formula.NeedsBase() {
		op.PrevBase = s.prevBase[:n]
		p.readOlder(op.PrevBase, p.olderPosition(col.base), first, op.Status)
	}
}

// readOlder reads raw values of the older sample into dst, in the newer order of instances. A missing
// value gets NoPrevious.
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
			continue
		}
		if _, ok := p.prev.Raw(int(j), k); !ok {
			status[i] = counter.NoPrevious
		}
	}
}
