package provider_test

import (
	"context"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/provider"
)

// fake is a provider that does what its fields say; those that are nil do
// nothing and succeed.
type fake struct {
	name    string
	objects []*provider.Object
	open    func(context.Context) error
	collect func(context.Context, *provider.Query, *provider.Writer) error
	close   func() error
}

func (f *fake) Name() string                { return f.name }
func (f *fake) Objects() []*provider.Object { return f.objects }

func (f *fake) Open(ctx context.Context) (provider.Session, error) {
	if f.open != nil {
		if err := f.open(ctx); err != nil {
			return nil, err
		}
	}
	return session{f}, nil
}

type session struct{ *fake }

func (s session) Collect(ctx context.Context, q *provider.Query, w *provider.Writer) error {
	if s.collect == nil {
		return nil
	}
	return s.collect(ctx, q, w)
}

func (s session) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// writes returns a provider of the layouts' objects that always writes what the
// function writes.
func writes(write func(w *provider.Writer), layouts ...*provider.Layout) *fake {
	f := &fake{name: "fake"}
	for _, l := range layouts {
		f.objects = append(f.objects, l.Object())
	}
	f.collect = func(_ context.Context, _ *provider.Query, w *provider.Writer) error {
		write(w)
		return nil
	}
	return f
}

// layout returns the layout of an object without anything left out.
func layout(t testing.TB, o *provider.Object) *provider.Layout {
	t.Helper()
	l, err := provider.NewLayout(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// dispatcher returns a dispatcher that is closed with the test. A nil report
// makes every problem an error of the test.
func dispatcher(t testing.TB, report func(provider.Problem),
	providers ...provider.Provider) *provider.Dispatcher {
	t.Helper()
	if report == nil {
		report = func(p provider.Problem) {
			t.Errorf("problem: %s: %s: %v\n%s", p.Provider, p.Stage,
				p.Err, p.Stack)
		}
	}
	d, err := provider.NewDispatcher(provider.Options{Machine: "HOST", Clocks: testClocks, OnProblem: report},
		providers...)
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

// testClocks are the clocks of 2026-03-01 09:30:15.25 UTC.
func testClocks() counter.Clocks {
	return counter.Clocks{PerfTime: 123_456, PerfFreq: 10_000_000, Time100ns: 134_168_310_152_500_000}
}

// ask collects a block, checks it and decodes it.
func ask(t testing.TB, d *provider.Dispatcher, q *provider.Query) *index.Index {
	t.Helper()
	block, err := d.Collect(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, block)
}

// once returns the block that a single provider writes for everything.
func once(t testing.TB, write func(w *provider.Writer), layouts ...*provider.Layout) *index.Index {
	t.Helper()
	return ask(t, dispatcher(t, nil, writes(write, layouts...)), everything())
}

func everything() *provider.Query { return &provider.Query{Global: true, Costly: true} }

// decode reads a block, in which nothing may be unusual.
func decode(t testing.TB, block []byte) *index.Index {
	t.Helper()
	if err := level1(block); err != nil {
		t.Fatal(err)
	}
	ix := new(index.Index)
	if err := datablock.Decode(block, ix, datablock.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, err := range ix.Damage {
		t.Errorf("damage: %v", err)
	}
	checkAligned(t, ix)
	return ix
}

// checkAligned checks that structures and values are aligned.
func checkAligned(t testing.TB, ix *index.Index) {
	t.Helper()
	seen := map[uint32]bool{}
	for _, o := range ix.Objects {
		if o.Off%8 != 0 || seen[o.Title] {
			t.Errorf("object %d at %d, there before: %v", o.Title, o.Off, seen[o.Title])
		}
		seen[o.Title] = true
	}
	for _, c := range ix.Counters {
		if c.Off%8 != 0 || c.Size > 0 && !c.Type.IsText() && c.Value%c.Size != 0 {
			t.Errorf("counter %d at %d, its value at %d", c.Title, c.Off, c.Value)
		}
	}
	for i := range ix.Instances {
		if in := &ix.Instances[i]; in.Off%8 != 0 || in.Block%8 != 0 || ix.BlockLen(in)%8 != 0 {
			t.Errorf("instance %d at %d, %d bytes of values at %d", i, in.Off, ix.BlockLen(in), in.Block)
		}
	}
	if len(ix.Objects) > 0 {
		if o := ix.Objects[len(ix.Objects)-1]; int(o.Off+o.Len) != len(ix.Data) {
			t.Errorf("objects end at %d, the block at %d", o.Off+o.Len, len(ix.Data))
		}
	}
}

// titles returns the title indices of the objects of a block.
func titles(ix *index.Index) []uint32 {
	list := []uint32{}
	for i := range ix.Objects {
		list = append(list, ix.Objects[i].Title)
	}
	return list
}
