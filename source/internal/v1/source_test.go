package v1

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

var _ winperf.Source = (*Source)(nil)

// TestMeasure reads a value by its German name, through everything above.
func TestMeasure(t *testing.T) {
	m := system()
	m.values["4"] = data(block(4))
	m.values["Counter 009"] = names(4, "Memory", 6, "Bytes")
	s := start(t, m, Options{Interface: "registry"})
	p, err := winperf.ParsePath(`\Speicher\Bytes`)
	if err != nil {
		t.Fatal(err)
	}
	c := measure.New(s, winperf.Selection{Paths: []winperf.Path{p}}, measure.Options{})
	defer c.Close()
	cycle, err := c.Cycle(t.Context())
	if err != nil || len(cycle.Readings()) != 1 {
		t.Fatalf("%d readings, error %v", len(cycle.Readings()), err)
	}
	r := cycle.Readings()[0]
	if n, ok := r.Value.Uint64(); r.Status != counter.OK || !ok || n != 4 ||
		r.Series.String() != `\\M\Memory\Bytes` {
		t.Errorf("%s = %v, %v", r, r.Value, r.Status)
	}
}

// TestSampleWarm allocates nothing once the buffer is large enough.
func TestSampleWarm(t *testing.T) {
	var s *Source
	b := perftest.Block(perftest.Desktop)
	keys := Keys{
		Open:      func(context.Context) error { return nil },
		Languages: func(context.Context) ([]string, error) { return nil, nil },
		Close:     func() error { return nil },
		Query: func(_ context.Context, _ Key, _ []uint16, buf []byte, v *Value) error {
			if len(buf) < len(b) {
				return winapi.ERROR_MORE_DATA
			}
			*v = Value{winapi.REG_BINARY, uint32(copy(buf, b))}
			return nil
		},
	}
	s, err := Open(t.Context(), keys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.known.Store(&known{schema: new(winperf.Schema)})
	q, sample, ctx := newQuery(s, 0), new(winperf.Sample), t.Context()
	q.setRequest("Global", nil)
	allocs := testing.AllocsPerRun(20, func() {
		if err := q.Next(ctx, sample); err != nil || len(sample.Parts[0].Block.Bytes) != len(b) {
			t.Fatal(len(sample.Parts), err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a sample", allocs)
	}
}

// hanging is a machine whose "Global" does not return until it is let go.
func hanging() (m *machine, letGo func()) {
	m = system()
	wait := make(chan struct{})
	m.values["Global"] = []answer{{do: func(buf []byte, v *Value) error {
		<-wait
		b := block(2)
		*v = Value{winapi.REG_BINARY, uint32(copy(buf, b))}
		return nil
	}}}
	return m, func() { close(wait) }
}

// TestHang leaves a call behind, with its buffer, and asks again only when it
// has returned.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, letGo := hanging()
		s := start(t, m, Options{})
		q := compile(t, s, winperf.Selection{Global: true})
		var sample winperf.Sample
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := q.Next(ctx, &sample)
		if !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), `value "Global": no answer in time`) || len(sample.Parts) > 0 {
			t.Errorf("error %v, %d parts", err, len(sample.Parts))
		}
		if d := time.Since(begin); d != 3*time.Second {
			t.Errorf("returned after %v", d)
		}
		m.asked()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = q.Next(ctx, &sample)
		if !errors.Is(err, provider.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) ||
			m.asked() != "" || len(sample.Parts) > 0 {
			t.Errorf("error %v, %d parts", err, len(sample.Parts))
		}
		letGo()
		if err := q.Next(t.Context(), &sample); err != nil || len(sample.Parts) != 1 ||
			len(sample.Parts[0].Block.Bytes) == 0 {
			t.Errorf("parts %+v, error %v", sample.Parts, err)
		}
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, letGo := hanging()
		s := start(t, m, Options{Timeout: 5 * time.Second})
		q := compile(t, s, winperf.Selection{Global: true})
		raw := new(winperf.Raw)
		if err := perftest.Take(t.Context(), q, raw); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if err := perftest.Take(t.Context(), q, raw); !errors.Is(err, provider.ErrBusy) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if _, err := s.Schema(t.Context()); !errors.Is(err, provider.ErrBusy) {
			t.Errorf("schema: error %v", err)
		}
		letGo()
	})
}

// TestCloseHang closes the keys only when the call has returned.
func TestCloseHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, letGo := hanging()
		s, err := Open(t.Context(), m.keys(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		q := compile(t, s, winperf.Selection{Global: true})
		sampled := make(chan error)
		go func() { sampled <- perftest.Take(context.Background(), q, new(winperf.Raw)) }()
		synctest.Wait()
		if err := s.Close(); !errors.Is(err, provider.ErrBusy) || m.closed != 0 {
			t.Errorf("closed %d times, error %v", m.closed, err)
		}
		if err := <-sampled; !errors.Is(err, winperf.ErrState) {
			t.Errorf("sample: error %v", err)
		}
		letGo()
		synctest.Wait()
		if err := s.Close(); err != nil || m.closed != 1 {
			t.Errorf("closed %d times, error %v", m.closed, err)
		}
		if err := perftest.Take(t.Context(), q, new(winperf.Raw)); !errors.Is(err, winperf.ErrState) {
			t.Errorf("sample after Close: error %v", err)
		}
	})
}

func TestOpenFails(t *testing.T) {
	m := system()
	m.openErrs = []error{winapi.ERROR_BAD_NETPATH}
	if s, err := Open(t.Context(), m.keys(), Options{}); !errors.Is(err, winapi.ERROR_BAD_NETPATH) ||
		s != nil || m.closed != 1 {
		t.Errorf("source %v, error %v, closed %d times", s, err, m.closed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, m.keys(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestSampleFails keeps the buffer for the next sample.
func TestSampleFails(t *testing.T) {
	m := system()
	m.values["Global"] = answers(failing(winapi.ERROR_ACCESS_DENIED), m.values["Global"])
	s := start(t, m, Options{})
	q := compile(t, s, winperf.Selection{Global: true})
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); !errors.Is(err, winapi.ERROR_ACCESS_DENIED) ||
		len(sample.Parts) != 0 {
		t.Errorf("error %v, %d parts", err, len(sample.Parts))
	}
	var used [2]*winperf.Block
	for i := range used {
		err := q.Next(t.Context(), &sample)
		if err != nil || sample.Parts[0].Block.Format != winperf.FormatV1 ||
			len(sample.Parts[0].Block.Bytes) == 0 {
			t.Fatal(err)
		}
		used[i] = sample.Parts[0].Block
	}
	if used[0] != used[1] {
		t.Error("a block that was given back is not used again")
	}
}
