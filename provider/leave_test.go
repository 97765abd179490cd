package provider_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// stuck returns a provider whose Collect does not return before release is
// closed, whatever its context says.
func stuck(t testing.TB) (p *fake, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	p = answers(t, "stuck", simple(4, false))
	collect := p.collect
	p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
		<-release
		return collect(ctx, q, w)
	}
	return p, release
}

// TestLeftBehind: a provider that goes on when the context has ended holds up
// neither its query nor the next ones, and serves again when it has returned.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen problems
		p, release := stuck(t)
		d := dispatcher(t, seen.add, answers(t, "good", simple(2, false)), p)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		dst := append(make([]byte, 0, 4096), "keep"...)
		got, err := d.Collect(ctx, everything(), dst)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if string(got) != "keep" || cap(got) != len(got) {
			t.Errorf("returned %q with room for %d bytes, which the provider may write to", got, cap(got))
		}
		if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
			t.Errorf("objects while it is stuck (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"stuck collect: provider has not returned"}, seen.take()); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
		close(release)
		synctest.Wait()
		if diff := cmp.Diff([]uint32{2, 4}, titles(ask(t, d, everything()))); diff != "" {
			t.Errorf("objects afterwards (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string(nil), seen.take()); diff != "" {
			t.Errorf("problems afterwards (-want +got):\n%s", diff)
		}
	})
}

// TestObedient: a provider that returns when the context ends is not left
// behind.
func TestObedient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := answers(t, "slow", simple(2, false))
		answer := p.collect
		p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
			if _, ok := ctx.Deadline(); !ok {
				return answer(ctx, q, w)
			}
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			return ctx.Err()
		}
		d := dispatcher(t, nil, p) // an end of the context is no problem of the provider's
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := d.Collect(ctx, everything(), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// TestCancelled: no provider is asked for a query that has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	first := answers(t, "first", simple(2, false))
	first.collect = func(context.Context, *provider.Query, *provider.Writer) error { asked++; cancel(); return nil }
	second := answers(t, "second", simple(4, false))
	second.open = func(context.Context) error { t.Error("opened after the context had ended"); return nil }
	d := dispatcher(t, nil, first, second)
	for range 2 {
		if got, err := d.Collect(ctx, everything(), []byte("keep")); !errors.Is(err, context.Canceled) || string(got) != "keep" {
			t.Errorf("returned %q, error %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// quiet is a context whose end is seen only by who asks for it: the end comes
// together with a provider's answer.
type quiet struct {
	context.Context
	err error
}

func (q *quiet) Done() <-chan struct{} { return nil }
func (q *quiet) Err() error            { return q.err }

// TestCancelledByAnswer: a context that ended when a provider answered fails
// the query, and what that provider says of it is no problem.
func TestCancelledByAnswer(t *testing.T) {
	ctx := &quiet{Context: t.Context()}
	p := answers(t, "last", simple(2, false))
	p.collect = func(context.Context, *provider.Query, *provider.Writer) error {
		ctx.err = context.Canceled
		return ctx.err
	}
	if _, err := dispatcher(t, nil, p).Collect(ctx, everything(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestWaitForTurn: a query that waits for another obeys its own context.
func TestWaitForTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, release := stuck(t)
		d := dispatcher(t, nil, p)
		done := make(chan error)
		go func() {
			_, err := d.Collect(context.Background(), everything(), nil)
			done <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := d.Collect(ctx, everything(), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		close(release)
		if err := <-done; err != nil {
			t.Errorf("the first query: %v", err)
		}
	})
}

// TestCloseDuringQuery: Close ends a query that would never end, and the
// session is closed when its call returns.
func TestCloseDuringQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen problems
		p, release := stuck(t)
		closed := false
		p.close = func() error { closed = true; return nil }
		d, err := provider.NewDispatcher(provider.Options{OnProblem: seen.add}, p)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		for range 2 { // one is under way, the other waits for its turn
			go func() {
				_, err := d.Collect(context.Background(), everything(), nil)
				done <- err
			}()
		}
		synctest.Wait()
		if err := d.Close(); !errors.Is(err, provider.ErrBusy) {
			t.Errorf("close: %v", err)
		}
		for range 2 {
			if err := <-done; !errors.Is(err, winperf.ErrState) {
				t.Errorf("collect: %v", err)
			}
		}
		if diff := cmp.Diff([]string{"stuck close: provider has not returned"}, seen.take()); diff != "" {
			t.Errorf("problems (-want +got):\n%s", diff)
		}
		close(release)
		synctest.Wait()
		if !closed {
			t.Error("the session was not closed")
		}
	})
}

// TestStuckClose: Close does not wait for ever for a session.
func TestStuckClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := answers(t, "stuck", simple(2, false))
		p.close = func() error { <-release; return nil }
		d, err := provider.NewDispatcher(provider.Options{}, p)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, d, everything())
		if err := d.Close(); !errors.Is(err, provider.ErrBusy) {
			t.Errorf("close: %v", err)
		}
		close(release)
	})
}
