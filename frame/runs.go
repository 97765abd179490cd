package frame

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// runs holds the raw values of some neighbouring instances of one pair. All pairs of a Cooker share
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

// readRuns reads what all columns need of n instances, unless it was read last.
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

// loadRuns gives a column its operands of a run of instances.
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
