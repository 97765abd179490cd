package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

// TestAtOnce: providers are asked at the same time, their objects come in the
// order of the providers all the same, and a slow one's whenever it is in time.
func TestAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []provider.Provider
		for i := range 8 {
			p := answers(t, fmt.Sprint(i), simple(uint32(100-2*i), false))
			answer := p.collect
			wait := time.Duration(8-i) * 100 * time.Millisecond
			p.open = func(context.Context) error { time.Sleep(wait); return nil }
			p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
				time.Sleep(wait)
				return answer(ctx, q, w)
			}
			list = append(list, p)
		}
		d := dispatcher(t, nil, list...)
		for _, want := range []time.Duration{1600 * time.Millisecond, 800 * time.Millisecond} {
			start := time.Now()
			ix := ask(t, d, everything())
			if diff := cmp.Diff([]uint32{100, 98, 96, 94, 92, 90, 88, 86}, titles(ix)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
			if took := time.Since(start); took != want {
				t.Errorf("took %v, want %v", took, want)
			}
		}
	})
}

// TestBounds: how long a query takes when providers hang, by the time that its
// context leaves.
func TestBounds(t *testing.T) {
	for _, tt := range []struct {
		open, collect, context time.Duration // 0 = not given
		want                   time.Duration
	}{
		{0, 0, 0, 5100 * time.Millisecond}, // by default, also under a context without a deadline
		{0, time.Second, 0, 1100 * time.Millisecond},
		// it does not hang in Open
		{time.Second, 0, 0, 5100 * time.Millisecond},
		{0, 100 * time.Millisecond, 0, 110 * time.Millisecond}, // a tenth more
		// the context leaves more time
		{0, 0, time.Hour, 5100 * time.Millisecond},
		// three quarters of what is left
		{0, 0, 4 * time.Second, 3100 * time.Millisecond},
		{0, 0, 400 * time.Millisecond, 330 * time.Millisecond},                      // and a tenth of that
		{0, time.Second, 400 * time.Millisecond, 330 * time.Millisecond},            //
		{0, 200 * time.Millisecond, 400 * time.Millisecond, 220 * time.Millisecond}, //
	} {
		t.Run(fmt.Sprint(tt.collect, " ", tt.context), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, release := stuck(t)
				other := answers(t, "other", simple(6, false))
				other.collect = p.collect
				d := newDispatcher(t, provider.Options{OpenTimeout: tt.open, CollectTimeout: tt.collect},
					answers(t, "good", simple(2, false)), p, other)
				ctx := t.Context()
				if tt.context > 0 {
					c, cancel := context.WithTimeout(ctx, tt.context)
					defer cancel()
					ctx = c
				}
				start := time.Now()
				block, err := d.Collect(ctx, everything(), nil)
				if took := time.Since(start); err != nil || took != tt.want {
					t.Errorf("error %v after %v, want none after %v", err, took, tt.want)
				}
				close(release)
				if err == nil && !cmp.Equal(titles(decode(t, block)), []uint32{2}) {
					t.Errorf("objects %v", titles(decode(t, block)))
				}
				synctest.Wait()
				start = time.Now()
				if err := d.Close(); err != nil || time.Since(start) != 0 {
					t.Errorf("close: %v after %v, though all have returned", err, time.Since(start))
				}
			})
		})
	}
}

// TestMaxBytes: a provider may write up to the limit, and no byte more.
func TestMaxBytes(t *testing.T) {
	l := layout(t, peer())
	const head = 72 + 40         // PERF_OBJECT_TYPE with its mark, a definition
	const instance = 24 + 8 + 16 // PERF_INSTANCE_DEFINITION, the name, PERF_COUNTER_BLOCK
	for _, prefix := range []string{"", "prefix"} {
		for limit := head + 10*instance - 1; limit <= head+10*instance; limit++ {
			var seen problems
			opt := provider.Options{MaxBytes: limit, OnProblem: seen.add}
			d := newDispatcher(t, opt, writes(func(w *provider.Writer) {
				o := w.Object(l)
				for range 10 {
					o.Instance(provider.Instance{})
				}
				o.End()
			}, l))
			n := len(decode(t, collect(t, d, []byte(prefix))[len(prefix):]).Instances)
			if fits := limit == head+10*instance; fits != (n == 10) || fits != (len(seen.list) == 0) {
				t.Errorf("%d instances in %d bytes, problems %v", n, limit, seen.take())
			}
		}
	}
}

// TestContext: what a provider sees of the query's context.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		p := answers(t, "curious", simple(2, false))
		var kept context.Context
		p.collect = func(ctx context.Context, _ *provider.Query, _ *provider.Writer) error {
			kept = ctx
			deadline, ok := ctx.Deadline()
			if want := time.Now().Add(5 * time.Second); !ok || !deadline.Equal(want) {
				t.Errorf("deadline %v (%v), want %v", deadline, ok, want)
			}
			if v := ctx.Value(key{}); v != "value" {
				t.Errorf("value %v", v)
			}
			derived, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			if err := ctx.Err(); err != nil || derived.Err() != nil {
				t.Errorf("ended at once: %v, %v", err, derived.Err())
			}
			<-derived.Done()
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) ||
				!errors.Is(derived.Err(), context.DeadlineExceeded) {
				t.Errorf("ended with %v, derived with %v", ctx.Err(), derived.Err())
			}
			return nil
		}
		d := newDispatcher(t, provider.Options{}, p)
		ctx := context.WithValue(t.Context(), key{}, "value")
		if _, err := d.Collect(ctx, everything(), nil); err != nil {
			t.Error(err)
		}
		p.collect = func(ctx context.Context, _ *provider.Query, _ *provider.Writer) error {
			if ctx == kept || ctx.Err() != nil || kept.Err() == nil {
				t.Errorf("the context that had ended is used again: %v", ctx.Err())
			}
			return nil
		}
		time.Sleep(time.Second)
		collect(t, d, nil)
	})
}

// TestKeptWriter: a writer that a provider kept does not write to the block's
// memory, whether the provider finished its object or not.
func TestKeptWriter(t *testing.T) {
	l := layout(t, peer())
	for _, finished := range []bool{true, false} {
		var kept *provider.Writer
		var object provider.ObjectWriter
		d := newDispatcher(t, provider.Options{}, writes(func(w *provider.Writer) {
			kept, object = w, w.Object(l)
			object.Instance(provider.Instance{Name: "x"})
			if finished {
				object.End()
			}
		}, l))
		block := collect(t, d, make([]byte, 0, 4096))
		before := bytes.Clone(block[:cap(block)])
		object.Set(0, 1234)
		writePeers(kept, l, 3, 4)
		if !bytes.Equal(block[:cap(block)], before) {
			t.Errorf("the block's memory has changed (finished: %v)", finished)
		}
	}
}

// TestLateWriter: a provider that was left behind writes neither into the block
// nor into the buffer of a later query.
func TestLateWriter(t *testing.T) {
	l := layout(t, peer())
	for position := range 2 {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			p := writes(func(w *provider.Writer) {
				if calls++; calls == 1 {
					time.Sleep(time.Minute)
				}
				writePeers(w, l, uint64(calls), uint64(calls))
			}, l)
			good := answers(t, "good", simple(2, false))
			list := []provider.Provider{p, good}
			list[0], list[position] = list[position], list[0]
			d := newDispatcher(t, provider.Options{}, list...)
			first := collect(t, d, make([]byte, 0, 4096))
			before := bytes.Clone(first)
			second := collect(t, d, first[len(first):]) // as a caller with several blocks may
			kept := bytes.Clone(second)
			time.Sleep(time.Hour)
			third := collect(t, d, nil)
			if !bytes.Equal(first, before) || !bytes.Equal(second, kept) {
				t.Error("a block has changed")
			}
			ix := decode(t, third)
			if v, ok := ix.Value(position, 0, 0); len(ix.Objects) != 2 || v != 2 || !ok {
				t.Errorf("%d objects, value %d (there: %v)", len(ix.Objects), v, ok)
			}
		})
	}
}
