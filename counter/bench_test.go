package counter

import (
	"math"
	"testing"
)

// benchColumn is a column as a busy object has it: all elements matched, all
// values and bases growing.
func benchColumn(n int) (prev, cur Clocks, col *Batch) {
	prev = Clocks{PerfTime: 1e9, PerfFreq: 1e7, Time100ns: 1e15, ObjectTime: 1e9, ObjectFreq: 1e7}
	cur = Clocks{PerfTime: 1e9 + 1e7, PerfFreq: 1e7, Time100ns: 1e15 + 1e7, ObjectTime: 1e9 + 1e7, ObjectFreq: 1e7}
	col = &Batch{
		Prev: make([]uint64, n), Cur: make([]uint64, n),
		PrevBase: make([]uint64, n), CurBase: make([]uint64, n),
		Match: make([]Match, n), Bits: make([]uint64, n), Status: make([]Status, n),
	}
	for i := range n {
		col.Prev[i], col.Cur[i] = uint64(i)*1000, uint64(i)*1001
		col.PrevBase[i], col.CurBase[i] = uint64(i)*50, uint64(i)*51+1
		col.Match[i] = Verified
	}
	return prev, cur, col
}

// BenchmarkFormula cooks columns of 300 elements of each type that has a
// formula, and gives the time of one element.
func BenchmarkFormula(b *testing.B) {
	const n = 300
	for info := range Types() {
		if info.formula.operands() == 0 {
			continue
		}
		b.Run(info.Name, func(b *testing.B) {
			prev, cur, col := benchColumn(n)
			f := NewFormula(info.Type, 0, 0, Options{})
			b.ReportAllocs()
			for b.Loop() {
				f.Cook(prev, cur, col)
			}
			perElement(b, n)
		})
	}
}

// BenchmarkBareLoop is the reference of BenchmarkFormula: loops that compute
// one formula and check nothing but a falling value.
func BenchmarkBareLoop(b *testing.B) {
	const n = 300
	prev, cur, col := benchColumn(n)
	loops := []struct {
		name string
		loop func()
	}{
		{"copy", func() { copy(col.Bits, col.Cur) }},
		{"rate", func() {
			seconds := float64(cur.PerfTime-prev.PerfTime) / float64(cur.PerfFreq)
			for i := range col.Bits {
				if col.Cur[i] < col.Prev[i] {
					col.Status[i] = NegativeValue
					continue
				}
				col.Bits[i] = math.Float64bits(float64(col.Cur[i]-col.Prev[i]) / seconds)
			}
		}},
	}
	for _, l := range loops {
		b.Run(l.name, func(b *testing.B) {
			for b.Loop() {
				l.loop()
			}
			perElement(b, n)
		})
	}
}

// BenchmarkCook cooks single values.
func BenchmarkCook(b *testing.B) {
	prev := &Sample{Value: 60000, Clocks: Clocks{PerfTime: 35e6, PerfFreq: 25e5}}
	cur := &Sample{Value: 61500, Clocks: Clocks{PerfTime: 375e5, PerfFreq: 25e5}}
	b.ReportAllocs()
	for b.Loop() {
		Cook(CounterCounter, prev, cur, Options{})
	}
}

// BenchmarkLookup finds the rows of all types.
func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		for i := range types {
			lookup(types[i].Type)
		}
	}
	perElement(b, len(types))
}

// perElement reports the time of one of the n elements of an iteration.
func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}
