package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
)

// Kind is the way in which a counter is compared.
type Kind string

// The kinds.
const (
	Gauge Kind = "gauge" // a state, which may change between two looks and back
	Total Kind = "total" // a raw value that only grows
	Rate  Kind = "rate"  // a value of two looks
	// An Interval is a rate over an interval that a program chose.
	Interval Kind = "interval"
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

// minGauge is the number of looks after which a gauge or interval can differ. A gauge that moves at random
// is outside in up to two of three looks, although both readers are right. So it differs only if no value
// is in the range of all looks at the base.
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
	ranges map[string]*valueRange // of the instances of gauges and intervals
}

// valueRange has the values that a reader had for an instance, and the range of the base's values.
type valueRange struct {
	values            []float64
	least, most, room float64
}

func (r *valueRange) outside() bool {
	inside := func(v float64) bool { return v >= r.least-r.room && v <= r.most+r.room }
	return len(r.values) >= minGauge && !slices.ContainsFunc(r.values, inside)
}

// triple is a look of a reader between two looks of the base.
type triple struct{ before, look, after *Look }

// Add compares a look with the looks of the base directly before and after it. Rates are compared from the
// second look of a reader on.
func (c *Comparison) Add(before, look, after *Look) {
	if c.results == nil {
		c.results, c.earlier = map[resultKey]*result{}, map[[2]string]triple{}
	}
	pair := [2]string{look.Object, look.Reader}
	now := triple{before, look, after}
	older := c.earlier[pair]
	c.earlier[pair] = now

	for name, b := range look.Counters {
		a0, a1 := before.Counters[name], after.Counters[name]
		if !a0.isRaw() || !a1.isRaw() || a0.Type != a1.Type {
			continue
		}
		p := place{name: name, now: now, older: older, a0: a0, b: b, a1: a1}
		if b.Type != 0 && b.Type != a0.Type {
			c.typeDiffers(&p)
			continue
		}
		c.addCounter(&p)
	}
}

// place is a counter, and one of its instances, in a look and in the looks around it.
type place struct {
	name       Name
	now, older triple
	a0, b, a1  *Counter

	in         string
	j          int             // position in b
	before, to *counter.Sample // of the instance, in a0 and a1
}

func (c *Comparison) typeDiffers(p *place) {
	r := c.result(p, Gauge)
	r.Compared, r.Outside, r.Differs = r.Compared+1, r.Outside+1, true
	if r.First == "" {
		r.First = fmt.Sprintf("type %v, %s has %v", p.b.Type, p.now.before.Reader, p.a0.Type)
	}
}

// addCounter compares the instances of a counter.
func (c *Comparison) addCounter(p *place) {
	// The number of an instance that shares its name may belong to another one in each look.
	shared := map[string]bool{}
	if !slices.Equal(p.a0.Names, p.b.Names) || !slices.Equal(p.a0.Names, p.a1.Names) {
		for _, of := range []*Counter{p.a0, p.b, p.a1} {
			of.addSiblings(shared)
		}
	}

	for p.j, p.in = range p.b.Names {
		i0, i1 := p.a0.instance(p.in, p.j), p.a1.instance(p.in, p.j)
		if shared[p.in] || i0 < 0 || i1 < 0 || !sameID(p.a0, i0, p.a1, i1) {
			continue
		}
		p.before, p.to = &p.a0.Samples[i0], &p.a1.Samples[i1]
		switch {
		case p.b.isRaw():
			c.addRaw(p)
		case p.a0.Type.Samples() == 1:
			x, okX := cook(p.a0, nil, p.before)
			y, okY := cook(p.a1, nil, p.to)
			if okX && okY {
				c.within(p, Gauge, p.b.Values[p.j], min(x, y), max(x, y))
			}
		}
		c.addRate(p)
	}
}

func sameID(a *Counter, i int, b *Counter, j int) bool {
	return a.ids == nil || b.ids == nil || a.ids[i] == b.ids[j]
}

// addRaw compares a raw value: a total with the growth of the base, others with both values of the base.
func (c *Comparison) addRaw(p *place) {
	width := uint64(math.MaxUint64)
	if p.a0.bytes == 4 {
		width = math.MaxUint32
	}
	before, v, after := p.before.Value, p.b.Samples[p.j].Value&width, p.to.Value
	if !p.a0.Type.Cumulative() || isTotal(p.in) {
		before, after = min(before, after), max(before, after)
		room := uint64(p.b.Tolerance)
		inside := v+room >= before && v <= after+room
		c.count(p, Gauge, inside, float64(v), valueRange{nil, float64(before), float64(after), p.b.Tolerance})
		return
	}

	grown, room := (after-before)&width, uint64(p.b.Tolerance)
	inside := (v-before+room)&width <= grown+2*room
	c.count(p, Total, inside, float64(v), valueRange{least: float64(before), most: float64(after)})
}

// isTotal reports whether an instance sums up others, and so can fall when one ends.
func isTotal(instance string) bool { return strings.HasSuffix(instance, totalSuffix) }

const totalSuffix = "_Total"

// addRate compares the value that the reader has between its earlier look and this one. The base limits it by
// its growth from directly after the earlier look to directly before this one, and from directly before
// the earlier look to directly after this one.
func (c *Comparison) addRate(p *place) {
	typ := p.a0.Type
	if p.older.look == nil || p.b.Timeless || isTotal(p.in) || typ.Samples() != 2 || !typ.Cumulative() {
		return
	}
	a0, b, a1 := p.older.before.Counters[p.name], p.older.look.Counters[p.name], p.older.after.Counters[p.name]
	if !a0.isRaw() || b == nil || b.isRaw() != p.b.isRaw() || !a1.isRaw() {
		return
	}
	i0, j, i1 := a0.instance(p.in, p.j), b.instance(p.in, p.j), a1.instance(p.in, p.j)
	if i0 < 0 || j < 0 || i1 < 0 || !sameID(a0, i0, p.a0, p.a0.instance(p.in, p.j)) {
		return
	}

	v, ok := 0.0, true
	if p.b.isRaw() {
		v, ok = cook(p.b, &b.Samples[j], &p.b.Samples[p.j])
	} else {
		v = p.b.Values[p.j]
	}
	least, most, known := limits(p.a0, &a0.Samples[i0], &a1.Samples[i1], p.before, p.to)
	kind := Rate
	if b.Timeless { // the program began to count at about this look
		kind = Interval
	}
	if ok && known {
		c.within(p, kind, v, least, most)
	}
}

// rounding is the relative error of computations with float64.
const rounding = 1e-9

// within compares a displayed value.
func (c *Comparison) within(p *place, kind Kind, v, least, most float64) {
	room := p.b.Tolerance + rounding*math.Abs(most)
	c.count(p, kind, v >= least-room && v <= most+room, v, valueRange{nil, least, most, room})
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

// divisor returns the number by which the growth of a counter is divided.
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

func (c *Comparison) result(p *place, kind Kind) *result {
	key := resultKey{p.name, p.now.look.Reader, kind}
	r := c.results[key]
	if r == nil {
		done := Result{Name: p.name, Base: p.now.before.Reader, Reader: p.now.look.Reader, Kind: kind}
		r = &result{Result: done, ranges: map[string]*valueRange{}}
		c.results[key] = r
	}
	return r
}

// count counts a compared value.
func (c *Comparison) count(p *place, kind Kind, inside bool, v float64, expected valueRange) {
	r := c.result(p, kind)
	r.Compared++
	if !inside {
		r.Outside++
		if r.First == "" {
			r.First = fmt.Sprintf("%.10g, expected %.10g to %.10g", v, expected.least, expected.most)
			r.Instance = p.in
		}
	}
	if kind == Total || kind == Rate {
		r.Differs = r.Differs || !inside
		return
	}

	all := r.ranges[p.in]
	if all == nil {
		all = &expected
		r.ranges[p.in] = all
	}
	all.values = append(all.values, v)
	all.least, all.most = min(all.least, expected.least), max(all.most, expected.most)
}

// Results returns the results by object, counter, reader and kind.
func (c *Comparison) Results() []Result {
	var all []Result
	for _, r := range c.results {
		done := r.Result
		for _, values := range r.ranges {
			done.Differs = done.Differs || values.outside()
		}
		all = append(all, done)
	}
	sorted.Func(all, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Name.Counter, b.Name.Counter),
			cmp.Compare(a.Reader, b.Reader), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}
