package call_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
)

const hour = time.Hour // longer than anything waits

// newLine returns a line that rests when the test is over.
func newLine(t testing.TB) *call.Line {
	l := call.NewLine()
	t.Cleanup(l.Rest)
	return l
}

// lasting is a call that lasts as long as it is told to, whatever its context says.
func lasting(d time.Duration) func(context.Context) {
	return func(context.Context) { time.Sleep(d) }
}

// obedient is a call that returns a while after it was told to.
func obedient(d time.Duration) func(context.Context) {
	return func(ctx context.Context) { <-ctx.Done(); time.Sleep(d) }
}

// errLast is the error of what runs last on a line.
var errLast = errors.New("last")

// wants tells whether an error wraps just those of the sentinels that it should.
func wants(err error, want ...error) bool {
	for _, sentinel := range []error{call.ErrBusy, winperf.ErrState, context.Canceled, context.DeadlineExceeded, errLast} {
		should := false
		for _, w := range want {
			should = should || errors.Is(w, sentinel)
		}
		if errors.Is(err, sentinel) != should {
			return false
		}
	}
	return (err == nil) == (len(want) == 0)
}

// TestDo makes one call on a line that is free, or that another call holds.
func TestDo(t *testing.T) {
	tests := []struct {
		name    string
		earlier time.Duration // an earlier call was left behind, and lasts so much longer
		ends    time.Duration // when ctx ends, 0: never; negative: it has ended
		limit   time.Duration
		lasts   time.Duration
		takes   time.Duration
		text    string
		want    []error
	}{
		{name: "returns", lasts: time.Second, takes: time.Second},
		{name: "returns within the limit", limit: hour, ends: hour, lasts: time.Second, takes: time.Second},
		{
			name: "the context ends", ends: time.Second, lasts: hour, takes: time.Second,
			text: "no answer in time", want: []error{context.Canceled},
		},
		{
			name: "the limit is reached", ends: hour, limit: time.Second, lasts: hour, takes: time.Second,
			text: "no answer in time", want: []error{context.DeadlineExceeded},
		},
		{name: "the context has ended", ends: -1, want: []error{context.Canceled}},
		{name: "waits for the earlier one", earlier: time.Minute, lasts: time.Second, takes: 61 * time.Second},
		{
			name: "the context ends before it", earlier: hour, ends: time.Second, takes: time.Second,
			text: "from an earlier call", want: []error{call.ErrBusy, context.Canceled},
		},
		{
			name: "the limit is reached before it", earlier: hour, limit: time.Second, takes: time.Second,
			text: "from an earlier call", want: []error{call.ErrBusy, context.DeadlineExceeded},
		},
		{
			name: "the limit counts from the beginning", earlier: 3 * time.Second, limit: 5 * time.Second, lasts: hour,
			takes: 5 * time.Second, text: "no answer in time", want: []error{context.DeadlineExceeded},
		},
		{
			name: "the context has ended while it is busy", earlier: hour, ends: -1,
			text: "from an earlier call", want: []error{call.ErrBusy, context.Canceled},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				if tt.earlier > 0 {
					if err := l.Do(t.Context(), 1, lasting(tt.earlier)); err == nil {
						t.Fatal("the earlier call was not left behind")
					}
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case tt.ends < 0:
					cancel()
				case tt.ends > 0:
					time.AfterFunc(tt.ends, cancel)
				}

				begin := time.Now()
				var made atomic.Bool
				err := l.Do(ctx, tt.limit, func(ctx context.Context) {
					made.Store(true)
					lasting(tt.lasts)(ctx)
				})
				if !wants(err, tt.want...) || err != nil && !strings.Contains(err.Error(), tt.text) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(begin).Round(time.Millisecond); took != tt.takes {
					t.Errorf("took %v, want %v", took, tt.takes)
				}
				if want := tt.lasts > 0; made.Load() != want {
					t.Errorf("made: %v, want %v", made.Load(), want)
				}
				time.Sleep(2 * hour) // until all are back
			})
		})
	}
}

// TestOnce makes a call that returns, and one that returns too late.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, tt := range []struct {
			lasts time.Duration
			text  string
			want  []error
		}{{time.Second, "text", []error{errLast}}, {hour, "", []error{context.DeadlineExceeded}}} {
			text, err := call.Once(ctx, func() (string, error) { time.Sleep(tt.lasts); return "text", errLast })
			if text != tt.text || !wants(err, tt.want...) {
				t.Errorf("%q, error %v", text, err)
			}
		}
		time.Sleep(hour) // until it is back
	})
}

// TestAgain: a line serves again when the call that was left behind has returned.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		if err := l.Do(t.Context(), time.Second, lasting(time.Minute)); !wants(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if !l.Busy() {
			t.Error("the line is not busy")
		}
		time.Sleep(time.Minute)
		if l.Busy() {
			t.Error("the line is busy")
		}
		if err := l.Do(t.Context(), time.Second, lasting(0)); err != nil {
			t.Error(err)
		}
	})
}

// TestContext: a call sees the deadline and the values of who asks, and the end of his
// patience; the context of one that was left behind is not that of the next.
func TestContext(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Minute)
		defer cancel()
		tests := []struct {
			name  string
			ctx   context.Context
			limit time.Duration
			want  time.Duration // until the deadline; 0: none
		}{
			{"none", t.Context(), 0, 0},
			{"the limit", t.Context(), time.Second, time.Second},
			{"the parent's", parent, 0, time.Minute},
			{"the earlier one", parent, time.Second, time.Second},
			{"the earlier one again", parent, hour, time.Minute},
		}
		l := newLine(t)
		for _, tt := range tests {
			err := l.Do(tt.ctx, tt.limit, func(ctx context.Context) {
				deadline, ok := ctx.Deadline()
				if ok != (tt.want > 0) || ok && time.Until(deadline) != tt.want {
					t.Errorf("%s: deadline in %v, %v", tt.name, time.Until(deadline), ok)
				}
				if got := ctx.Value(key{}); got != tt.ctx.Value(key{}) {
					t.Errorf("%s: value %v", tt.name, got)
				}
				if ctx.Err() != nil {
					t.Errorf("%s: error %v", tt.name, ctx.Err())
				}
			})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}

		var left, before context.Context
		if err := l.Do(parent, 0, func(ctx context.Context) { before = ctx }); err != nil || before.Value(key{}) != nil {
			t.Errorf("error %v; a context holds on to that of who asked", err)
		}
		_ = l.Do(parent, time.Second, func(ctx context.Context) { left = ctx; obedient(0)(ctx) })
		if err := l.Do(parent, 0, func(ctx context.Context) {
			if ctx.Err() != nil || !errors.Is(left.Err(), context.DeadlineExceeded) {
				t.Errorf("errors %v, before %v", ctx.Err(), left.Err())
			}
		}); err != nil {
			t.Error(err)
		}
	})
}

// TestClose closes a line while nothing, a call, or one that was left behind is out.
func TestClose(t *testing.T) {
	tests := []struct {
		name  string
		limit time.Duration // of the call; 0: it is waited for
		run   func(context.Context)
		grace time.Duration
		takes time.Duration
		want  []error
		call  []error // of the call
	}{
		{name: "idle", grace: time.Second},
		{name: "obeys", run: obedient(0), grace: time.Second, call: []error{winperf.ErrState}},
		{name: "obeys in time", run: obedient(time.Minute), grace: hour, takes: time.Minute, call: []error{winperf.ErrState}},
		{
			name: "does not return", run: lasting(hour), grace: time.Second, takes: time.Second,
			want: []error{call.ErrBusy}, call: []error{winperf.ErrState},
		},
		{
			name: "left behind", limit: time.Second, run: lasting(hour), grace: time.Second, takes: time.Second,
			want: []error{call.ErrBusy}, call: []error{context.DeadlineExceeded},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				called := make(chan error, 1)
				if tt.run != nil {
					go func() { called <- l.Do(t.Context(), tt.limit, tt.run) }()
					time.Sleep(2 * time.Second)
				}

				begin, last := time.Now(), 0
				want := tt.want
				if want == nil {
					want = []error{errLast}
				}
				err := l.Close(tt.grace, func() error { last++; return errLast })
				if took := time.Since(begin); !wants(err, want...) || took != tt.takes {
					t.Errorf("close: %v after %v, want %v", err, took, tt.takes)
				}
				if tt.run != nil {
					if err := <-called; !wants(err, tt.call...) {
						t.Errorf("call: %v", err)
					}
				}
				if err := l.Do(t.Context(), 0, func(context.Context) { t.Error("called") }); !wants(err, winperf.ErrState) {
					t.Errorf("after Close: %v", err)
				}
				again := l.Close(2*hour, func() error { t.Error("called"); return nil })
				if !wants(again, errLast) || last != 1 {
					t.Errorf("closed again: %v, last ran %d times", again, last)
				}
			})
		})
	}
}

// TestClosedAtOnce: no call is made after Close, though what ends the line may not
// have had its turn yet.
func TestClosedAtOnce(t *testing.T) {
	for range 100 {
		l := call.NewLine()
		_ = l.Close(0, func() error { return nil })
		if err := l.Do(t.Context(), 0, func(context.Context) { t.Error("called") }); !wants(err, winperf.ErrState) {
			t.Fatalf("error %v", err)
		}
	}
}

// TestCloseEndsWaiting: who waits for the line leaves when it is closed.
func TestCloseEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		_ = l.Do(t.Context(), time.Second, lasting(hour))
		waits := make(chan error)
		for range 2 {
			go func() { waits <- l.Do(t.Context(), 0, func(context.Context) { t.Error("called") }) }()
		}
		synctest.Wait()
		if err := l.Close(0, func() error { return nil }); !wants(err, call.ErrBusy) {
			t.Errorf("close: %v", err)
		}
		for range 2 {
			if err := <-waits; !wants(err, winperf.ErrState) {
				t.Errorf("error %v", err)
			}
		}
		time.Sleep(hour) // until it is back
	})
}

// TestMemory: what was given to a call that was left behind is the call's until it is
// back; who has the line has it again. The race detector looks at it.
func TestMemory(t *testing.T) {
	l := newLine(t)
	memory := make([]byte, 1)
	hang, begun := make(chan struct{}), make(chan struct{})
	run := func(context.Context) {
		close(begun)
		<-hang
		memory[0]++
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	var r call.Round
	if err := r.Take(ctx, l, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Call(l, run); !wants(err, context.Canceled) {
		t.Errorf("error %v", err)
	}

	go close(hang)
	if err := r.Take(t.Context(), l, 0); err != nil {
		t.Fatal(err)
	}
	memory[0]++
	if err := r.Call(l, func(context.Context) { memory[0]++ }); err != nil || memory[0] != 3 {
		t.Errorf("memory %d, error %v", memory[0], err)
	}
}

// TestMany asks on one line from several goroutines, some of which leave: calls never
// overlap, and those that were answered have returned.
func TestMany(t *testing.T) {
	l := newLine(t)
	var wg sync.WaitGroup
	var out, answered, made atomic.Int32
	for i := range 8 {
		wg.Go(func() {
			var r call.Round
			for k := range 200 {
				limit := time.Duration(0)
				if (i+k)%3 == 0 {
					limit = time.Duration(k) * time.Microsecond
				}
				mine := 0
				if r.Take(t.Context(), l, limit) != nil {
					continue
				}
				err := r.Call(l, func(context.Context) {
					if out.Add(1) != 1 {
						t.Error("two calls are out")
					}
					if k%10 == 0 {
						time.Sleep(50 * time.Microsecond)
					}
					mine++
					made.Add(1)
					out.Add(-1)
				})
				if err == nil {
					answered.Add(int32(mine))
				}
			}
		})
	}
	wg.Wait()
	if err := l.Close(hour, func() error { return nil }); err != nil {
		t.Error(err)
	}
	if answered.Load() > made.Load() || answered.Load() < 8*100 {
		t.Errorf("%d calls were made and %d answered", made.Load(), answered.Load())
	}
}

// TestAllocates nothing, once warm.
func TestAllocates(t *testing.T) {
	l := newLine(t)
	var r call.Round
	n := 0
	run := func(context.Context) { n++ }
	one := func() {
		if err := r.Take(t.Context(), l, hour); err != nil {
			t.Error(err)
		}
		if err := r.Call(l, run); err != nil {
			t.Error(err)
		}
	}
	lines := []*call.Line{newLine(t), newLine(t), newLine(t)}
	stop := make(chan struct{})
	several := func() {
		if err := r.Begin(t.Context(), hour); err != nil {
			t.Error(err)
		}
		for _, l := range lines {
			r.Start(l, func(context.Context) {})
		}
		r.Wait(stop, hour)
	}
	for name, f := range map[string]func(){"one": one, "several": several} {
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	if n != 101 {
		t.Errorf("%d calls", n)
	}
}

// BenchmarkCall makes a call that does nothing.
func BenchmarkCall(b *testing.B) {
	l := newLine(b)
	var r call.Round
	run := func(context.Context) {}
	b.ReportAllocs()
	for b.Loop() {
		if err := errors.Join(r.Take(b.Context(), l, hour), r.Call(l, run)); err != nil {
			b.Fatal(err)
		}
	}
}
