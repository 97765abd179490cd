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
		if !q.Wants(o) {
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
