package verify

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLate: a reader that does not answer ends at the limit, and all objects that were not compared are listed.
func TestLate(t *testing.T) {
	synctest.Test(t, testLate)
}

func testLate(t *testing.T) {
	for pass := range minGauge + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		looks := 0
		base := reader{
			name: "base", isBase: true,
			objects: func(context.Context) ([]string, error) { return []string{"A", "B", "C"}, nil },
			look: func(_ context.Context, object string) (*Look, error) {
				return &Look{Reader: "base", Object: object}, nil
			},
		}
		hung := reader{
			name: "hung", objects: base.objects,
			look: func(ctx context.Context, object string) (*Look, error) {
				if looks++; looks == 3*pass+2 { // at B
					cancel()
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &Look{Reader: "hung", Object: object}, nil
			},
		}
		r := &Report{}
		r.compare(ctx, []reader{base, hung}, time.Now().Add(time.Hour), Options{})

		want := [][]Skip{
			{{"B by hung", errLate.Error()}, {"more than 1 look of A", errLate.Error()}, {"B", errLate.Error()}, {"C", errLate.Error()}},
			{{"B by hung", errLate.Error()}, {"more than 2 looks of A", errLate.Error()}, {"more than 1 look of B", errLate.Error()}, {"more than 1 look of C", errLate.Error()}},
			{{"B by hung", errLate.Error()}, {"more than 2 looks of B", errLate.Error()}, {"more than 2 looks of C", errLate.Error()}},
			{{"B by hung", errLate.Error()}},
		}[pass]
		if diff := cmp.Diff(want, r.Skipped); diff != "" {
			t.Errorf("pass %d: %s", pass, diff)
		}
	}
}

// TestNoTime: without time nothing is compared, and everything is listed.
func TestNoTime(t *testing.T) {
	n := 0
	r := &Report{}
	a, b := newDriver("registry:", newMachine(t, processes, &n)), newDriver("perflib:", newMachine(t, processes, &n))
	r.compareAll(t.Context(), a, []reader{a.reader(), b.reader()}, time.Now(), Options{})
	if len(r.Results) > 0 || len(r.Skipped) == 0 || r.Skipped[0] != (Skip{"Process", errLate.Error()}) {
		t.Errorf("%+v", r)
	}
}

// TestStoredLook: what a program shows is compared in the same way again.
func TestStoredLook(t *testing.T) {
	l := shown("typeperf", 2.5)
	only(l).Timeless, only(l).Tolerance = true, csvDigit
	looks, _, err := store([]*Look{l}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := looks[0].look(nil, nil)
	if err != nil || !only(again).Timeless || only(again).Tolerance != csvDigit || only(again).Values[0] != 2.5 {
		t.Errorf("%+v, %v", again, err)
	}
}
