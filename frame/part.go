package frame

import (
	"iter"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// runs holds the raw values of one part of one pair. All pairs of a Cooker share
// the memory, so that it stays in the processor's cache.
type runs struct {
	pair         *Pair // nil while there are none
	first        int
	newer, older []index.Run
	at           [index.RunLen]int32
}

// maxFields bounds the memory of runs. An object with more counters, which no
// known one has, is cooked column by column.
const maxFields = 1024

// fields says which values of an object's instances are read into runs.
type fields struct {
	list []index.Field
	of   []int32 // by counter: the position in list of one that is read
}

// compile notes the counters that are needed and have values in a fixed place.
func (f *fields) compile(cs []index.Counter, needed func(k int) bool) {
	f.list, f.of = f.list[:0], f.of[:0]
	for k := range cs {
		f.of = append(f.of, int32(len(f.list)))
		if cs[k].State == index.Readable && needed(k) {
			f.list = append(f.list, index.Field{Value: cs[k].Value, Size: cs[k].Size})
		}
	}
}

// needsOlder tells whether cooking needs older values of the counter at position
// k: for itself, or as a base.
func (p *Pair) needsOlder(k int) bool { return p.columns[k].two || p.columns[k].isBase }

// readRuns reads what all columns of a part need, unless it was read last.
func (p *Pair) readRuns(first, n int) *runs {
	r := &p.cooker.runs
	if r.pair == p && r.first == first {
		return r
	}
	r.pair, r.first = p, first
	if grow := len(p.curFields.list) - len(r.newer); grow > 0 {
		r.newer = append(r.newer, make([]index.Run, grow)...)
		r.older = append(r.older, make([]index.Run, grow)...)
	}
	at := r.at[:n]
	for i := range at {
		at[i] = int32(first + i)
	}
	p.cur.s.index.ReadRuns(r.newer, p.curFields.list, p.cur.pos, at)
	if p.hasPrev {
		p.prev.s.index.ReadRuns(r.older, p.prevFields.list, p.prev.pos, p.from[first:first+n])
	}
	return r
}

// loadRuns gives a column of a part its operands.
func (p *Pair) loadRuns(op *counter.Column, col *column, k, first int) {
	n := len(op.Bits)
	r := p.readRuns(first, n)
	op.Cur = r.newer[p.curFields.of[k]][:n]
	if col.base >= 0 {
		op.CurBase = r.newer[p.curFields.of[col.base]][:n]
	}
	if !col.two {
		return
	}
	op.Prev = r.older[p.prevFields.of[k]][:n]
	if col.base >= 0 {
		op.PrevBase = r.older[p.prevFields.of[col.base]][:n]
	}
}

// Part is some neighbouring instances of a pair.
type Part struct {
	First, Len int // position of the first instance in the newer object, and how many there are
	pair       *Pair
	fixed      bool // the pair's values are in fixed places
}

// Parts splits the instances into parts. Whoever cooks all or most counters of
// one part before he takes the next reads the samples only once and in order,
// which for large ones takes two thirds of the time of whole columns.
func (p *Pair) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		fixed := p.fixed()
		for first := 0; first < p.Len(); first += index.RunLen {
			if !yield(Part{First: first, Len: min(index.RunLen, p.Len()-first), pair: p, fixed: fixed}) {
				return
			}
		}
	}
}

// fixed tells whether values are in the same places in both samples and none is
// marked as missing.
func (p *Pair) fixed() bool {
	if p.cur.def().Missing != 0 || len(p.curFields.list) > maxFields {
		return false
	}
	if !p.hasPrev {
		return true
	}
	if !p.sameDefs || p.prev.def().Missing != 0 {
		return false
	}
	return p.inStates(p.prev.counters())
}

// Column cooks the counter at position k for the instances of the part. It is
// valid until the next column of the same object is cooked.
func (t Part) Column(k int) Column {
	if sh := &t.pair.cur.s.shared; sh.on {
		if c, ok := sh.column(t.pair, k); ok {
			return t.of(c)
		}
	}
	t.pair.scratch.grow(t.Len)
	t.pair.cook(k, t.First, t.Len, 0, t.fixed)
	return t.pair.out
}
