package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// simple returns an object with one counter.
func simple(index uint32, costly bool) *provider.Object {
	return &provider.Object{Index: index, Name: fmt.Sprintf("Object %d", index), Costly: costly,
		Counters: []provider.Counter{
			{Index: index + 1000, Name: fmt.Sprintf("Counter %d", index), Type: counter.RawCount},
		}}
}

// answers returns a provider that writes those of its objects that are wanted.
func answers(t testing.TB, name string, objects ...*provider.Object) *fake {
	t.Helper()
	var layouts []*provider.Layout
	for _, o := range objects {
		layouts = append(layouts, layout(t, o))
	}
	return &fake{name: name, objects: objects,
		collect: func(_ context.Context, q *provider.Query, w *provider.Writer) error {
			for _, l := range layouts {
				switch {
				case !q.Includes(l.Object()):
				case q.Metadata:
					w.Definitions(l)
				default:
					o := w.Object(l)
					if q.IncludesCounter(l.Object(), 0) {
						o.Set(0, 42)
					}
					o.End()
				}
			}
			return nil
		}}
}

// problems gathers what is reported, as "provider stage: error".
type problems struct{ list []provider.Problem }

func (p *problems) add(problem provider.Problem) { p.list = append(p.list, problem) }

// take returns what was reported since the last call.
func (p *problems) take() (texts []string) {
	for _, q := range p.list {
		texts = append(texts, fmt.Sprintf("%s %s: %v", q.Provider, q.Stage, q.Err))
	}
	p.list = nil
	return texts
}

func TestQueries(t *testing.T) {
	d := dispatcher(t, nil,
		answers(t, "a", simple(2, false), simple(4, true)),
		answers(t, "b", simple(230, false), simple(232, true)))
	for _, tt := range []struct {
		query string
		want  []uint32
	}{
		{"Global", []uint32{2, 230}},
		{"Costly", []uint32{4, 232}},
		{"MetadataGlobal", []uint32{2, 230}},
		{"MetadataCostly", []uint32{4, 232}},
		{"230", []uint32{230}},
		{"232 2", []uint32{2, 232}},
		{"3 6 23", []uint32{}},
		{"6 230 99999", []uint32{230}},
		{"Foreign host", []uint32{}},
		{"", []uint32{}},
	} {
		q := provider.ParseQuery(tt.query)
		ix := ask(t, d, q)
		if diff := cmp.Diff(tt.want, titles(ix)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.query, diff)
		}
		for i, o := range ix.Objects {
			want := int32(-1)
			if q.Metadata {
				want = -3
			}
			if o.NumInstances != want {
				t.Errorf("%q: object %d has NumInstances %d, want %d", tt.query, o.Title,
					o.NumInstances, want)
			}
			if q.Metadata {
				continue
			}
			if v, ok := ix.Value(i, 0, 0); v != 42 || !ok {
				t.Errorf("%q: object %d has the value %d (there: %v)", tt.query, o.Title, v, ok)
			}
		}
	}
}

func TestHint(t *testing.T) {
	d := dispatcher(t, nil, answers(t, "a", simple(2, false), simple(4, false)))
	ix := ask(t, d, &provider.Query{Global: true, Counters: map[uint32][]uint32{2: {}, 4: {1004}}})
	for i, want := range []bool{false, true} {
		if _, ok := ix.Value(i, 0, 0); ok != want {
			t.Errorf("object %d has a value: %v", ix.Objects[i].Title, ok)
		}
	}
}

func TestHeader(t *testing.T) {
	d := dispatcher(t, nil, answers(t, "a", simple(2, false)))
	ix := ask(t, d, everything())
	if ix.MachineName() != "HOST" || ix.Clocks != testClocks() || ix.Default != -1 {
		t.Errorf("machine %q, clocks %+v, default object %d", ix.MachineName(), ix.Clocks, ix.Default)
	}
	// Sunday 2026-03-01 09:30:15.250
	systemTime := []byte{0xEA, 7, 3, 0, 0, 0, 1, 0, 9, 0, 30, 0, 15, 0, 250, 0}
	if !bytes.Equal(ix.Data[36:52], systemTime) {
		t.Errorf("SystemTime % x, want % x", ix.Data[36:52], systemTime)
	}
}

// TestZeroOptions: the zero Options are ready for use.
func TestZeroOptions(t *testing.T) {
	d, err := provider.NewDispatcher(provider.Options{}, answers(t, "a", simple(2, false)), &fake{
		name: "failing", objects: []*provider.Object{simple(4, false)},
		open: func(context.Context) error { return errors.New("no") },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	before := winperf.ToFiletime(time.Now())
	first, second := ask(t, d, everything()), ask(t, d, everything())
	after := winperf.ToFiletime(time.Now())
	a, b := first.Clocks, second.Clocks
	if a.PerfFreq != 10_000_000 || a.PerfTime < 0 || b.PerfTime < a.PerfTime || a.Time100ns < before ||
		b.Time100ns > after {
		t.Errorf("clocks %+v, then %+v, between %d and %d", a, b, before, after)
	}
	if diff := cmp.Diff([]uint32{2}, titles(first)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func TestOpenCollectClose(t *testing.T) {
	var calls []string
	p := answers(t, "a", simple(2, false), simple(4, true))
	collect := p.collect
	p.open = func(context.Context) error { calls = append(calls, "open"); return nil }
	p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
		calls = append(calls, q.String())
		return collect(ctx, q, w)
	}
	p.close = func() error { calls = append(calls, "close"); return nil }
	never := answers(t, "never asked", simple(6, false))
	never.open = func(context.Context) error { t.Error("opened without being asked for"); return nil }

	d := dispatcher(t, nil, p, never)
	for _, q := range []string{"8", "2", "Costly", "4"} {
		ask(t, d, provider.ParseQuery(q))
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"open", "2", "Costly", "4", "close"}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	for range 20 {
		if _, err := d.Collect(t.Context(), everything(), nil); !errors.Is(err, winperf.ErrState) {
			t.Errorf("error %v after Close", err)
		}
	}
}

// TestBroughtAlong: a session may write a declared object that was not asked
// for, as Thread brings Process.
func TestBroughtAlong(t *testing.T) {
	tl, pl := layout(t, transfer()), layout(t, peer())
	d := dispatcher(t, nil, writes(func(w *provider.Writer) { writeTransfer(w, tl); writePeers(w, pl, 1, 2) },
		tl, pl))
	if diff := cmp.Diff([]uint32{2000, 2006}, titles(ask(t, d, provider.ParseQuery("2006")))); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestConcurrent: queries of several goroutines take turns at the sessions.
func TestConcurrent(t *testing.T) {
	p := answers(t, "a", simple(2, false), simple(4, true))
	busy, samples := false, 0 // without a lock: the race detector watches
	collect := p.collect
	p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
		if busy {
			t.Error("calls overlap")
		}
		busy = true
		defer func() { busy = false }()
		samples++
		return collect(ctx, q, w)
	}
	d := dispatcher(t, nil, p)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			q := &provider.Query{Global: i%2 == 0, Costly: true}
			for range 50 {
				block, err := d.Collect(t.Context(), q, nil)
				if err != nil || level1(block) != nil || field(block, 28) != 2-i%2 {
					t.Errorf("error %v, %d objects", err, field(block, 28))
				}
			}
		})
	}
	wg.Wait()
	if samples != 400 {
		t.Errorf("%d samples, want 400", samples)
	}
}

// TestOrder: objects come in the order of the providers.
func TestOrder(t *testing.T) {
	d := dispatcher(t, nil, answers(t, "a", simple(6, false), simple(2, false)),
		answers(t, "b", simple(4, false)))
	if got := titles(ask(t, d, everything())); !slices.Equal(got, []uint32{6, 2, 4}) {
		t.Errorf("objects %v", got)
	}
}
