package local

import (
	"context"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/provider"
)

// slow is a provider whose costly object comes only when it is told to.
type slow struct {
	objects         []*provider.Object
	asked, released chan struct{}
}

func (s *slow) Name() string                                   { return "slow" }
func (s *slow) Objects() []*provider.Object                    { return s.objects }
func (s *slow) Open(context.Context) (provider.Session, error) { return s, nil }
func (s *slow) Close() error                                   { return nil }

func (s *slow) Collect(_ context.Context, q *provider.Query, w *provider.Writer) error {
	for _, o := range s.objects {
		if !q.Includes(o) {
			continue
		}
		if o.Costly {
			close(s.asked)
			<-s.released
		}
		layout, err := provider.NewLayout(o, nil)
		if err != nil {
			return err
		}
		ow := w.Object(layout)
		ow.Set(0, 1)
		ow.End()
	}
	return nil
}

// TestApart: the session for costly objects is asked for the host's own, and for nothing else with them.
func TestApart(t *testing.T) {
	thread, disk := object(200, "Thread", "Count"), object(400, "Disk", "Count")
	thread.Costly, disk.Costly = true, true
	p := &slow{objects: []*provider.Object{object(100, "Memory", "Free"), thread}}
	for _, tt := range []struct {
		name  string
		given []provider.Provider
		want  map[string]bool
	}{
		{"host", nil, map[string]bool{
			"": false, "100": false, "200": true, "100 200": false, "Costly": true, "400": false, "200 999": true,
		}},
		{"given", []provider.Provider{&slow{objects: []*provider.Object{disk}}}, map[string]bool{
			"200": true, "Costly": false, "400": false, "200 400": false,
		}},
	} {
		src, err := newSource(host{machine: "HOST", provider: p}, Options{Providers: tt.given})
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range tt.want {
			asked := provider.ParseQuery(text)
			sel := winperf.Selection{Global: asked.Global, Costly: asked.Costly}
			for _, title := range asked.Objects {
				sel.Objects = append(sel.Objects, winperf.ObjectID{Index: title})
			}
			q, err := src.Compile(t.Context(), sel)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.(*query).dispatcher == src.apart; got != want {
				t.Errorf("%s, %q: apart %v, want %v", tt.name, text, got, want)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCostlyApart samples another object while a costly one is still being
// sampled.
func TestCostlyApart(t *testing.T) {
	costly := object(200, "Costly", "Pages")
	costly.Costly = true
	p := &slow{
		objects: []*provider.Object{object(100, "Memory", "Free"), costly},
		asked:   make(chan struct{}), released: make(chan struct{}),
	}
	src, err := newSource(host{machine: "HOST", provider: p}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	query := func(index uint32) winperf.Query {
		q, err := src.Compile(t.Context(), winperf.Selection{Objects: []winperf.ObjectID{{Index: index}}})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	ended := make(chan error, 1)
	go func() {
		var raw winperf.Raw
		ended <- perftest.Take(t.Context(), query(200), &raw)
	}()
	<-p.asked
	var raw winperf.Raw
	if err := perftest.Take(t.Context(), query(100), &raw); err != nil {
		t.Error(err)
	}
	close(p.released)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}
