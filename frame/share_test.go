package frame_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// place is where a column's values are: equal places are one computation.
func place(p *frame.Pair, k int) *uint64 { return &p.Column(k).Bits[0] }

// Cookers over the same two frames get the same columns; over others they do
// not.
func TestShare(t *testing.T) {
	var pool frame.Pool
	first, second := twoSample(t, &pool, at0, 0, 0), twoSample(t, &pool, at1, 100, 100)
	q := taker{shared: true}
	third := q.take(t, &pool, block(t, at2+fmt.Sprintf(twoObjects, 400, 400)), frame.Frame{})
	pairOf := func(prev frame.Frame, opt counter.Options) *frame.Pair {
		ck := &frame.Cooker{}
		must(t, ck.Set(prev, third, opt))
		return ck.Object(third.Object(1))
	}
	a := place(pairOf(second, counter.Options{}), 0)
	for _, tt := range []struct {
		name string
		pair *frame.Pair
		same bool
	}{
		{"the same two frames", pairOf(second, counter.Options{}), true},
		{"another older frame", pairOf(first, counter.Options{}), false},
		{"no older frame", pairOf(frame.Frame{}, counter.Options{}), false},
		{"other options", pairOf(second, counter.Options{Cap100: true}), false},
	} {
		if got := place(tt.pair, 0) == a; got != tt.same {
			t.Errorf("%s: same column %v, want %v", tt.name, got, tt.same)
		}
	}
	// There are as many pairs as are kept; one more is cooked by itself.
	fifth := pairOf(first, counter.Options{Cap100: true})
	if place(fifth, 0) == a {
		t.Error("a pair too many")
	}
	c := fifth.Column(0)
	if got := c.Value(0).String(); got != "100" { // 400 in 4 s
		t.Errorf("a pair too many: %s", got)
	}
}

// What is shared is what each cooks alone, in whole columns and in parts, also
// when frames and their memory come and go.
func TestShareGivesTheSame(t *testing.T) {
	samples := perftest.Series(perftest.Small, 6, 20, 1)
	var alone, pool frame.Pool
	var one, other frame.Cooker
	var before [2]frame.Frame
	takers := []taker{{}, {shared: true}}
	for n := range 12 {
		var f [2]frame.Frame
		for i, p := range []*frame.Pool{&alone, &pool} {
			f[i] = takers[i].take(t, p, samples[n%len(samples)].Bytes, before[i])
		}
		must(t, one.Set(before[0], f[0], counter.Options{}))
		want := values(&one, f[0])
		for range 2 {
			must(t, other.Set(before[1], f[1], counter.Options{}))
			if diff := cmp.Diff(want, values(&other, f[1])); diff != "" {
				t.Fatalf("sample %d (-alone +shared):\n%s", n, diff)
			}
			compareCook(t, &one, &other, f)
		}
		before = f
	}
}

// compareCook cooks all columns of each object at once.
func compareCook(t *testing.T, one, other *frame.Cooker, f [2]frame.Frame) {
	t.Helper()
	for o := range f[0].Objects() {
		p, q := one.Object(o), other.Object(f[1].Object(o.Position()))
		var a, b []frame.Cooked
		for k := range o.NumCounters() {
			only := []int32(nil)
			if k%2 == 1 && o.Len() > 0 {
				only = []int32{int32(o.Len() / 2)}
			}
			a, b = append(a, room(p, k, only)), append(b, room(q, k, only))
		}
		p.Cook(a)
		q.Cook(b)
		for k := range a {
			if diff := cmp.Diff(shown(&a[k]), shown(&b[k])); diff != "" {
				t.Fatalf("object %d counter %d: %s", o.ID().Index, k, diff)
			}
		}
	}
}

// Many goroutines cook the same frames at once.
func TestShareConcurrently(t *testing.T) {
	samples := perftest.Series(perftest.Small, 2, 10, 1)
	var pool frame.Pool
	prev := take(t, &pool, samples[0].Bytes, frame.Frame{})
	single := take(t, &pool, samples[1].Bytes, prev)
	var alone frame.Cooker
	must(t, alone.Set(prev, single, counter.Options{}))
	want := values(&alone, single)
	q := taker{shared: true}
	cur := q.take(t, &pool, samples[1].Bytes, prev)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			var ck frame.Cooker
			for range 5 {
				if err := ck.Set(prev, cur, counter.Options{}); err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff(want, values(&ck, cur)); diff != "" {
					t.Errorf("values (-alone +shared):\n%s", diff)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A reader of columns that another one cooked allocates nothing.
func TestShareAllocatesNothing(t *testing.T) {
	samples := perftest.Series(perftest.Desktop, 2, 0, 1)
	var pool frame.Pool
	prev := take(t, &pool, samples[0].Bytes, frame.Frame{})
	q := taker{shared: true}
	cur := q.take(t, &pool, samples[1].Bytes, prev)
	var ck frame.Cooker
	run := func() {
		must(t, ck.Set(prev, cur, counter.Options{}))
		for o := range cur.Objects() {
			for k := range o.NumCounters() {
				ck.Object(o).Column(k)
			}
		}
	}
	run()
	if got := testing.AllocsPerRun(10, run); got != 0 {
		t.Errorf("%v allocations a cycle", got)
	}
}

// BenchmarkShare cooks all counters of the desktop block for some readers of
// the same two frames, each for itself and shared.
func BenchmarkShare(b *testing.B) {
	for _, readers := range []int{1, 10} {
		for _, shared := range []bool{false, true} {
			name := map[bool]string{false: "alone", true: "shared"}[shared]
			b.Run(map[int]string{1: "1", 10: "10"}[readers]+"/"+name, func(b *testing.B) {
				samples := perftest.Series(perftest.Desktop, 2, 1, 1)
				var pool frame.Pool
				prev := take(b, &pool, samples[0].Bytes, frame.Frame{})
				cookers := make([]frame.Cooker, readers)
				q := taker{shared: shared}
				for b.Loop() {
					b.StopTimer()
					cur := q.take(b, &pool, samples[1].Bytes, prev)
					b.StartTimer()
					for i := range cookers {
						ck := &cookers[i]
						must(b, ck.Set(prev, cur, counter.Options{}))
						for o := range cur.Objects() {
							p := ck.Object(o)
							for k := range o.NumCounters() {
								p.Column(k)
							}
						}
					}
				}
			})
		}
	}
}
