package frame

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
)

func (s *store) decodeSets() error {
	var sets []winperf.CounterSet
	if s.block.Schema != nil {
		sets = s.block.Schema.Sets
	}
	return counterset.Decode(s.block.Bytes, sets, &s.index, s.setOptions)
}

// isSet reports whether the object is a counter set. Name and id together identify its instances.
func (o Object) isSet() bool { return o.def().GUID != winperf.GUID{} }

// cookValueClock computes a column whose clock is another counter of the same instance.
func (p *Pair) cookValueClock(op *counter.Batch, col *column, first int) {
	for i := range op.Bits {
		one := counter.Batch{
			Cur: at(op.Cur, i), Prev: at(op.Prev, i),
			CurBase: at(op.CurBase, i), PrevBase: at(op.PrevBase, i),
			Bits: op.Bits[i : i+1], Status: op.Status[i : i+1],
		}
		if op.Match != nil {
			one.Match = op.Match[i : i+1]
		}

		cur, ok := p.cur.valueClock(first+i, int(col.time)-1)
		if col.freq > 0 && ok {
			var freq uint64
			freq, ok = p.cur.Raw(first+i, int(col.freq)-1)
			cur.PerfFreq, cur.ObjectFreq = int64(freq), int64(freq)
		}

		if !ok && one.Status[0] == counter.OK {
			one.Status[0] = counter.InvalidData
		}

		// Only the time of the older clock is used.
		prev := cur
		if col.two && p.from[first+i] >= 0 {
			prev, ok = p.prev.valueClock(int(p.from[first+i]), p.olderPosition(col.time-1))
			if !ok && one.Status[0] == counter.OK {
				one.Status[0] = counter.NoPrevious
			}
		}

		col.formula.Cook(prev, cur, &one)
		op.Fell = op.Fell || one.Fell
	}
}

func at(column []uint64, i int) []uint64 {
	if column == nil {
		return nil
	}
	return column[i : i+1]
}

func (o Object) valueClock(i, time int) (c counter.Clocks, ok bool) {
	if time < 0 {
		return c, false
	}
	v, ok := o.Raw(i, time)
	return counter.Clocks{PerfTime: int64(v), Time100ns: int64(v), ObjectTime: int64(v)}, ok
}
