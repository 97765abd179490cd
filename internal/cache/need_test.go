package cache

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

// The source is asked for the counters that somebody wants, and for whole objects as long as
// somebody wants these.
func TestNeeds(t *testing.T) {
	r := newRig(t)
	work := winperf.Selection{Paths: []winperf.Path{{Object: "Process", Instance: "*", HasInstance: true, Counter: "Wor?"}}}
	asked := winperf.Selection{Paths: []winperf.Path{{Object: "#230", Instance: "*", HasInstance: true, Counter: "#6"}}}
	wantLast := func(want winperf.Selection) {
		t.Helper()
		if diff := cmp.Diff(want, r.fake.last); diff != "" {
			t.Errorf("the source was asked for (-want +got):\n%s", diff)
		}
	}

	a := r.selecting(work)
	a.wantSample("230:0s")
	wantLast(asked)

	// Who wants it whole is not served with what others asked for, but the other way round.
	r.clock.advance(100 * ms)
	whole := r.user(process, system)
	whole.wantSample("2:0s 230:0s")
	wantLast(winperf.Selection{Objects: ids(system, process)})
	r.clock.advance(100 * ms)
	a.wantSample("230:100ms")
	r.wantAsked([]uint32{process}, []uint32{system, process})

	// With it goes what it wanted.
	if err := whole.query.Close(); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(time.Second)
	a.wantSample("230:0s")
	wantLast(asked)

	// Somebody who wants the same gets the same.
	r.clock.advance(100 * ms)
	r.selecting(work).wantSample("230:100ms")
	r.wantAsked([]uint32{process})
}

func TestNeedsOfTwo(t *testing.T) {
	few, more := need{counters: []uint32{4, 6}}, need{counters: []uint32{6, 8}}
	if got := few.with(more); !got.equal(need{counters: []uint32{4, 6, 8}}) {
		t.Errorf("both want %+v", got)
	}
	if got := few.with(need{whole: true}); !got.equal(need{whole: true}) {
		t.Errorf("one wants all, both %+v", got)
	}
	if first, later := (need{version: 1}), (need{version: 2}); first.covers(later) || !later.covers(first) {
		t.Error("what was asked for later is enough for who came before, and not the other way round")
	}
}
