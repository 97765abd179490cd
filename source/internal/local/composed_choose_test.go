package local

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// An interface whose queries cannot be compiled costs its own objects: the others serve, and it is
// reported. There is no query if none serves.
func TestCompileFails(t *testing.T) {
	broken := errors.New("it broke")
	for _, tt := range []struct {
		name      string
		fail      func(registry, sets, pdh *fakeSource)
		want      string
		anomalies []string
	}{
		{"the registry", func(registry, _, _ *fakeSource) { registry.compile = broken },
			"New perflib, Newer perflib, both perflib", []string{"provider registry: compile: failure 1"}},
		{"the list of sets", func(_, sets, _ *fakeSource) { sets.schema = broken },
			"Both registry, Old registry", []string{"provider perflib: compile: failure 1"}},
		{"each set", func(_, sets, _ *fakeSource) { sets.compile = broken }, "Both registry, Old registry",
			[]string{"provider perflib New: compile: failure 1", "provider perflib Newer: compile: failure 1"}},
	} {
		registry, sets, pdh := machine()
		tt.fail(registry, sets, pdh)
		c := composeFakes(t, registry, sets, pdh)
		m := measure.New(c, winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
		cy, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := objectsOf(cy); got != tt.want {
			t.Errorf("%s: objects %q, want %q", tt.name, got, tt.want)
		}

		var got []string
		anomalies, _ := c.troubles.since(nil, 0)
		for _, a := range anomalies {
			if !errors.Is(a.Err, broken) {
				t.Errorf("%s: anomaly of %v", tt.name, a.Err)
			}
			got = append(got, a.Detail)
		}
		if !slices.Equal(got, tt.anomalies) {
			t.Errorf("%s: anomalies %q, want %q", tt.name, got, tt.anomalies)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}

	registry, sets, pdh := machine()
	registry.compile, sets.schema, pdh.compile = broken, winperf.ErrNotSupported, broken
	q, err := composeFakes(t, registry, sets, pdh).Compile(t.Context(), winperf.Selection{Global: true})
	if q != nil || !errors.Is(err, broken) || !errors.Is(err, winperf.ErrNotSupported) ||
		!strings.Contains(err.Error(), "registry: ") || !strings.Contains(err.Error(), "pdh: ") {
		t.Errorf("none serves: query %v, error %v", q, err)
	}
}

// A selection of another machine, which only a later interface refuses, leaves no query open, nor
// does a caller that stops waiting. composeFakes looks for open queries.
func TestCompileEnds(t *testing.T) {
	registry, sets, _ := machine()
	sets.compile = winperf.ErrNoMachine
	c := composeFakes(t, registry, sets)
	if _, err := c.Compile(t.Context(), sel(t, `\New(*)\Count`)); !errors.Is(err, winperf.ErrNoMachine) {
		t.Errorf("another machine: %v", err)
	}

	for _, inSample := range []bool{true, false} {
		registry, sets, pdh := machine()
		ctx, cancel := context.WithCancel(t.Context())
		if inSample {
			registry.sample = func(context.Context, uint32) error { cancel(); return ctx.Err() }
		} else {
			sets.stop, sets.compile = cancel, context.Canceled
		}

		c := composeFakes(t, registry, sets, pdh)
		q, err := c.Compile(ctx, winperf.Selection{Global: true})
		if q != nil || !errors.Is(err, context.Canceled) || len(sets.asked) > 1 {
			t.Errorf("query %v, error %v, sets asked for %d times", q, err, len(sets.asked))
		}
		if _, n := c.troubles.since(nil, 0); n != 0 {
			t.Errorf("%d anomalies of a caller that stopped", n)
		}
		cancel()
	}
}

// The schema and the costly objects are not asked for after the end of a context.
func TestSchemaEnds(t *testing.T) {
	registry, sets, _ := machine()
	failing := registry.member(false)
	failing.open = func(ctx context.Context) (winperf.Source, error) { return nil, ctx.Err() }
	c, err := compose(t.Context(), sets.member(false))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.members = []*member{failing, sets.member(false)}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := c.Schema(ctx); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("schema %v, error %v", s, err)
	}
	if s, err := winperf.CostlySchema(ctx, c); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("costly objects %v, error %v", s, err)
	}
	if _, n := c.troubles.since(nil, 0); n != 0 {
		t.Errorf("%d anomalies of a caller that stopped", n)
	}
}
