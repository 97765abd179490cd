package provider_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// misdeed is one way to fail. The provider declares peer(), then does what the
// functions say.
type misdeed struct {
	name    string
	open    func(context.Context) error
	collect func(ctx context.Context, w *provider.Writer) error
	want    string        // what is reported, without the provider's name
	is      error         // what the error wraps
	panics  bool          // there is a stack instead
	takes   time.Duration // until the block is there
	returns time.Duration // how long the call goes on after that
}

// misdeeds are those of Open and Collect, but for lies about objects.
func misdeeds(t testing.TB) []misdeed {
	l := layout(t, peer())
	half := func(w *provider.Writer) { // an object that has not ended
		o := w.Object(l)
		o.Instance(provider.Instance{Name: "half"})
		o.Set(0, 1)
	}
	untilEnd := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	return []misdeed{
		{name: "open fails", open: func(context.Context) error { return errBoom }, want: "open: boom",
			is: errBoom},
		{name: "open panics", open: func(context.Context) error { panic("boom") }, want: "open: panic: boom",
			panics: true},
		{
			name: "open takes all its time", open: untilEnd,
			want: "open: no answer within 3s: context deadline exceeded", is: context.DeadlineExceeded,
			takes: 3 * time.Second,
		},
		{
			name: "open hangs", open: func(context.Context) error { time.Sleep(time.Hour); return errBoom },
			want: "open: no answer within 3s: provider has not returned", is: provider.ErrBusy,
			takes: 3100 * time.Millisecond, returns: time.Hour,
		},
		{
			name: "collect fails", collect: func(_ context.Context,
				w *provider.Writer) error {
				half(w)
				return errBoom
			},
			want: "collect: boom", is: errBoom,
		},
		{
			name: "collect fails in the end",
			collect: func(_ context.Context, w *provider.Writer) error {
				writePeers(w, l, 1,
					2)
				return errBoom
			},
			want: "collect: boom", is: errBoom,
		},
		{
			name: "collect panics", collect: func(_ context.Context,
				w *provider.Writer) error {
				half(w)
				panic("boom")
			},
			want: "collect: panic: boom", panics: true,
		},
		{
			name: "counter out of range", collect: func(_ context.Context,
				w *provider.Writer) error {
				o := w.Object(l)
				o.Set(1, 1)
				return nil
			},
			want: "collect: panic: runtime error: index out of range [1] with length 1", panics: true,
		},
		{
			name: "half an object", collect: func(_ context.Context,
				w *provider.Writer) error {
				half(w)
				return nil
			},
			want: "collect: write an object without End: wrong order of operations", is: winperf.ErrState,
		},
		{
			name:    "collect takes all its time",
			collect: func(ctx context.Context, w *provider.Writer) error { half(w); return untilEnd(ctx) },
			want:    "collect: no answer within 2s: context deadline exceeded", is: context.DeadlineExceeded,
			takes: 2 * time.Second,
		},
		{
			name: "collect is a little late", collect: func(_ context.Context, w *provider.Writer) error {
				writePeers(w, l, 1, 2)
				time.Sleep(2050 * time.Millisecond)
				return nil
			},
			want: "collect: no answer within 2s: context deadline exceeded", is: context.DeadlineExceeded,
			takes: 2050 * time.Millisecond,
		},
		{
			name: "collect hangs", collect: func(_ context.Context, w *provider.Writer) error {
				half(w)
				time.Sleep(time.Hour)
				writeEndless(w.Object(l)) // where the block of others is no more
				return nil
			},
			want: "collect: no answer within 2s: provider has not returned", is: provider.ErrBusy,
			takes: 2100 * time.Millisecond, returns: time.Hour,
		},
	}
}

// floods write more than MaxBytes.
func floods(t testing.TB) []misdeed {
	l := layout(t, peer())
	const tooMuch = "collect: write more than 65536 bytes: provider writes too much"
	const twice = "collect: write object 2006 twice: wrong order of operations"
	const before = "collect: write object 2006 before End of another: wrong order of operations"
	flood := func(name, want string, is error, write func(w *provider.Writer)) misdeed {
		collect := func(_ context.Context, w *provider.Writer) error { write(w); return nil }
		return misdeed{name: name, want: want, is: is, collect: collect}
	}
	return []misdeed{
		flood("endless instances", tooMuch, provider.ErrTooLarge,
			func(w *provider.Writer) { writeEndless(w.Object(l)) }),
		flood("endless instances after all", tooMuch, provider.ErrTooLarge, func(w *provider.Writer) {
			defer writePeers(w, l, 1, 2)
			defer func() { _ = recover() }() // what ends the call
			writeEndless(w.Object(l))
		}),
		flood("a long name", tooMuch, provider.ErrTooLarge, func(w *provider.Writer) {
			o := w.Object(l)
			o.Instance(provider.Instance{Name: strings.Repeat("x", 1<<15)})
			o.End()
		}),
		flood("endless objects", twice, winperf.ErrState, func(w *provider.Writer) {
			for {
				writePeers(w, l, 1, 2)
			}
		}),
		flood("endless definitions", twice, winperf.ErrState, func(w *provider.Writer) {
			for {
				w.Definitions(l)
			}
		}),
		flood("endless halves of objects", before, winperf.ErrState, func(w *provider.Writer) {
			for {
				w.Object(l)
			}
		}),
	}
}

// writeEndless writes instances until it is stopped.
func writeEndless(o provider.ObjectWriter) {
	for i := 0; ; i++ {
		o.Instance(provider.Instance{Name: "endless"})
		o.Set(0, uint64(i))
	}
}

// lies are objects that are not as peer() was declared.
func lies(t testing.TB) (list []misdeed) {
	change := map[string]func(o *provider.Object){
		"another type":    func(o *provider.Object) { o.Counters[0].Type = counter.LargeRawCount },
		"another counter": func(o *provider.Object) { o.Counters[0].Index += 2 },
		"one counter more": func(o *provider.Object) {
			o.Counters = append(o.Counters, provider.Counter{Index: 9000, Name: "more",
				Type: counter.RawCount})
		},
		"no instances":         func(o *provider.Object) { o.Multi = false },
		"another help text":    func(o *provider.Object) { o.HelpIndex = 9001 },
		"another detail level": func(o *provider.Object) { o.Counters[0].Detail = provider.Wizard },
	}
	for name, f := range change {
		o := peer()
		f(o)
		l := layout(t, o)
		list = append(list, misdeed{
			name: name, want: "collect: write object 2006 differs from the provider's declaration of it: bad " +
				"counter declaration", is: provider.ErrSchema,
			collect: func(_ context.Context, w *provider.Writer) error { w.Definitions(l); return nil },
		})
	}
	other := layout(t, process())
	return append(list, misdeed{
		name: "another object", want: "collect: write object 230, which the provider did not declare: " +
			"wrong order of operations", is: winperf.ErrState,
		collect: func(_ context.Context, w *provider.Writer) error {
			writeProcesses(w, other,
				1)
			return nil
		},
	}, misdeed{
		name: "zero layout", want: "collect: panic: runtime error: index out of range [3] with length 0",
		panics: true,
		collect: func(_ context.Context, w *provider.Writer) error {
			o := w.Object(new(provider.Layout))
			o.End()
			return nil
		},
	})
}
