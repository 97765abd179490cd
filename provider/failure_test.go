package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// errBoom is the error of providers that fail.
var errBoom = errors.New("boom")

// bounds are the options of dispatchers over providers that misbehave.
func bounds() provider.Options {
	return provider.Options{
		Machine: "HOST", Clocks: testClocks, MaxBytes: 1 << 16,
		OpenTimeout: 3 * time.Second, CollectTimeout: 2 * time.Second,
	}
}

// TestMisdeeds: whatever one provider does, and in every position, the others'
// objects are the same bytes as without it. It is reported and left alone, and
// asked again after a pause and when it has returned.
func TestMisdeeds(t *testing.T) {
	for _, m := range slices.Concat(misdeeds(t), floods(t), lies(t)) {
		for position := range 3 {
			t.Run(fmt.Sprint(m.name, "/", position), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { checkMisdeed(t, m, position) })
			})
		}
	}
}

func checkMisdeed(t *testing.T, m misdeed, position int) {
	opened, asked, guilty := 0, 0, true
	l := layout(t, peer())
	bad := &fake{name: "bad", objects: []*provider.Object{peer()}}
	bad.open = func(ctx context.Context) error {
		opened++
		if m.open == nil || !guilty {
			return nil
		}
		asked++
		return m.open(ctx)
	}
	bad.collect = func(ctx context.Context, _ *provider.Query, w *provider.Writer) error {
		if m.collect == nil || !guilty {
			writePeers(w, l, 15, 30)
			return nil
		}
		asked++
		return m.collect(ctx, w)
	}
	good := goodProviders(t)
	want := collect(t, newDispatcher(t, bounds(), good...), nil)

	var seen problems
	opt := bounds()
	opt.OnProblem = seen.add
	d := newDispatcher(t, opt, slices.Insert(good, position, provider.Provider(bad))...)
	const firstPause = 100 * time.Millisecond
	for round := 1; round <= 2; round++ {
		start := time.Now()
		dst := append(make([]byte, 0, 4096), "keep"...) // so that writing in place is possible
		got := collect(t, d, dst)
		if took := time.Since(start); took != m.takes {
			t.Errorf("took %v, want %v", took, m.takes)
		}
		again := collect(t, d, nil) // it is left alone now
		checkProblem(t, m, seen.list, round)
		seen.list = nil
		time.Sleep(max(firstPause<<round, m.returns)) // while it may still write
		synctest.Wait()
		if asked != round {
			t.Errorf("asked %d times, want %d", asked, round)
		}
		if !bytes.Equal(got, append([]byte("keep"), want...)) || !bytes.Equal(again, want) {
			t.Fatalf("the other providers' block is not what it was:\n%q\n%q\n%q", want, got, again)
		}
	}
	guilty = false
	if diff := cmp.Diff(slices.Insert([]uint32{2, 230}, position, 2006),
		titles(decode(t, collect(t, d, nil)))); diff != "" {
		t.Errorf("objects afterwards (-want +got):\n%s", diff)
	}
	if m.open == nil && opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	if len(seen.list) != 0 {
		t.Errorf("problems afterwards: %v", seen.take())
	}
}

// checkProblem compares the only problem of a round with what is expected.
func checkProblem(t *testing.T, m misdeed, list []provider.Problem, round int) {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("%d problems: %v", len(list), list)
	}
	p := list[0]
	if text := fmt.Sprintf("%s: %v", p.Stage, p.Err); text != m.want || p.Provider != "bad" {
		t.Errorf("problem %s: %s, want %s", p.Provider, text, m.want)
	}
	if m.is != nil && !errors.Is(p.Err, m.is) {
		t.Errorf("error %v does not wrap %v", p.Err, m.is)
	}
	if m.panics != (len(p.Stack) > 0) {
		t.Errorf("stack of %d bytes", len(p.Stack))
	}
	want := provider.Problem{Failures: round, Total: round, Pause: 50 * time.Millisecond << round,
		Time: winperf.FromFiletime(testClocks().Time100ns)}
	got := provider.Problem{Failures: p.Failures, Total: p.Total, Pause: p.Pause, Time: p.Time}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problem (-want +got):\n%s", diff)
	}
}

// goodProviders returns a provider of object 2 and one of object 230 with many
// instances.
func goodProviders(t testing.TB) []provider.Provider {
	l := layout(t, process())
	many := writes(func(w *provider.Writer) { writeProcesses(w, l, 50) }, l)
	return []provider.Provider{answers(t, "small", simple(2, false)), many}
}

// newDispatcher returns a dispatcher that is closed with the test.
func newDispatcher(t testing.TB, opt provider.Options, providers ...provider.Provider) *provider.Dispatcher {
	t.Helper()
	d, err := provider.NewDispatcher(opt, providers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

// collect appends a block with everything to dst.
func collect(t testing.TB, d *provider.Dispatcher, dst []byte) []byte {
	t.Helper()
	block, err := d.Collect(t.Context(), everything(), dst)
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// noSession is a provider whose Open returns nothing.
type noSession struct{ *fake }

func (noSession) Open(context.Context) (provider.Session, error) { return nil, nil }

func TestNoSession(t *testing.T) {
	var seen problems
	opt := bounds()
	opt.OnProblem = seen.add
	d := newDispatcher(t, opt, noSession{answers(t, "bad", simple(4, false))},
		answers(t, "good", simple(2, false)))
	if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bad open: neither a session nor an error from Open"}, seen.take()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// badDeclaration is a provider that panics when it is asked what it has.
type badDeclaration struct{ *fake }

func (badDeclaration) Objects() []*provider.Object { panic("boom") }

func TestBadDeclarations(t *testing.T) {
	for _, tt := range []struct {
		p    provider.Provider
		want string
	}{
		{badDeclaration{&fake{name: "bad"}},
			`declarations of provider "bad": panic: boom: bad counter declaration`},
		{&fake{name: "bad", objects: []*provider.Object{nil}},
			`declarations of provider "bad": panic: runtime error`},
		{nil, `declarations of provider "": panic: runtime error`},
	} {
		_, err := provider.NewDispatcher(provider.Options{}, answers(t, "good", simple(2, false)), tt.p)
		if !errors.Is(err, provider.ErrSchema) || !strings.HasPrefix(fmt.Sprint(err), tt.want) {
			t.Errorf("error %v, want one that begins with %s", err, tt.want)
		}
	}
}

// TestFewerCounters: an object without some of the declared counters is another
// one unless its layout leaves them out.
func TestFewerCounters(t *testing.T) {
	declared, fewer := transfer(), transfer()
	fewer.Counters = fewer.Counters[:1]
	other := layout(t, fewer)
	left, err := provider.NewLayout(transfer(), func(i int) bool { return i == 0 })
	if err != nil {
		t.Fatal(err)
	}
	var seen problems
	for _, l := range []*provider.Layout{left, other} {
		p := writes(func(w *provider.Writer) { o := w.Object(l); o.End() }, l)
		p.objects[0] = declared
		d := newDispatcher(t, provider.Options{OnProblem: seen.add}, p)
		if n := len(ask(t, d, everything()).Objects); (n == 1) != (l == left) {
			t.Errorf("%d objects, problems %v", n, seen.list)
		}
	}
	if len(seen.list) != 1 || !errors.Is(seen.list[0].Err, provider.ErrSchema) {
		t.Errorf("problems %v", seen.take())
	}
}

// TestDeclarationChanges: what a provider does to its declarations later
// changes nothing.
func TestDeclarationChanges(t *testing.T) {
	o := peer()
	l := layout(t, o)
	d := newDispatcher(t, bounds(), writes(func(w *provider.Writer) {
		out := w.Object(l)
		out.Instance(provider.Instance{Name: "a"})
		out.Set(0, 7)
		o.Multi, o.Index, o.Counters[0].Type = false, 1, counter.LargeRawCount
		out.Instance(provider.Instance{Name: "b"})
		out.Set(0, 8)
		out.End()
	}, l))
	ix := decode(t, collect(t, d, nil))
	for i, want := range []uint64{7, 8} {
		if v, ok := ix.Value(0, i, 0); v != want || !ok {
			t.Errorf("instance %d: %d (there: %v), want %d", i, v, ok, want)
		}
	}
	if got, want := d.Objects()[0], peer(); got.Multi != want.Multi || got.Index != want.Index ||
		!reflect.DeepEqual(got.Counters, want.Counters) {
		t.Errorf("declaration %+v, want %+v", got, want)
	}
}

// TestCopiedWriter: copies of an ObjectWriter write the same object.
func TestCopiedWriter(t *testing.T) {
	l := layout(t, peer())
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		c := o
		o.Instance(provider.Instance{Name: "a"})
		c.Set(0, 7)
		c.Instance(provider.Instance{Name: "b"})
		o.Set(0, 8)
		c.End()
	}, l)
	for i, want := range []uint64{7, 8} {
		if v, ok := ix.Value(0, i, 0); v != want || !ok || ix.Objects[0].NumInstances != 2 {
			t.Errorf("instance %d of %d: %d (there: %v), want %d", i, ix.Objects[0].NumInstances, v, ok, want)
		}
	}
}

func TestFailureOfClose(t *testing.T) {
	var seen problems
	bad := answers(t, "bad", simple(2, false))
	bad.close = func() error { return errBoom }
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
	if err := d.Close(); !errors.Is(err, errBoom) ||
		err.Error() != "bad: close: boom\nworse: close: panic: boom" {
		t.Errorf("error %v", err)
	}
	for _, p := range seen.list {
		if p.Pause != 0 {
			t.Errorf("%s is left alone for %v", p.Provider, p.Pause)
		}
	}
	if diff := cmp.Diff([]string{"bad close: boom", "worse close: panic: boom"}, seen.take()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if !closed {
		t.Error("the good provider was not closed")
	}
}

// A block says why objects are missing as long as a provider that failed or was late has not answered again.
// That it lacks permission, which does not change, is no reason.
func TestLack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := layout(t, peer())
		slow, errPanic := error(&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}), errors.New("boom")
		other := &fake{name: "other", objects: []*provider.Object{peer()}}
		other.collect = func(ctx context.Context, _ *provider.Query, w *provider.Writer) error {
			switch {
			case errors.Is(slow, context.DeadlineExceeded):
				<-ctx.Done()
			case errors.Is(slow, provider.ErrBusy):
				time.Sleep(time.Hour)
			case errors.Is(slow, errPanic):
				panic(slow)
			case slow == nil:
				writePeers(w, l, 15, 30)
			}
			return slow
		}
		d := newDispatcher(t, bounds(), append(goodProviders(t), other)...)
		check := func(when string, q *provider.Query, want error) {
			t.Helper()
			_, lack, err := d.CollectPart(t.Context(), q, nil)
			is := errors.Is(lack, want)
			if errors.Is(want, errPanic) {
				is = lack != nil && strings.Contains(lack.Error(), "other: panic: boom")
			}
			if err != nil || !is {
				t.Errorf("%s: it lacks objects because of %v, want %v; %v", when, lack, want, err)
			}
		}

		all, without := &provider.Query{Global: true}, &provider.Query{Objects: []uint32{2}}
		check("no permission", all, nil)
		for _, next := range []error{errBoom, errPanic, context.DeadlineExceeded, provider.ErrBusy} {
			time.Sleep(time.Minute)
			synctest.Wait()
			slow = next
			check("failed", all, slow)
			check("left alone", all, slow)
			check("not wanted", without, nil)
			time.Sleep(2 * time.Hour)
		}
		synctest.Wait()
		slow = nil
		check("it answers again", all, nil)
	})
}
