package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// TestKeptValues shows that a Cooker that goes on from sample to sample, and keeps what
// it read, makes the values of one that sees two samples for the first time: while
// instances stay, while some come, leave and move, and after a sample was passed over.
func TestKeptValues(t *testing.T) {
	for _, churn := range []float64{0, 1, 20} {
		t.Run(fmt.Sprintf("churn=%v%%", churn), func(t *testing.T) {
			var pool frame.Pool
			var goesOn frame.Cooker
			var frames []frame.Frame
			before := frame.Frame{}
			for i, s := range perftest.Series(perftest.Desktop, 9, churn, 11) {
				before = take(t, &pool, s.Bytes, before)
				frames = append(frames, before)
				older := frames[max(0, i-1)]
				switch i {
				case 0:
					older = frame.Frame{}
				case 4, 6:
					older = frames[i-2]
				}

				var first frame.Cooker
				must(t, goesOn.Set(older, before, counter.Options{}))
				must(t, first.Set(older, before, counter.Options{}))
				for o := range before.Objects() {
					want := wholeObject(first.Object(o), o.NumCounters())
					sameColumns(t, want, wholeObject(goesOn.Object(o), o.NumCounters()))
					if i%3 == 0 { // twice
						sameColumns(t, want, wholeObject(goesOn.Object(o), o.NumCounters()))
					}
				}
			}
		})
	}
}

// TestKeptValuesEnd shows that kept values stay those of their instances where the last
// instances leave or come, and all others stay in their places.
func TestKeptValuesEnd(t *testing.T) {
	const step = 2 * 100 // of the clock: two seconds
	var pool frame.Pool
	var ck frame.Cooker
	before := frame.Frame{}
	for n, instances := range []int{5, 5, 3, 3, 4, 40, 35, 2} {
		var b strings.Builder
		fmt.Fprintf(&b, "block perftime=%d perffreq=100 time100ns=133500000000000000\n", 1000+n*step)
		b.WriteString("object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n counter 1004 PERF_COUNTER_BULK_COUNT\n")
		for i := range instances {
			fmt.Fprintf(&b, " instance \"i%d\" : %d %d\n", i, 1000*i+2*n*(i+1), 5000*i+2*n*(i+100))
		}
		f := take(t, &pool, block(t, b.String()), before)
		was := 0
		if n > 0 {
			was = before.Object(0).Len()
		}

		must(t, ck.Set(before, f, counter.Options{}))
		for k, col := range wholeObject(ck.Object(f.Object(0)), 2) {
			for i := range instances {
				want, got := fmt.Sprint(i+1+99*k), col.Value(i).String()
				if i >= was {
					want, got = counter.NoPrevious.String(), col.Status[i].String()
				}
				if got != want {
					t.Errorf("sample %d, counter %d of instance %d: %s, want %s", n, k, i, got, want)
				}
			}
		}
		before = f
	}
}

// wholeObject cooks all columns of an object at once.
func wholeObject(p *frame.Pair, counters int) []frame.Cooked {
	cols := make([]frame.Cooked, counters)
	for k := range cols {
		cols[k] = room(p, k, nil)
	}
	p.Cook(cols)
	return cols
}

func sameColumns(t *testing.T, want, got []frame.Cooked) {
	t.Helper()
	for k := range want {
		w, g := &want[k], &got[k]
		if w.Kind != g.Kind || w.Fell != g.Fell {
			t.Fatalf("counter %d: kind %v, fell %t; want %v, %t", k, g.Kind, g.Fell, w.Kind, w.Fell)
		}
		for i := range w.Status {
			if w.Status[i] != g.Status[i] || w.Value(i) != g.Value(i) {
				t.Fatalf("counter %d of instance %d: %v %v, want %v %v",
					k, i, g.Status[i], g.Value(i), w.Status[i], w.Value(i))
			}
		}
	}
}
