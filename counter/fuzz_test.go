package counter

import (
	"math"
	"math/rand/v2"
	"testing"
)

// letters name the formulas as the documents do.
var letters = map[formulaID]string{
	formulaA: "A", formulaA2: "A2", formulaA3: "A3", formulaB: "B", formulaC: "C", formulaD: "D", formulaE: "E", formulaF1: "F1",
	formulaF2: "F2", formulaG: "G", formulaH: "H", formulaI: "I", formulaJ: "J", formulaK: "K", formulaL: "L", formulaM: "M", formulaO: "O",
}

// reference computes one value straight from the documents' formulas, with no
// thought of speed, for FuzzCook to compare with. scale is the size of the
// numbers that the result is the difference of.
func reference(f *Formula, opt Options, prev, cur *Sample, match Match) (value, scale float64, status Status) {
	letter := letters[f.id]
	if f.operands == 0 {
		return 0, 0, Unsupported
	}
	now, tb := cur.Clocks.At(f.clock)
	before, _ := prev.Clocks.At(f.clock)
	if f.samples == 2 && match == Unmatched {
		return 0, 0, NoPrevious
	}

	n, fell := refGrowth(f.valueWraps, opt.Wrap, match, prev.Value, cur.Value)
	b, baseFell := refGrowth(f.baseWraps, opt.Wrap, match, prev.Base, cur.Base)
	d := float64(now) - float64(before)
	if now > before {
		d = float64(uint64(now) - uint64(before))
	}

	// the denominator
	switch letter {
	case "C", "D", "E", "F1", "F2", "G", "H":
		if now < before {
			return 0, 0, NegativeDenominator
		}
		if now == before || (letter[0] == 'F' || letter == "G") && cur.Multi == 0 {
			return 0, 0, InvalidData
		}
	case "I":
		if cur.Base == 0 {
			return 0, 0, InvalidData
		}
	case "J", "K", "L", "M":
		if baseFell {
			return 0, 0, NegativeDenominator
		}
		if b == 0 && (letter == "M" || prev.Value != cur.Value) {
			return 0, 0, InvalidData
		}
	}
	// the time base
	timeBase := letter == "C" || letter == "K" ||
		letter == "O" && cur.Value != 0
	if timeBase && tb <= 0 {
		return 0, 0, NegativeTimebase
	}
	// the value
	if f.samples == 2 && fell {
		return 0, 0, NegativeValue
	}
	v, scale, status := refFormula(letter, n, b, d, float64(tb), now, cur)
	if opt.Clamp && v < 0 && f.inverse {
		v = 0
	}
	if opt.Cap100 && v > 100 && f.unit == Percent {
		v = 100
	}
	return v, max(scale, math.Abs(v)), status
}

func refFormula(letter string, n, b, d, tb float64, now int64, cur *Sample) (v, scale float64, status Status) {
	m := float64(cur.Multi)
	switch letter {
	case "A":
		return float64(cur.Value), 0, OK
	case "A2":
		return float64(cur.Value) / 1000, 0, OK
	case "A3":
		v = math.Float64frombits(cur.Value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, 0, InvalidData
		}
		return v, 0, OK
	case "B":
		return n, 0, OK
	case "C":
		return n / (d / tb), 0, OK
	case "D":
		return 100 * (n / d), 0, OK
	case "E":
		return 100 * (1 - n/d), 100 * (1 + n/d), OK
	case "F1", "F2":
		return 100 * (n / d) / m, 0, OK
	case "G":
		return 100 * (m - n/d), 100 * (m + n/d), OK
	case "H":
		return n / d, 0, OK
	case "I":
		return 100 * (float64(cur.Value) / float64(cur.Base)), 0, OK
	case "O":
		if cur.Value == 0 {
			return 0, 0, OK
		}
		if now < 0 || uint64(now) < cur.Value {
			return 0, 0, NegativeValue
		}
		return float64(uint64(now)-cur.Value) / tb, 0, OK
	}
	if b == 0 {
		return 0, 0, OK
	}
	factor := map[string]float64{"J": 100, "K": 1 / tb, "L": 1, "M": 100}[letter]
	return factor * (n / b), 0, OK
}

// refGrowth is the growth of a value, by the rules for decreasing values.
func refGrowth(wraps bool, policy WrapPolicy, match Match, n0, n1 uint64) (growth float64, fell bool) {
	if n1 >= n0 {
		return float64(n1 - n0), false
	}
	if !wraps || n0 >= 1<<32 || match == Aggregate || policy == WrapNever || policy > WrapAlways {
		return 0, true
	}
	wrapped := n1 + 1<<32 - n0
	if policy == WrapPlausible && (match != Verified || wrapped >= 1<<31) {
		return 0, true
	}
	return float64(wrapped), false
}

// FuzzCook cooks any numbers with any type, size and option. A single value
// must agree with the reference and with the same element in a column whose
// other elements differ, and a value must be there, finite, exactly when the
// status is ok.
func FuzzCook(f *testing.F) {
	for i := range len(types) {
		f.Add(uint32(i), uint64(100), uint64(130), uint64(7), uint64(10), uint64(2), int64(50), int64(80), int64(10), uint8(0), uint8(1))
		f.Add(uint32(i), uint64(1<<32-1), uint64(30), uint64(1<<32-7), uint64(10), uint64(0), int64(50), int64(80), int64(-1), uint8(5), uint8(2))
		f.Add(uint32(i), uint64(math.MaxUint64), uint64(30), uint64(9), uint64(9), uint64(1), int64(math.MinInt64), int64(math.MaxInt64), int64(1), uint8(0xFF), uint8(3))
	}
	f.Fuzz(checkCook)
}

func checkCook(t *testing.T, word uint32, n0, n1, b0, b1, m uint64, d0, d1, tb int64, choice, match uint8) {
	typ := Type(word)
	if int(word) < 2*len(types) { // small words stand for the known types, which are rare among all
		typ = types[int(word)%len(types)].Type
	}
	opt := Options{Wrap: WrapPolicy(choice & 3), Clamp: choice&16 != 0, Cap100: choice&32 != 0}
	sizes := [...]int{0, 4, 8, 0}[choice>>6]
	fm := NewFormula(typ, sizes, sizes, opt)
	prev, cur := sample(typ, n0, b0, 0, d0, tb), sample(typ, n1, b1, m, d1, tb)
	one := fm.CookOne(prev, cur, Match(match%4))

	checkResult(t, one)
	want, scale, status := reference(&fm, opt, prev, cur, Match(match%4))
	if one.Status != status {
		t.Fatalf("%v: %v, the reference has %v", typ, one.Status, status)
	}
	if got, ok := one.Value.Float64(); ok && math.Abs(got-want) > 1e-12*scale {
		t.Fatalf("%v: %v, the reference has %v", typ, got, want)
	}
	checkColumn(t, &fm, prev, cur, Match(match%4), one)
}

// TestCookReference cooks every type with numbers on and next to all bounds, in
// mixtures that are the same every time, and compares with the reference.
func TestCookReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bounds := []uint64{0, 1, 2, 100, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1 << 63, math.MaxUint64}
	number := func(near uint64) uint64 {
		switch r.IntN(4) {
		case 0:
			return near
		case 1:
			return near + 1 - r.Uint64N(3)
		}
		return bounds[r.IntN(len(bounds))] - r.Uint64N(3)
	}
	for i := range 500 * len(types) {
		n0, b0, d0 := number(100), number(50), number(1000)
		checkCook(t, uint32(i%len(types)), n0, number(n0), b0, number(b0), number(4),
			int64(d0), int64(number(d0)), int64(number(10)), uint8(r.Uint32()), uint8(r.Uint32()))
	}
}

// checkResult checks that there is a finite value exactly when the status is ok.
func checkResult(t *testing.T, r Result) {
	t.Helper()
	v, ok := r.Value.Float64()
	if ok != (r.Status == OK) || r.Value.Kind() == KindText {
		t.Fatalf("%v with the value %q", r.Status, r.Value)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("the value %v escaped", v)
	}
}

// checkColumn puts the samples between two others and checks that the element
// becomes what the single value is.
func checkColumn(t *testing.T, f *Formula, prev, cur *Sample, match Match, one Result) {
	t.Helper()
	second := cur.Base
	if f.NeedsMulti() {
		second = cur.Multi
	}
	col := &Batch{
		Prev: []uint64{0, prev.Value, 9}, Cur: []uint64{3, cur.Value, 5},
		PrevBase: []uint64{0, prev.Base, 9}, CurBase: []uint64{1, second, 5},
		Match: []Match{Unmatched, match, Verified},
		Bits:  []uint64{77, 77, 77}, Status: []Status{OK, OK, NoInstance},
	}
	f.Cook(prev.Clocks, cur.Clocks, col)
	if col.Status[1] != one.Status {
		t.Fatalf("in a column %v, alone %v", col.Status[1], one.Status)
	}
	if one.Status == OK && FromBits(f.Kind(), col.Bits[1]) != one.Value {
		t.Fatalf("in a column %v, alone %v", FromBits(f.Kind(), col.Bits[1]), one.Value)
	}
	if one.Status != OK && col.Bits[1] != 77 {
		t.Fatalf("%v, and the bits changed to %d", one.Status, col.Bits[1])
	}
	if col.Status[2] != NoInstance || col.Bits[2] != 77 {
		t.Fatalf("an element that had a status changed to %v, %d", col.Status[2], col.Bits[2])
	}
	if f.Samples() == 2 && f.operands != 0 && col.Status[0] != NoPrevious {
		t.Fatalf("an unmatched element has %v", col.Status[0])
	}
}
