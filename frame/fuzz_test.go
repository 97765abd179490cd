package frame_test

import (
	"fmt"
	"math"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// FuzzPair decodes any two blocks and cooks everything. Whatever the bytes:
// names are text, every instance is the successor of at most one older one and
// no older one has two, a value is exactly where the status says so,
// numbers are finite, and parts are like the whole.
func FuzzPair(f *testing.F) {
	// Seeds are small: the fuzzer spends its time on making what it finds smaller.
	texts := []string{
		at0 + "object 230 time=5 freq=7\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 6 PERF_100NSEC_TIMER\n instance \"a\" : 1 2 3\n instance \"a\" : 2 2 3\n instance \"_Total\" : 0 9 6\n",
		at1 + "object 230 time=5 freq=7\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 6 PERF_100NSEC_TIMER\n instance \"a\" : 2 2 3\n instance \"a\" : 1 3 3\n instance \"_Total\" : 0 9 7\n",
		at0 + "object 1000 missing=auto\n counter 10 PERF_COUNTER_TEXT size=8\n counter 12 PERF_AVERAGE_BULK\n counter 0 PERF_AVERAGE_BASE\n instance \"a\" id=7 : \"x\" 1 2\n instance - : ? 1 2\n",
		at1 + "object 1000\n counter 12 PERF_COUNTER_MULTI_TIMER\n counter 14 PERF_COUNTER_RAWCOUNT\n instance \"a\" parent=1000 position=0 : 1 2\n instance \"a\" : 3 4\nobject 4 form=single\n counter 24 PERF_ELAPSED_TIME\n values : 9\n",
	}
	for i, text := range texts {
		f.Add(block(f, text), block(f, texts[(i+1)%len(texts)]))
		f.Add(block(f, text), block(f, text))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var pool frame.Pool
		var ck frame.Cooker
		decode := func(b []byte, before frame.Frame) frame.Frame {
			f, _ := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: b}.Sample(), before)
			return f // the zero Frame where nothing can be read
		}
		prev := decode(a, frame.Frame{})
		cur := decode(b, prev)
		must(t, ck.Set(prev, cur, counter.Options{}))
		for o := range cur.Objects() {
			checkNames(t, o)
			p := ck.Object(o)
			checkFrom(t, p)
			for k := range o.NumCounters() {
				col := p.Column(k)
				for i := range col.Status {
					checkValue(t, col.Status[i], col.Value(i))
				}
				checkCook(t, p, o.NumCounters(), k, shown(&col))
			}
		}
	})
}

func checkNames(t *testing.T, o frame.Object) {
	seen := map[string]bool{}
	for in := range o.Instances() {
		if !utf8.ValidString(in.Full()) {
			t.Fatalf("the name %q is no UTF-8", in.Full())
		}
		p := winperf.Path{Object: "o", HasInstance: true, Instance: in.Full(), Index: in.Occurrence(), Counter: "c"}
		if seen[p.String()] {
			t.Fatalf("two instances are called %s", p)
		}
		seen[p.String()] = true
	}
}

// shown is what a column shows.
func shown(c *frame.Cooked) (values []string) {
	for i := range c.Status {
		values = append(values, fmt.Sprint(c.Status[i], c.Value(i)))
	}
	return values
}

// room is a column that has space for its values.
func room(p *frame.Pair, k int, only []int32) frame.Cooked {
	n := p.Len()
	if only != nil {
		n = len(only)
	}
	return frame.Cooked{K: k, Only: only, Bits: make([]uint64, n), Status: make([]counter.Status, n)}
}

// checkCook checks that a column cooked among all others, or of some instances
// only, is the column cooked alone.
func checkCook(t *testing.T, p *frame.Pair, counters, k int, whole []string) {
	t.Helper()
	checkOperands(t, p, k, whole)
	some := []int32{}
	var want []string
	for i := range whole {
		if i%97 == 0 || i%5 == 3 || i+1 == len(whole) {
			some, want = append(some, int32(i)), append(want, whole[i])
		}
	}
	alone := []frame.Cooked{room(p, k, some)}
	p.Cook(alone)
	if diff := cmp.Diff(want, shown(&alone[0])); diff != "" {
		t.Fatalf("counter %d of some instances: %s", k, diff)
	}

	all := []frame.Cooked{room(p, k, some)}
	for other := range counters {
		all = append(all, room(p, other, nil))
	}
	p.Cook(all)
	if diff := cmp.Diff(want, shown(&all[0])); diff != "" {
		t.Fatalf("counter %d of some instances, beside all others: %s", k, diff)
	}
	if diff := cmp.Diff(whole, shown(&all[1+k])); diff != "" {
		t.Fatalf("counter %d, beside all others: %s", k, diff)
	}
}

func checkFrom(t *testing.T, p *frame.Pair) {
	taken := map[int]bool{}
	for i := range p.Len() {
		j, m := p.From(i)
		if (j < 0) != (m == counter.Unmatched) {
			t.Fatalf("instance %d: from %d, match %d", i, j, m)
		}
		if j >= 0 && taken[j] {
			t.Fatalf("instance %d of the older sample is two in the newer one", j)
		}
		taken[j] = j >= 0
	}
}

func checkValue(t *testing.T, s counter.Status, v counter.Value) {
	if (s == counter.OK) != (v.Kind() != counter.KindNone) {
		t.Fatalf("status %v with the value %v", s, v)
	}
	if f, ok := v.Float64(); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		t.Fatalf("value %v", f)
	}
}
