package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
)

// Kind is the way in which a counter is compared.
type Kind string

// The kinds.
const (
	Gauge Kind = "gauge" // a state, which may change between two looks and back
	Total Kind = "total" // a raw value that only grows
	Rate  Kind = "rate"  // a value of two looks
)

// Result is the comparison of one counter of two readers.
type Result struct {
	Name
	Base, Reader string
	Kind         Kind
	Compared     int
	Outside      int
	Differs      bool
	// First describes the first value outside, and Instance is its instance.
	First, Instance string
}

// Share returns the share of compared values that are outside, in percent.
func (r *Result) Share() float64 { return 100 * float64(r.Outside) / float64(max(r.Compared, 1)) }

// minGauge is the number of looks after which a gauge that was never inside differs. A gauge that moves at
// random is outside in up to two of three looks, although both readers are right.
const minGauge = 3

// Comparison compares looks. The zero value is ready for use.
type Comparison struct {
	results map[resultKey]*result
	earlier map[[2]string]triple // by object and reader
}

type resultKey struct {
	Name
	reader string
	kind   Kind
}

type result struct {
	Result
	never map[string]int // gauges: looks of an instance, as long as it was never inside
}

// triple is a look of a reader between two looks of the base.
type triple struct{ before, look, after *Look }

// Add compares a look with the looks of the base directly before and after it. Rates are compared from the
// second look of a reader on.
func (c *Comparison) Add(before, look, after *Look) {
	if c.results == nil {
		c.results, c.earlier = map[resultKey]*result{}, map[[2]string]triple{}
	}
	place := [2]string{look.Object, look.Reader}
	now := triple{before, look, after}
	older := c.earlier[place]
	c.earlier[place] = now

	for name, b := range look.Counters {
		a0, a1 := before.Counters[name], after.Counters[name]
		if a0 == nil || a1 == nil || a0.Type != a1.Type {
			continue
		}
		if b.Type != 0 && b.Type != a0.Type {
			c.typeDiffers(name, now, a0.Type, b.Type)
			continue
		}
		c.add(name, now, older, [3]*Counter{a0, b, a1})
	}
}

func (c *Comparison) typeDiffers(name Name, t triple, base, other counter.Type) {
	r := c.result(name, t, Gauge)
	r.Compared, r.Outside, r.Differs = r.Compared+1, r.Outside+1, true
	if r.First == "" {
		r.First = fmt.Sprintf("type %v, %s has %v", other, t.before.Reader, base)
	}
}

// add compares the instances of a counter: c has it before, in the look and after.
func (c *Comparison) add(name Name, now, older triple, of [3]*Counter) {
	a0, b, a1 := of[0], of[1], of[2]
	same := slices.Equal(a0.Names, b.Names) && slices.Equal(a0.Names, a1.Names)
	var shared [3]map[string]bool
	if !same {
		shared = [3]map[string]bool{a0.siblings(), b.siblings(), a1.siblings()}
	}

	for j, in := range b.Names {
		if shared[0][in] || shared[1][in] || shared[2][in] {
			continue // its number may belong to another instance
		}
		i0, i1 := a0.instance(in, j), a1.instance(in, j)
		if i0 < 0 || i1 < 0 || !sameID(a0, i0, a1, i1) {
			continue
		}
		before, after := &a0.Samples[i0], &a1.Samples[i1]
		switch {
		case b.Samples != nil:
			c.raw(name, now, in, of, before, &b.Samples[j], after)
		case a0.Type.Samples() == 1:
			c.shown(name, now, in, of, before, b.Values[j], after)
		}
		c.rate(name, now, older, in, j, of, before, after)
	}
}

func sameID(a *Counter, i int, b *Counter, j int) bool {
	return a.ids == nil || b.ids == nil || a.ids[i] == b.ids[j]
}

// raw compares a raw value: a total with the growth of the base, others with both values of the base.
func (c *Comparison) raw(name Name, now triple, in string, of [3]*Counter, before, b, after *counter.Sample) {
	a := of[0]
	kind := Gauge
	width := uint64(math.MaxUint64)
	if a.bytes == 4 {
		width = math.MaxUint32
	}
	if a.Type.Cumulative() && !isTotal(in) {
		kind = Total
		grown, least := (after.Value-before.Value)&width, uint64(of[1].Tolerance)
		c.count(name, now, kind, in, (b.Value-before.Value+least)&width <= grown+2*least,
			func() string { return between(float64(b.Value&width), float64(before.Value), float64(after.Value)) })
		return
	}

	least, most := float64(min(before.Value, after.Value)), float64(max(before.Value, after.Value))
	v := float64(b.Value & width)
	c.count(name, now, kind, in, v >= least-of[1].Tolerance && v <= most+of[1].Tolerance,
		func() string { return between(v, least, most) })
}

// isTotal reports whether an instance sums up others, and so can fall when one ends.
func isTotal(instance string) bool { return strings.HasSuffix(instance, "_Total") }

// shown compares a displayed value that one sample gives.
func (c *Comparison) shown(name Name, now triple, in string, of [3]*Counter, before *counter.Sample, v float64,
	after *counter.Sample,
) {
	x, okX := cook(of[0], nil, before)
	y, okY := cook(of[2], nil, after)
	if !okX || !okY {
		return
	}
	least, most := min(x, y), max(x, y)
	room := of[1].Tolerance + rounding*math.Abs(most)
	c.count(name, now, Gauge, in, v >= least-room && v <= most+room, func() string { return between(v, least, most) })
}

// rounding is the relative error of computations with float64.
const rounding = 1e-9

// rate compares the value that the reader has between its earlier look and this one. The base limits it by
// its growth from directly after the earlier look to directly before this one, and from directly before
// the earlier look to directly after this one.
func (c *Comparison) rate(name Name, now, older triple, in string, j int, of [3]*Counter, a2, a3 *counter.Sample) {
	a := of[0]
	b := of[1]
	if !a.Type.Cumulative() || a.Type.Samples() != 2 || older.look == nil || b.Timeless || isTotal(in) {
		return
	}
	p0, p, p1 := older.before.Counters[name], older.look.Counters[name], older.after.Counters[name]
	if p0 == nil || p == nil || p1 == nil {
		return
	}
	i0, i, i1 := p0.instance(in, j), p.instance(in, j), p1.instance(in, j)
	if i0 < 0 || i < 0 || i1 < 0 || !sameID(p0, i0, a, a.instance(in, j)) {
		return
	}

	var v float64
	ok := true
	if b.Samples != nil {
		v, ok = cook(b, &p.Samples[i], &b.Samples[j])
	} else {
		v = b.Values[j]
	}
	least, most, known := limits(a, &p0.Samples[i0], &p1.Samples[i1], a2, a3)
	if !ok || !known {
		return
	}
	room := b.Tolerance + rounding*math.Abs(most)
	c.count(name, now, Rate, in, v >= least-room && v <= most+room, func() string { return between(v, least, most) })
}

// limits returns the least and the largest value that a reader can have whose two looks were between a0
// and a1 and between a2 and a3.
func limits(c *Counter, a0, a1, a2, a3 *counter.Sample) (least, most float64, ok bool) {
	inner, okInner := cook(c, a1, a2)
	outer, okOuter := cook(c, a0, a3)
	if !okInner || !okOuter {
		return 0, 0, false
	}
	short, long := divisor(c, a1, a2), divisor(c, a0, a3)
	if short <= 0 || long < short {
		return 0, 0, false
	}

	ratio := long / short
	if c.Type.Inverse() { // the rest of the whole
		whole := 100.0
		if c.Type.IsMulti() {
			whole *= float64(a3.Multi)
		}
		return whole - (whole-outer)*ratio, whole - (whole-inner)/ratio, true
	}
	return inner / ratio, outer * ratio, true
}

// divisor returns what the growth of a counter is divided by.
func divisor(c *Counter, from, to *counter.Sample) float64 {
	switch clock := c.Type.Clock(); {
	case c.Type.NeedsBase():
		return float64(int64(to.Base - from.Base))
	case clock == counter.NoClock:
		return 1
	default:
		begin, _ := from.At(clock)
		end, _ := to.At(clock)
		return float64(end - begin)
	}
}

// cook computes the displayed value of raw values.
func cook(c *Counter, from, to *counter.Sample) (float64, bool) {
	r := c.formula.CookOne(from, to, counter.Verified)
	if r.Status != counter.OK {
		return 0, false
	}
	return r.Value.Float64()
}

func between(v, least, most float64) string {
	return fmt.Sprintf("%.10g, expected %.10g to %.10g", v, least, most)
}

func (c *Comparison) result(name Name, t triple, kind Kind) *result {
	key := resultKey{name, t.look.Reader, kind}
	r := c.results[key]
	if r == nil {
		r = &result{Result: Result{Name: name, Base: t.before.Reader, Reader: t.look.Reader, Kind: kind}}
		r.never = map[string]int{}
		c.results[key] = r
	}
	return r
}

// count counts a compared value of an instance.
func (c *Comparison) count(name Name, t triple, kind Kind, in string, inside bool, text func() string) {
	r := c.result(name, t, kind)
	r.Compared++
	if !inside {
		r.Outside++
		if r.First == "" {
			r.First, r.Instance = text(), in
		}
	}

	if kind != Gauge {
		r.Differs = r.Differs || !inside
		return
	}
	switch looks, known := r.never[in]; {
	case inside:
		r.never[in] = -1
	case !known || looks >= 0:
		r.never[in]++
	}
}

// Results returns the results by object, counter, reader and kind.
func (c *Comparison) Results() []Result {
	var all []Result
	for _, r := range c.results {
		done := r.Result
		for _, looks := range r.never {
			done.Differs = done.Differs || looks >= minGauge
		}
		all = append(all, done)
	}
	slices.SortFunc(all, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Name.Counter, b.Name.Counter),
			cmp.Compare(a.Reader, b.Reader), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
