package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// TestFailures: whatever one provider does, the others' objects are whole, and
// the next query asks it again.
func TestFailures(t *testing.T) {
	l := layout(t, peer())
	half := func(w *provider.Writer) { // a whole object's bytes and half of one
		o := w.Object(l)
		o.Instance(provider.Instance{Name: "half"})
		o.Set(0, 1)
	}
	boom := errors.New("boom")
	for _, tt := range []struct {
		name string
		bad  fake
		want string
	}{
		{"open fails", fake{open: func(context.Context) error { return boom }}, "bad open: boom"},
		{"open panics", fake{open: func(context.Context) error { panic(boom) }}, "bad open: panic: boom"},
		{"collect fails", fake{collect: func(_ context.Context, _ *provider.Query, w *provider.Writer) error {
			half(w)
			return boom
		}}, "bad collect: boom"},
		{"collect panics", fake{collect: func(_ context.Context, _ *provider.Query, w *provider.Writer) error {
			half(w)
			panic("boom")
		}}, "bad collect: panic: boom"},
		{"counter out of range", fake{collect: func(_ context.Context, _ *provider.Query, w *provider.Writer) error {
			o := w.Object(l)
			o.Set(1, 1)
			return nil
		}}, "bad collect: panic: runtime error: index out of range [1] with length 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.bad.name, tt.bad.objects = "bad", []*provider.Object{peer()}
			var seen problems
			d := dispatcher(t, seen.add, answers(t, "first", simple(2, false)), &tt.bad, answers(t, "last", simple(4, false)))
			for range 2 {
				ix := ask(t, d, everything())
				if diff := cmp.Diff([]uint32{2, 4}, titles(ix)); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
				for i := range ix.Objects {
					if v, ok := ix.Value(i, 0, 0); v != 42 || !ok {
						t.Errorf("object %d has the value %d (there: %v)", ix.Objects[i].Title, v, ok)
					}
				}
				for _, p := range seen.list {
					if want := winperf.FromFiletime(testClocks().Time100ns); !p.Time.Equal(want) {
						t.Errorf("problem at %v, want %v", p.Time, want)
					}
					if panicked := strings.Contains(tt.want, "panic"); panicked != (len(p.Stack) > 0) {
						t.Errorf("stack of %d bytes", len(p.Stack))
					}
				}
				if diff := cmp.Diff([]string{tt.want}, seen.take()); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestFailureOfClose(t *testing.T) {
	boom := errors.New("boom")
	var seen problems
	bad := answers(t, "bad", simple(2, false))
	bad.close = func() error { return boom }
	worse := answers(t, "worse", simple(4, false))
	worse.close = func() error { panic("boom") }
	closed := false
	good := answers(t, "good", simple(6, false))
	good.close = func() error { closed = true; return nil }
	d, err := provider.NewDispatcher(provider.Options{OnProblem: seen.add}, bad, worse, good)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, d, everything())
	if err := d.Close(); !errors.Is(err, boom) || err.Error() != "bad: close: boom\nworse: close: panic: boom" {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"bad close: boom", "worse close: panic: boom"}, seen.take()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if !closed {
		t.Error("the good provider was not closed")
	}
}
