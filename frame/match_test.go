package frame_test

import (
	"fmt"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// TestIsTotal knows totals by their names.
func TestIsTotal(t *testing.T) {
	for name, want := range map[string]bool{
		"_Total": true, "0,_Total": true, "_total": true, "1,0,_TOTAL": true,
		"": false, "Total": false, "x_Total": false, "_Total ": false, "_Total#1": false, "_Total/a": false,
	} {
		if got := frame.IsTotal(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}

// TestChurn counts wrong and missed matches while processes come and go under
// the names, in the places and sometimes with the ids of others. Where process
// id and start time are known there must be none.
func TestChurn(t *testing.T) {
	for _, churn := range []float64{0, 1, 20} {
		for _, size := range perftest.Sizes[:2] {
			t.Run(fmt.Sprintf("%v%%/%v", churn, size), func(t *testing.T) {
				var pool frame.Pool
				var ck frame.Cooker
				before, was := frame.Frame{}, perftest.Sample{}
				for i, s := range perftest.Series(size, 10, churn, 7) {
					f := take(t, &pool, s.Bytes, before)
					must(t, ck.Set(before, f, counter.Options{}))
					if i > 0 {
						for _, title := range []uint32{perftest.Process, perftest.Thread} {
							checkMatches(t, &ck, f, title, was.IDs[title], s.IDs[title])
						}
					}
					before, was = f, s
				}
			})
		}
	}
}

func checkMatches(t *testing.T, ck *frame.Cooker, f frame.Frame, title uint32, was, now []uint64) {
	t.Helper()
	o, ok := f.Find(winperf.ObjectID{Index: title})
	if !ok {
		t.Fatalf("object %d is missing", title)
	}
	pair := ck.Object(o)
	if pair.Len() != len(now) {
		t.Fatalf("object %d: %d instances, expected %d", title, pair.Len(), len(now))
	}
	at := map[uint64]int{}
	for j, id := range was {
		at[id] = j
	}
	wrong, missed, matched := 0, 0, 0
	for i, id := range now {
		j, m := pair.From(i)
		want, existed := at[id]
		switch {
		case j >= 0 && was[j] != id:
			wrong++
		case j < 0 && existed:
			missed++
		case j >= 0:
			matched++
			if j != want || m == counter.Unmatched {
				t.Errorf("object %d instance %d: from %d (%d), expected %d", title, i, j, m, want)
			}
		}
	}
	if wrong != 0 || missed != 0 || matched == 0 {
		t.Errorf("object %d: %d wrong matches, %d missed, %d right of %d instances", title, wrong, missed, matched, len(now))
	}
}
