package call_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/internal/call"
)

// TestRound asks on several lines at once.
func TestRound(t *testing.T) {
	const ms = time.Millisecond
	const in, overdue, left = call.Returned, call.Overdue, call.Abandoned
	tests := []struct {
		name       string
		calls      []func(context.Context)
		limit      time.Duration
		grace      time.Duration
		ends, stop time.Duration // 0: never
		takes      time.Duration
		want       []call.Outcome
		told       error // what the contexts of those that were told to return say
	}{
		{name: "none", limit: hour},
		{
			name: "all return", calls: []func(context.Context){lasting(2 * ms), lasting(3 * ms), lasting(ms)},
			limit: hour, takes: 3 * ms, want: []call.Outcome{in, in, in},
		},
		{
			name:  "the limit is reached",
			calls: []func(context.Context){lasting(hour), lasting(ms), obedient(ms), lasting(12 * ms), obedient(hour)},
			limit: 10 * ms, grace: 5 * ms, takes: 15 * ms,
			want: []call.Outcome{left, in, overdue, overdue, left}, told: context.DeadlineExceeded,
		},
		{
			name: "all are back within the grace", calls: []func(context.Context){obedient(ms), lasting(ms)},
			limit: 10 * ms, grace: 5 * ms, takes: 11 * ms, want: []call.Outcome{overdue, in}, told: context.DeadlineExceeded,
		},
		{
			name: "the context ends", calls: []func(context.Context){lasting(ms), obedient(ms), lasting(hour)},
			limit: hour, grace: 5 * ms, ends: 10 * ms, takes: 15 * ms,
			want: []call.Outcome{in, overdue, left}, told: context.Canceled,
		},
		{
			name: "stopped", calls: []func(context.Context){lasting(hour), lasting(ms)},
			limit: hour, grace: 5 * ms, stop: 10 * ms, takes: 15 * ms, want: []call.Outcome{left, in}, told: context.Canceled,
		},
		{
			name: "no grace", calls: []func(context.Context){obedient(0), lasting(ms)},
			limit: 10 * ms, takes: 10 * ms, want: []call.Outcome{left, in}, told: context.DeadlineExceeded,
		},
		{
			name: "no limit", calls: []func(context.Context){lasting(hour)},
			takes: hour, want: []call.Outcome{in},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.ends > 0 {
					time.AfterFunc(tt.ends, cancel)
				}
				stop := make(chan struct{})
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, func() { close(stop) })
				}

				var r call.Round
				if err := r.Begin(ctx, tt.limit); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				lines := make([]*call.Line, len(tt.calls))
				contexts := make([]context.Context, len(tt.calls))
				for i, run := range tt.calls {
					lines[i] = newLine(t)
					r.Start(lines[i], func(ctx context.Context) { contexts[i] = ctx; run(ctx) })
				}
				r.Wait(stop, tt.grace)
				if took := time.Since(begin); took != tt.takes {
					t.Errorf("took %v, want %v", took, tt.takes)
				}

				var got []call.Outcome
				for i, l := range lines {
					got = append(got, l.Outcome())
					if l.Busy() != (l.Outcome() == left) {
						t.Errorf("call %d: outcome %d, busy %v", i, l.Outcome(), l.Busy())
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("outcomes %v, want %v", got, tt.want)
				}
				time.Sleep(2 * hour) // until all are back
				for i, l := range lines {
					want := tt.told
					if got[i] == in {
						want = nil
					}
					if l.Busy() {
						t.Fatalf("call %d is not back", i)
					}
					if err := contexts[i].Err(); !errors.Is(err, want) {
						t.Errorf("call %d: context %v", i, err)
					}
				}
			})
		})
	}
}

// TestBackWhenLate: a call that is back counts, even if the limit has been reached and
// the context has ended as well because this program did not run.
func TestBackWhenLate(t *testing.T) {
	for range 50 { // of several channels that are ready select takes any
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			stop := make(chan struct{})
			var r call.Round
			if err := r.Begin(ctx, time.Second); err != nil {
				t.Fatal(err)
			}
			l := newLine(t)
			r.Start(l, lasting(time.Second))
			time.Sleep(time.Second)
			synctest.Wait()
			cancel()
			close(stop)
			r.Wait(stop, 0)
			if l.Outcome() != call.Returned {
				t.Errorf("outcome %d", l.Outcome())
			}
		})
	}
}

// lateContext has a deadline that has passed and no error yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

// TestBegin fails when nothing could be answered any more.
func TestBegin(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		want error
	}{{t.Context(), nil}, {ended, context.Canceled}, {lateContext{t.Context()}, context.DeadlineExceeded}} {
		var r call.Round
		if err := r.Begin(tt.ctx, hour); !errors.Is(err, tt.want) {
			t.Errorf("error %v, want %v", err, tt.want)
		}
	}
}

func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		for _, tt := range []struct {
			ctx         context.Context
			limit, want time.Duration
		}{{t.Context(), hour, hour}, {ctx, hour, 3 * time.Second}, {ctx, time.Second, time.Second}} {
			if got := call.Share(tt.ctx, tt.limit, 3./4); got != tt.want {
				t.Errorf("share of %v: %v, want %v", tt.limit, got, tt.want)
			}
		}
	})
}

// TestAwait waits for a call again and again without ending it, and leaves it then.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r call.Round
		lines := []*call.Line{newLine(t), newLine(t)}
		var told error
		if err := r.Begin(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		r.Start(lines[0], func(ctx context.Context) { obedient(time.Second)(ctx); told = ctx.Err() })
		r.Start(lines[1], lasting(3*time.Second))

		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if r.Await(ctx, nil) || r.Await(t.Context(), time.After(time.Second)) {
			t.Error("all have returned")
		}
		if took := time.Since(begin); took != 2*time.Second || !lines[0].Busy() {
			t.Errorf("took %v, or a call was told to return", took)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		r.Abandon()
		if a, b := lines[0].Outcome(), lines[1].Outcome(); a != call.Abandoned || b != call.Returned {
			t.Errorf("outcomes %d and %d", a, b)
		}
		time.Sleep(time.Minute)
		if lines[0].Busy() || !errors.Is(told, context.Canceled) {
			t.Errorf("told %v", told)
		}

		if err := r.Begin(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		r.Start(lines[0], lasting(time.Second))
		if !r.Await(t.Context(), nil) {
			t.Error("it has not returned")
		}
	})
}
