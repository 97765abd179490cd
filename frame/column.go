package frame

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// Column is one counter cooked over instances of an object. Its slices are
// valid until the next column of the same object is cooked.
type Column struct {
	Kind   counter.Kind
	Unit   counter.Unit
	Bits   []uint64         // values, see counter.FromBits
	Status []counter.Status // only OK goes with a value
	// Fell tells that a raw value or base fell: it wrapped, or the instance's
	// status says that it went back.
	Fell bool

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
func (p *Pair) Column(k int) Column {
	if sh := &p.cur.s.shared; sh.on {
		if c, ok := sh.column(p, k); ok {
			return c
		}
	}
	p.cookWhole(k)
	return p.out
}

// strip is how many instances are cooked at a time: the operands of a whole column
// of very many would take several times the memory of its values.
const strip = 4096

// cookWhole makes p.out the counter at position k of all instances.
func (p *Pair) cookWhole(k int) {
	n := p.Len()
	p.scratch.grow(n)
	fell := false
	for first := 0; first == 0 || first < n; first += strip {
		p.cook(k, first, min(strip, n-first), first, false)
		fell = fell || p.out.Fell
	}

	out := &p.out
	out.Bits, out.Status = p.scratch.bits[:n], p.scratch.status[:n]
	out.first, out.Fell = 0, fell
}

// cook makes p.out the counter at position k of n instances, no more than a strip,
// from position first on, and puts its results at a place of the scratch. fixed
// tells that they are a part whose values are in fixed places.
// Operands and result stand in the Pair because to build them on the stack and
// copy them takes as long as a dozen values.
func (p *Pair) cook(k, first, n, place int, fixed bool) {
	s, col, out, op := &p.scratch, &p.columns[k], &p.out, &p.op
	out.Kind, out.Unit = col.formula.Kind(), col.formula.Unit()
	out.Bits, out.Status = s.bits[place:][:n], s.status[place:][:n]
	out.o, out.k, out.first, out.Fell = p.cur, k, first, false
	if st := p.status(col, k); st != counter.OK {
		fillStatus(out.Status, st)
		return
	}
	clear(out.Status)
	if col.text {
		textValues(out)
		return
	}
	op.Bits, op.Status, op.Match = out.Bits, out.Status, nil
	op.CurBase, op.PrevBase = nil, nil
	if col.two && !p.allVerified {
		op.Match = p.match[first : first+n]
	}
	if fixed && col.fixed {
		p.loadRuns(op, col, k, first)
	} else {
		p.load(op, col, k, first)
		if col.two {
			p.loadOlder(op, col, k, first)
		}
	}
	if col.time > 0 {
		op.Fell = false
		p.cookOwnClock(op, col, first)
	} else {
		col.formula.Cook(p.prevClocks, p.curClocks, op)
	}
	out.Fell = op.Fell
}

// textValues makes out a column of texts.
func textValues(out *Column) {
	out.Kind, out.Unit = counter.KindText, counter.TextUnit
	for i := range out.Status {
		if _, ok := out.o.Text(out.first+i, out.k); !ok {
			out.Status[i] = counter.InvalidData
		}
	}
}

// column is one counter definition ready to be cooked.
type column struct {
	formula counter.Formula
	status  counter.Status // of a counter that never has a value
	text    bool
	two     bool  // two samples are needed
	base    int32 // position of the base to read, -1 = none
	isBase  bool  // of a counter that needs two samples
	multi   bool  // the component count stands behind the value
	fixed   bool  // value and base are inside every block

	// What the codec found out, which depends on the values too.
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
	return c
}

// scratch holds the operands of a strip of one column, and its results.
type scratch struct {
	cur, prev, curBase, prevBase []uint64
	bits                         []uint64
	status                       []counter.Status
}

// grow makes room for n instances.
func (s *scratch) grow(n int) {
	if n <= len(s.bits) {
		return
	}
	if was := len(s.bits); was > 0 {
		n = max(n, was+was/4)
	}
	s.bits, s.status = make([]uint64, n), make([]counter.Status, n)
	if n = min(n, strip); n > len(s.cur) {
		s.cur, s.prev = make([]uint64, n), make([]uint64, n)
		s.curBase, s.prevBase = make([]uint64, n), make([]uint64, n)
	}
}

func fillStatus(dst []counter.Status, st counter.Status) {
	for i := range dst {
		dst[i] = st
	}
}

// status is the status of a counter that has no value for any instance, or OK.
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

// load reads the operands of the newer sample. A value that is not there gives
// InvalidData.
func (p *Pair) load(op *counter.Column, col *column, k, first int) {
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
