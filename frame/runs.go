package frame

import (
	"slices"
	"sync"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// runs holds the raw values of some neighbouring instances of a pair. The pairs of a Cooker share the
// memory, so that it stays in the processor's cache.
type runs struct {
	newer, older []index.Run
	at           [index.RunLen]int32
}

// idleRuns are the unused runs of a Cooker: as many as pairs were computed in parallel.
type idleRuns struct {
	mu   sync.Mutex
	list []*runs
}

func (s *idleRuns) acquire() *runs {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.list) - 1
	if last < 0 {
		return &runs{}
	}
	r := s.list[last]
	s.list = s.list[:last]
	return r
}

func (s *idleRuns) release(r *runs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, r)
}

// kept holds the values of an object that are needed when it is the older one, run by run and counter
// by counter: its bytes have left the processor's cache.
type kept struct {
	number uint64 // 0 for none
	values []uint64
	spare  []uint64
	older  []uint64 // values of the older object; nil if not kept
	same   bool     // older and values are the same slice: newer values replace older ones
}

// maxFields limits the memory of runs. Objects with more counters are computed column by column; none
// is known.
const maxFields = 1024

// fields lists the values of an object's instances that are read into runs.
type fields struct {
	list     []index.Field
	counters []int32
	of       []int32
}

func (f *fields) compile(cs []index.Counter, needed func(k int) bool) {
	f.list, f.counters, f.of = f.list[:0], f.counters[:0], f.of[:0]
	for k := range cs {
		f.of = append(f.of, int32(len(f.list)))
		if cs[k].State == index.Readable && needed(k) {
			f.list = append(f.list, index.Field{Value: cs[k].Value, Size: cs[k].Size})
			f.counters = append(f.counters, int32(k))
		}
	}
}

// needsOlder reports whether the older values of counter k are needed, for itself or as a base.
func (p *Pair) needsOlder(k int) bool { return p.columns[k].two || p.columns[k].isBase }

// place returns the index in kept of field j of instance i.
func place(fields, instances, j, i int) int {
	run := i / index.RunLen * index.RunLen
	return fields*run + j*min(index.RunLen, instances-run) + i - run
}

func (p *Pair) beginRuns() {
	p.runs = p.cooker.idle.acquire()
	k := &p.kept

	// Kept values are usable only if they are of the older object.
	k.older, k.same = nil, false
	if p.hasPrev && k.number == p.prev.Number() {
		k.older, k.same = k.values, p.inPlace && p.prev.Len() == p.len()
	}
	if !k.same {
		k.values, k.spare = k.spare, k.values
	}

	k.number = 0
	n := len(p.prevFields.list) * p.len()
	k.values = slices.Grow(k.values[:0], n)[:n]
}

func (p *Pair) endRuns() {
	p.kept.number = p.cur.Number()
	p.cooker.idle.release(p.runs)
	p.runs = nil
}

func (p *Pair) readRuns(first, n int) {
	r := p.runs
	if grow := len(p.curFields.list) - len(r.newer); grow > 0 {
		r.newer = append(r.newer, make([]index.Run, grow)...)
		r.older = append(r.older, make([]index.Run, grow)...)
	}

	at := r.at[:n]
	for i := range at {
		at[i] = int32(first + i)
	}
	p.cur.s.index.ReadRuns(r.newer, p.curFields.list, p.cur.pos, at)

	from := p.from[first:][:n]
	switch {
	case !p.hasPrev || p.kept.same:
	case p.kept.older != nil:
		p.gatherRuns(from)
	default:
		p.prev.s.index.ReadRuns(r.older, p.prevFields.list, p.prev.pos, from)
	}
}

// gatherRuns copies the older values from the kept ones. Most are adjacent in both samples.
func (p *Pair) gatherRuns(from []int32) {
	older, fields, count := p.runs.older, len(p.prevFields.list), p.prev.Len()
	for i, end := 0, 0; i < len(from); i = end {
		end = i + 1
		if from[i] < 0 {
			continue
		}
		for end < len(from) && from[end] == from[end-1]+1 && from[end]%index.RunLen != 0 {
			end++
		}
		for j := range fields {
			copy(older[j][i:end], p.kept.older[place(fields, count, j, int(from[i])):])
		}
	}
}

func (p *Pair) keepRuns(first, n int) {
	newer := p.runs.newer
	for j, k := range p.prevFields.counters {
		at := place(len(p.prevFields.list), p.len(), j, first)
		copy(p.kept.values[at:][:n], newer[p.curFields.of[k]][:n])
	}
}

func (p *Pair) loadRuns(op *counter.Batch, col *column, k, first int) {
	n := len(op.Bits)
	newer := p.runs.newer
	op.Cur = newer[p.curFields.of[k]][:n]
	if col.base >= 0 {
		op.CurBase = newer[p.curFields.of[col.base]][:n]
	}

	if !col.two {
		return
	}
	op.Prev = p.olderRun(k, first, n)
	if col.base >= 0 {
		op.PrevBase = p.olderRun(int(col.base), first, n)
	}
}

func (p *Pair) olderRun(k, first, n int) []uint64 {
	j := int(p.prevFields.of[k])
	if p.kept.same {
		return p.kept.values[place(len(p.prevFields.list), p.len(), j, first):][:n]
	}
	return p.runs.older[j][:n]
}

// suitsRuns reports whether values can be read in runs: each counter has the same position in both
// samples, and no value is missing.
func (p *Pair) suitsRuns() bool {
	if p.cur.def().Missing != 0 || len(p.curFields.list) > maxFields {
		return false
	}
	if !p.hasPrev {
		return true
	}
	if !p.sameDefs || p.prev.def().Missing != 0 {
		return false
	}

	// With the same definitions the older sample can lack counters if its counter blocks are too
	// short.
	return p.inStates(p.prev.counters())
}
