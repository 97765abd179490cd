package frame_test

import (
	"fmt"
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
				goesOn.Set(older, before, counter.Options{})
				first.Set(older, before, counter.Options{})
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

// wholeObject cooks all columns of an object at once.
func wholeObject(p *frame.Pair, counters int) []frame.Column {
	cols := make([]frame.Column, counters)
	for k := range cols {
		cols[k] = room(p, k, nil)
	}
	p.Cook(cols)
	return cols
}

func sameColumns(t *testing.T, want, got []frame.Column) {
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
