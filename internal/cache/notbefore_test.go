package cache

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Who wants a sample that was begun after something gets no older one, neither from the
// cache nor from a query that was under way then, and shares one that is newer.
func TestNotBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b, c := r.user(system), r.user(system), r.user(system)
		a.wantSample("2:0s")
		r.wantAsked([]uint32{system})

		time.Sleep(time.Millisecond)
		type key struct{}
		event := NotBefore(context.WithValue(t.Context(), key{}, "kept"), time.Now())
		if event.Value(key{}) != "kept" {
			t.Error("a value of the context is lost")
		}

		gate := r.fake.hold()
		early := c.taking(t.Context()) // it is given what a took
		if !early.done {
			t.Fatal("a fresh sample was not shared")
		}

		first := b.taking(event)
		if first.done {
			t.Fatal("a sample from before the event was given")
		}
		close(gate)
		synctest.Wait()
		if first.err != nil || !first.done {
			t.Fatalf("done %v, error %v", first.done, first.err)
		}
		r.wantAsked([]uint32{system})
	})
}

func TestNotBeforeUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		early, a, b := r.user(system), r.user(system), r.user(system)
		gate := r.fake.hold()
		began := early.taking(t.Context())
		time.Sleep(time.Millisecond)
		event := NotBefore(t.Context(), time.Now())
		time.Sleep(time.Millisecond)
		first := a.taking(event) // begins another one, as that under way is too early,
		time.Sleep(time.Millisecond)
		second := b.taking(event) // which this one shares
		close(gate)
		synctest.Wait()
		for i, o := range []*outcome{began, first, second} {
			if o.err != nil || !o.done {
				t.Fatalf("user %d: done %v, error %v", i, o.done, o.err)
			}
		}
		if a.query.picks[0] == early.query.picks[0] || a.query.picks[0] != b.query.picks[0] {
			t.Error("expected one sample for both that waited for the event, and not the one under way")
		}
		r.wantAsked([]uint32{system}, []uint32{system})
	})
}
