package experiment_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
)

// BenchmarkDetached is what events cost where no experiment is attached: 5 ns at most beyond building
// the attributes, and no allocation. The reference builds the attributes only.
func BenchmarkDetached(b *testing.B) {
	ctx, name := context.Background(), strings.Clone("name")
	b.Run("attributes", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			use(slog.Int("n", i), slog.String("s", name))
		}
	})
	b.Run("Event", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			experiment.Event(ctx, "event")
		}
	})
	b.Run("EventAttributes", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			experiment.Event(ctx, "event", slog.Int("n", i), slog.String("s", name))
		}
	})
	b.Run("Region", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			_, r := experiment.Region(ctx, "region", slog.Int("n", i))
			r.End(slog.String("s", name))
		}
	})
}

//go:noinline
func use(...slog.Attr) {}

// still is a source whose samples are the same bytes: what is left is the work of the experiment.
type still struct {
	*fake
	bytes []byte
}

func newStill(b *testing.B) still {
	f := newFake(nil)
	parsed, err := perfdata.ParseText([]byte(counting(1)))
	if err != nil {
		b.Fatal(err)
	}
	bytes, err := parsed.Encode()
	if err != nil {
		b.Fatal(err)
	}
	return still{f, bytes}
}

func (s still) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &stillQuery{still: s}, nil
}

type stillQuery struct {
	still
}

func (q *stillQuery) Close() error { return nil }

func (q *stillQuery) Next(_ context.Context, s *winperf.Sample) error {
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		raw.Format, raw.Schema, raw.Bytes = winperf.FormatV1, q.schema, append(raw.Bytes[:0], q.bytes...)
		return nil
	})
}

// BenchmarkAttached is what an event costs whoever emits it and the program in all, when one is
// attached, with a sample that takes no time. The reference is prepare, sample and decode alone.
// Next to it an event may cost 2 µs.
func BenchmarkAttached(b *testing.B) {
	ctx := context.Background()
	b.Run("sample", func(b *testing.B) {
		m := measure.New(newStill(b), winperf.Selection{Paths: paths(`\System\Ticks`, `\System\Work`)}, measure.Options{})
		defer m.Close()
		b.ReportAllocs()
		for range b.N {
			c, err := m.Cycle(ctx)
			if err != nil {
				b.Fatal(err)
			}
			_ = c.Columns()
		}
	})

	attached := func(b *testing.B, bindings ...experiment.Binding) *experiment.Program {
		var program experiment.Program
		e, err := experiment.New(experiment.Options{
			Program: &program, Sources: []sensor.Origin{{Source: newStill(b)}}, Bindings: bindings, Apart: true,
		})
		if err == nil {
			err = e.Attach(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = e.Detach(ctx) })
		return &program
	}
	binding := experiment.Binding{
		Events: []string{"event"}, Paths: paths(`\System\Ticks`, `\System\Work`), Policy: experiment.DropOldest, Capacity: 100,
	}

	b.Run("Event", func(b *testing.B) {
		p := attached(b, binding)
		b.ReportAllocs()
		for range b.N {
			p.Event(ctx, "event")
		}
	})
	b.Run("EventCancelable", func(b *testing.B) {
		p := attached(b, binding)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		b.ReportAllocs()
		for range b.N {
			p.Event(ctx, "event")
		}
	})
	b.Run("Region", func(b *testing.B) {
		p := attached(b, binding)
		b.ReportAllocs()
		for range b.N {
			_, r := p.Region(ctx, "event")
			r.End()
		}
	})
	b.Run("Unbound", func(b *testing.B) {
		p := attached(b, binding)
		b.ReportAllocs()
		for range b.N {
			p.Event(ctx, "another")
		}
	})
	for _, n := range []int{1, 10} {
		b.Run(fmt.Sprintf("bindings=%d", n), func(b *testing.B) {
			var all []experiment.Binding
			for i := range n {
				one := binding
				one.Name = fmt.Sprint(i)
				all = append(all, one)
			}
			p := attached(b, all...)
			b.ReportAllocs()
			for range b.N {
				p.Event(ctx, "event")
			}
		})
	}
}
