package provider_test

import (
	"context"
	"errors"
	"strings"
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

// TestLeftBehind: a provider that goes on when the query has been cancelled
// does not hold it up. The next query waits for it once, as for any answer. It serves again when it has
// returned.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen problems
		p, release := stuck(t)
		d := dispatcher(t, seen.add, answers(t, "good", simple(2, false)), p)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		dst := append(make([]byte, 0, 4096), "keep"...)
		start := time.Now()
		got, err := d.Collect(ctx, everything(), dst)
		if took := time.Since(start); !errors.Is(err, context.Canceled) || took != 1100*time.Millisecond {
			t.Errorf("error %v after %v", err, took)
		}
		if string(got) != "keep" || cap(got) != len(got) {
			t.Errorf("returned %q with room for %d bytes, which the provider may write to", got, cap(got))
		}
		// nobody can say yet that it takes too long
		if diff := cmp.Diff([]string(nil), seen.take()); diff != "" {
			t.Errorf("problems of a cancelled query (-want +got):\n%s", diff)
		}
		for _, want := range [][]string{{"stuck collect: provider has not returned"}, nil} { // only once
			if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
				t.Errorf("objects while it is stuck (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, seen.take()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			time.Sleep(time.Minute)
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

// TestLeftBehindAgain: each time that a provider is left behind is reported.
func TestLeftBehindAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen problems
		p := answers(t, "slow", simple(2, false))
		p.collect = func(context.Context, *provider.Query,
			*provider.Writer) error {
			time.Sleep(time.Minute)
			return nil
		}
		d := dispatcher(t, seen.add, p)
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := d.Collect(ctx, everything(), nil); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			collect(t, d, nil)
			if diff := cmp.Diff([]string{"slow collect: provider has not returned"},
				seen.take()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			time.Sleep(time.Minute)
		}
	})
}

// TestLeftBehindReturns: a query that finds the call of a cancelled one waits for it as long as it may wait
// for any answer. The object is in its block, and nothing is a problem.
func TestLeftBehindReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := answers(t, "slow", simple(4, false))
		collect := slow.collect
		slow.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
			time.Sleep(2 * time.Second) // whatever the context says
			return collect(ctx, q, w)
		}
		d := dispatcher(t, nil, answers(t, "good", simple(2, false)), slow)

		for range 3 {
			for _, after := range []time.Duration{time.Second, time.Second / 2} { // the second waits for the first one's
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(after, cancel)
				if _, err := d.Collect(ctx, everything(), nil); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			}
			if diff := cmp.Diff([]uint32{2, 4}, titles(ask(t, d, everything()))); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		}
	})
}

// TestLateOpen: a session that comes too late for its query is used later.
func TestLateOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen problems
		p := answers(t, "slow", simple(2, false))
		opened := 0
		p.open = func(context.Context) error { opened++; time.Sleep(time.Minute); return nil }
		d := dispatcher(t, seen.add, p)
		for i, want := range [][]uint32{{}, {}, {2}} {
			if diff := cmp.Diff(want, titles(ask(t, d, everything()))); diff != "" {
				t.Errorf("objects of query %d (-want +got):\n%s", i, diff)
			}
			time.Sleep(30 * time.Second)
		}
		if diff := cmp.Diff([]string{"slow open: no answer within 5s: provider has not returned"},
			seen.take()); diff != "" || opened != 1 {
			t.Errorf("opened %d times, problems (-want +got):\n%s", opened, diff)
		}
	})
}

// TestObedient: a provider that returns when the query is cancelled is neither
// left behind nor reported.
func TestObedient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := answers(t, "slow", simple(2, false))
		answer := p.collect
		slow := true
		p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
			if !slow {
				return answer(ctx, q, w)
			}
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			return ctx.Err()
		}
		d := dispatcher(t, nil, p)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := d.Collect(ctx, everything(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		slow = false
		if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// TestCancelled: no provider is asked for a query that has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opened := 0
	p := answers(t, "a", simple(2, false))
	p.open = func(context.Context) error { opened++; cancel(); return nil }
	p.collect = func(context.Context, *provider.Query, *provider.Writer) error {
		t.Error("asked after the context had ended")
		return nil
	}
	d := dispatcher(t, nil, p)
	for range 2 {
		if got, err := d.Collect(ctx, everything(), []byte("keep")); !errors.Is(err, context.Canceled) ||
			string(got) != "keep" {
			t.Errorf("returned %q, error %v", got, err)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times", opened)
	}
}

// quiet is a context whose end is seen only by a caller that asks for it: the end comes
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := d.Collect(ctx, everything(), nil)
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("error %v after %v", err, took)
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

// TestCloseTellsToReturn: a provider that returns when it is told is closed, and
// is no problem.
func TestCloseTellsToReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := answers(t, "slow", simple(2, false))
		p.collect = func(ctx context.Context, _ *provider.Query, _ *provider.Writer) error {
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.Canceled) {
				t.Errorf("the context ended with %v", ctx.Err())
			}
			return ctx.Err()
		}
		closed := false
		p.close = func() error { closed = true; return nil }
		d := dispatcher(t, nil, p)
		time.AfterFunc(time.Second, func() {
			if err := d.Close(); err != nil || !closed {
				t.Errorf("close: %v, closed: %v", err, closed)
			}
		})
		start := time.Now()
		_, err := d.Collect(t.Context(), everything(), nil)
		if took := time.Since(start); !errors.Is(err, winperf.ErrState) || took != time.Second {
			t.Errorf("collect: %v after %v", err, took)
		}
		synctest.Wait()
	})
}

// TestStuckClose: Close does not wait for ever for sessions, and not for one
// after the other.
func TestStuckClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var list []provider.Provider
		for i := range 3 {
			p := answers(t, "stuck", simple(uint32(2+2*i), false))
			p.close = func() error { <-release; return nil }
			list = append(list, p)
		}
		d, err := provider.NewDispatcher(provider.Options{}, list...)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, d, provider.ParseQuery("2 4"))
		start := time.Now()
		err = d.Close()
		if took := time.Since(start); !errors.Is(err, provider.ErrBusy) ||
			strings.Count(err.Error(), "stuck") != 2 || took != time.Second {
			t.Errorf("close: %v after %v", err, took)
		}
		close(release)
	})
}
