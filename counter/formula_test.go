package counter

import (
	"math"
	"slices"
	"sync"
	"testing"
)

// TestWrapPolicies holds what each policy makes of a fall, by width and match.
// NaN stands for the status of a fall.
func TestWrapPolicies(t *testing.T) {
	const (
		near32 = 1<<32 - 100 // 200 below 100, modulo 2^32
		half   = 1 << 31
	)
	no := math.NaN()
	tests := []struct {
		name                     string
		typ                      Type
		valueSize, baseSize      int
		n0, n1, b0, b1           uint64
		match                    Match
		plausible, never, always float64
	}{
		{"wrap", Delta, 0, 0, near32, 100, 0, 0, Verified, 200, no, 200},
		{"wrap of 4 bytes in an 8-byte type", LargeDelta, 4, 0, near32, 100, 0, 0, Verified, 200, no, 200},
		{"8 bytes", LargeDelta, 0, 0, near32, 100, 0, 0, Verified, no, no, no},
		{"8 bytes in a 4-byte type", Delta, 8, 0, near32, 100, 0, 0, Verified, no, no, no},
		{"unverified", Delta, 0, 0, near32, 100, 0, 0, Unverified, no, no, 200},
		{"total", Delta, 0, 0, near32, 100, 0, 0, Aggregate, no, no, no},
		{"largest plausible", Delta, 0, 0, half + 1, 0, 0, 0, Verified, half - 1, no, half - 1},
		{"too far", Delta, 0, 0, half, 0, 0, 0, Verified, no, no, half},
		{"small fall", Delta, 0, 0, 6, 5, 0, 0, Verified, no, no, 1<<32 - 1},
		{"least of more than 4 bytes", Delta, 0, 0, 1 << 32, 1<<31 + 1, 0, 0, Verified, no, no, no},
		{"more than 4 bytes", Delta, 0, 0, 1<<32 + 1, 1, 0, 0, Verified, no, no, no},
		{"growth", Delta, 0, 0, 5, 1 << 31, 0, 0, Unverified, 1<<31 - 5, 1<<31 - 5, 1<<31 - 5},
		{"base wraps", AverageBulk, 0, 0, 0, 600, near32, 100, Verified, 3, no, 3},
		{"base of a total", AverageBulk, 0, 0, 0, 600, near32, 100, Aggregate, no, no, no},
		{"base of 8 bytes", AverageBulk, 0, 8, 0, 600, near32, 100, Verified, no, no, no},
		{"both wrap", SampleFraction, 0, 0, near32 + 50, 50, near32, 100, Verified, 50, no, 50},
		{"AVERAGE_TIMER has 8 bytes", AverageTimer, 0, 0, near32, 100, 1, 2, Verified, no, no, no},
		{"AVERAGE_TIMER of 4 bytes", AverageTimer, 4, 0, near32, 100, 1, 2, Verified, 20, no, 20},
	}
	for _, tt := range tests {
		for policy, want := range map[WrapPolicy]float64{WrapPlausible: tt.plausible, WrapNever: tt.never, WrapAlways: tt.always, 99: tt.never} {
			f := NewFormula(tt.typ, tt.valueSize, tt.baseSize, Options{Wrap: policy})
			got := f.CookOne(sample(tt.typ, tt.n0, tt.b0, 0, 1, 10), sample(tt.typ, tt.n1, tt.b1, 0, 2, 10), tt.match)
			value, ok := got.Value.Float64()
			fell := got.Status == NegativeValue || got.Status == NegativeDenominator
			if ok == math.IsNaN(want) || ok == fell || ok && value != want {
				t.Errorf("%s, policy %d: %v (%v), want %v", tt.name, policy, got.Value, got.Status, want)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	tests := []struct {
		typ                 Type
		valueSize, baseSize int
		kind                Kind
		want                Status
	}{
		{RawCountHex, 0, 0, KindHex32, OK},
		{RawCountHex, 8, 0, KindHex, OK},
		{LargeRawCountHex, 4, 0, KindHex32, OK},
		{RawCount, 8, 0, KindInt, OK},
		{RawCount, 2, 0, KindInt, Unsupported},
		{RawCount, -1, 0, KindInt, Unsupported},
		{RawCount, 4, 3, KindInt, OK}, // has no base
		{RawFraction, 4, 8, KindFloat, OK},
		{RawFraction, 4, 3, KindFloat, Unsupported},
		{DoubleRaw, 8, 0, KindFloat, OK},
		{DoubleRaw, 4, 0, KindFloat, Unsupported},
		{CounterText, 8, 0, KindText, Unsupported},
	}
	for _, tt := range tests {
		f := NewFormula(tt.typ, tt.valueSize, tt.baseSize, Options{})
		got := f.CookOne(nil, &Sample{Value: 1, Base: 2}, Verified)
		if got.Status != tt.want || f.Kind() != tt.kind {
			t.Errorf("%v of %d and %d bytes: %v, kind %d, want %v, kind %d", tt.typ, tt.valueSize, tt.baseSize, got.Status, f.Kind(), tt.want, tt.kind)
		}
	}
}

// TestColumn cooks a column that holds every kind of element.
func TestColumn(t *testing.T) {
	f := NewFormula(CounterCounter, 0, 0, Options{})
	col := &Batch{
		Prev:   []uint64{100, 100, 100, 100, 0xFFFFFFFF, 0xFFFFFFFF, 100},
		Cur:    []uint64{110, 120, 130, 90, 9, 9, 100},
		Match:  []Match{Verified, Unmatched, Unmatched, Verified, Verified, Aggregate, Unverified},
		Bits:   []uint64{1, 1, 1, 1, 1, 1, 1},
		Status: []Status{OK, OK, NoInstance, OK, OK, OK, OK},
	}
	f.Cook(Clocks{PerfTime: 10, PerfFreq: 5}, Clocks{PerfTime: 20, PerfFreq: 5}, col)

	wantStatus := []Status{OK, NoPrevious, NoInstance, NegativeValue, OK, NegativeValue, OK}
	if !slices.Equal(col.Status, wantStatus) {
		t.Errorf("statuses %v, want %v", col.Status, wantStatus)
	}
	for i, want := range map[int]float64{0: 5, 4: 5, 6: 0} {
		if got := math.Float64frombits(col.Bits[i]); got != want {
			t.Errorf("element %d = %v, want %v", i, got, want)
		}
	}
	for _, i := range []int{1, 2, 3, 5} {
		if col.Bits[i] != 1 {
			t.Errorf("element %d has no value, yet its bits changed to %d", i, col.Bits[i])
		}
	}
}

// TestShortColumns: slices that are missing or too short cost values, not the program.
func TestShortColumns(t *testing.T) {
	two := func() []uint64 { return []uint64{2, 2} }
	four := func() []uint64 { return []uint64{4, 4} }
	tests := []struct {
		name   string
		typ    Type
		change func(*Batch)
		want   []Status
	}{
		{"nothing missing", AverageBulk, func(*Batch) {}, []Status{OK, OK}},
		{"no matches: all verified", AverageBulk, func(c *Batch) { c.Match = nil }, []Status{OK, OK}},
		{"more matches than elements", AverageBulk, func(c *Batch) { c.Match = []Match{1, 1, 0, 0} }, []Status{OK, OK}},
		{"short matches", AverageBulk, func(c *Batch) { c.Match = c.Match[:1] }, []Status{InvalidData, InvalidData}},
		{"matches not needed", RawFraction, func(c *Batch) { c.Match = c.Match[:1] }, []Status{OK, OK}},
		{"no older values", AverageBulk, func(c *Batch) { c.Prev = nil }, []Status{NoPrevious, NoPrevious}},
		{"no older sample at all", AverageBulk, func(c *Batch) { c.Prev, c.PrevBase = nil, nil }, []Status{NoPrevious, NoPrevious}},
		{"short values", AverageBulk, func(c *Batch) { c.Cur = c.Cur[:1] }, []Status{InvalidData, InvalidData}},
		{"no base", AverageBulk, func(c *Batch) { c.CurBase = nil }, []Status{InvalidData, InvalidData}},
		{"no older base", AverageBulk, func(c *Batch) { c.PrevBase = nil }, []Status{InvalidData, InvalidData}},
		{"base not needed", BulkCount, func(c *Batch) { c.PrevBase, c.CurBase = nil, nil }, []Status{OK, OK}},
		{"no components", MultiTimer, func(c *Batch) { c.CurBase = nil }, []Status{InvalidData, InvalidData}},
		{"components have no past", MultiTimer, func(c *Batch) { c.PrevBase = nil }, []Status{OK, OK}},
		{"older values not needed", RawFraction, func(c *Batch) { c.Prev, c.PrevBase = nil, nil }, []Status{OK, OK}},
		{"short statuses", BulkCount, func(c *Batch) { c.Status = c.Status[:1:1] }, []Status{OK}},
		{"short statuses of averages", AverageBulk, func(c *Batch) { c.Status = c.Status[:1:1] }, []Status{OK}},
		{"short results", BulkCount, func(c *Batch) { c.Bits = c.Bits[:1] }, []Status{OK, OK}},
		{"a status of before stays", AverageBulk, func(c *Batch) { c.CurBase, c.Status[1] = nil, NoObject }, []Status{InvalidData, NoObject}},
		{"empty", BulkCount, func(c *Batch) { *c = Batch{} }, nil},
	}
	for _, tt := range tests {
		col := &Batch{
			Prev: two(), Cur: four(), PrevBase: two(), CurBase: four(),
			Match: []Match{Verified, Verified}, Bits: make([]uint64, 2), Status: make([]Status, 2),
		}
		tt.change(col)
		f := NewFormula(tt.typ, 0, 0, Options{})
		f.Cook(Clocks{PerfTime: 1, PerfFreq: 1}, Clocks{PerfTime: 2, PerfFreq: 1}, col)
		if !slices.Equal(col.Status, tt.want) {
			t.Errorf("%v, %s: %v, want %v", tt.typ, tt.name, col.Status, tt.want)
		}
	}
	var zero Formula
	col := &Batch{Bits: make([]uint64, 1), Status: make([]Status, 1)}
	zero.Cook(Clocks{}, Clocks{}, col)
	if col.Status[0] != Unsupported {
		t.Errorf("the zero Formula gives %v, want unsupported", col.Status[0])
	}
}

// Several goroutines use one Formula: the race detector watches.
func TestFormulaOfMany(t *testing.T) {
	for info := range Types() {
		f := NewFormula(info.Type, 0, 0, Options{})
		prev, cur, want := benchColumn(50)
		f.Cook(prev, cur, want)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				_, _, got := benchColumn(50)
				f.Cook(prev, cur, got)
				if !slices.Equal(got.Bits, want.Bits) || !slices.Equal(got.Status, want.Status) {
					t.Errorf("%v: %v, want %v", info.Type, got.Bits, want.Bits)
				}
			})
		}
		wait.Wait()
	}
}

// TestCookAllocatesNothing also cooks falling values, which take another way.
func TestCookAllocatesNothing(t *testing.T) {
	prev, cur, col := benchColumn(50)
	col.Prev[7], col.PrevBase[9], col.Match[11] = 1<<32-1, 1<<32-1, Unmatched
	for info := range Types() {
		f := NewFormula(info.Type, 0, 0, Options{})
		column := func() {
			clear(col.Status)
			f.Cook(prev, cur, col)
		}
		one := func() { Cook(info.Type, &Sample{Clocks: prev}, &Sample{Clocks: cur}, Options{}) }
		if n := testing.AllocsPerRun(10, column); n != 0 {
			t.Errorf("%v: %v allocations for a column", info.Type, n)
		}
		if n := testing.AllocsPerRun(10, one); n != 0 {
			t.Errorf("%v: %v allocations for a single value", info.Type, n)
		}
	}
}

// TestSomeElements shows that elements which have a status are left alone, wherever
// they are among others, and that the others get what they get alone.
func TestSomeElements(t *testing.T) {
	const n = 43
	for info := range Types() {
		f := NewFormula(info.Type, 0, 0, Options{})
		var prev, cur, prevBase, curBase []uint64
		var match []Match
		for i := range uint64(n) {
			prev, cur = append(prev, 10*i), append(cur, 11*i+i%3)
			prevBase, curBase = append(prevBase, 100+i), append(curBase, 102+2*i)
			match = append(match, Verified)
			switch i % 11 {
			case 3:
				cur[i] = prev[i] / 2 // it fell
			case 5:
				match[i] = Unmatched
			case 7:
				curBase[i] = prevBase[i]
			}
		}
		before := Clocks{PerfTime: 10, PerfFreq: 10, Time100ns: 1e7, ObjectTime: 10, ObjectFreq: 10}
		after := Clocks{PerfTime: 20, PerfFreq: 10, Time100ns: 2e7, ObjectTime: 2000, ObjectFreq: 10}

		for _, every := range []int{2, 5, 8, 1000} {
			bits, status := make([]uint64, n), make([]Status, n)
			for i := every - 1; i < n; i += every {
				bits[i], status[i] = 99, NoCounter
			}
			col := Batch{
				Prev: prev, Cur: cur, PrevBase: prevBase, CurBase: curBase,
				Match: match, Bits: bits, Status: status,
			}
			f.Cook(before, after, &col)

			fell := false
			for i := range status {
				if i%every == every-1 {
					if bits[i] != 99 || status[i] != NoCounter {
						t.Errorf("%v, element %d of every %d: %v %d, want it left alone",
							info.Type, i, every, status[i], bits[i])
					}
					continue
				}
				one := Batch{
					Prev: prev[i : i+1], Cur: cur[i : i+1], PrevBase: prevBase[i : i+1], CurBase: curBase[i : i+1],
					Match: match[i : i+1], Bits: make([]uint64, 1), Status: make([]Status, 1),
				}
				f.Cook(before, after, &one)
				fell = fell || one.Fell
				if status[i] != one.Status[0] || status[i] == OK && bits[i] != one.Bits[0] {
					t.Errorf("%v, element %d of every %d: %v %d, alone %v %d",
						info.Type, i, every, status[i], bits[i], one.Status[0], one.Bits[0])
				}
			}
			if col.Fell != fell {
				t.Errorf("%v, every %d: fell %t, alone %t", info.Type, every, col.Fell, fell)
			}
		}
	}
}
