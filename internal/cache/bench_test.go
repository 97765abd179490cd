package cache

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// ring serves the reference block of this second, in turn. Between the last and
// the first time goes back, which gives statuses instead of some values.
type ring struct {
	blocks  []perftest.Sample
	schema  winperf.Schema
	second  int
	queries int
}

func newRing(size perftest.Size) *ring { return &ring{blocks: perftest.Series(size, 4, 1, 1)} }

func (r *ring) Describe() winperf.Description                   { return winperf.Description{Machine: "REFERENCE"} }
func (r *ring) Schema(context.Context) (*winperf.Schema, error) { return &r.schema, nil }
func (r *ring) Close() error                                    { return nil }

func (r *ring) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return ringQuery{r}, nil
}

type ringQuery struct{ *ring }

func (q ringQuery) Close() error { return nil }

func (q ringQuery) Next(_ context.Context, s *winperf.Sample) error {
	q.queries++
	b := s.Begin()
	s.Schema = &q.schema
	b.Format, b.Schema = winperf.FormatV1, s.Schema
	b.Bytes = append(b.Bytes, q.blocks[q.second%len(q.blocks)].Bytes...)
	return nil
}

// A sample of the source takes one block, its bytes, and the list of its parts, however many
// queries are given it.
func TestAllocatesOneBlock(t *testing.T) {
	c := newClock()
	r := newRing(perftest.Small)
	s := New(r, Options{Clock: c})
	users, pools, prev := make([]*query, 3), make([]frame.Pool, 3), make([]frame.Frame, 3)
	samples := make([]winperf.Sample, 3)
	for i := range users {
		q, err := s.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		users[i] = q.(*query)
	}
	take := func() {
		r.second++
		c.advance(time.Second)
		for i, q := range users {
			if err := q.Next(t.Context(), &samples[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode := func() {
		for i := range users {
			f, err := pools[i].Decode(&samples[i], prev[i])
			if err != nil {
				t.Fatal(err)
			}
			prev[i] = f
		}
	}
	// Decoding allocates for instances that came, so only samples are counted.
	for n := range 16 {
		got := testing.AllocsPerRun(1, take)
		if n >= 8 && got > 4 { // before that, what is reused grows
			t.Errorf("%v allocations in the sample stage", got)
		}
		decode()
	}
}

// BenchmarkCache measures the desktop block with 1, 10 and 100 contexts, one
// after the other once a second, with and without a cache. An operation is one
// round of all contexts; its queries reach the source, which does nothing but
// copy the block. Each context reads the processor time of all processes.
func BenchmarkCache(b *testing.B) {
	for _, contexts := range []int{1, 10, 100} {
		for _, on := range []bool{true, false} {
			b.Run(fmt.Sprintf("%d/%s", contexts, map[bool]string{true: "on", false: "off"}[on]), func(b *testing.B) {
				benchmarkCache(b, contexts, on, newRing(perftest.Desktop), winperf.Selection{
					Paths: []winperf.Path{{Object: "#230", Instance: "*", HasInstance: true, Counter: "#6"}},
				})
			})
		}
	}
}

// BenchmarkCacheWhole is the same with contexts that read every counter.
func BenchmarkCacheWhole(b *testing.B) {
	for _, on := range []bool{true, false} {
		b.Run(fmt.Sprintf("10/%s", map[bool]string{true: "on", false: "off"}[on]), func(b *testing.B) {
			benchmarkCache(b, 10, on, newRing(perftest.Desktop), winperf.Selection{Global: true})
		})
	}
}

func benchmarkCache(b *testing.B, contexts int, on bool, r *ring, sel winperf.Selection) {
	c := newClock()
	var src winperf.Source = r
	if on {
		src = New(r, Options{Clock: c})
	}
	all := make([]*measure.Measurement, contexts)
	for i := range all {
		all[i] = measure.New(src, sel, measure.Options{})
	}
	var sampling time.Duration
	readings := 0
	round := func() {
		r.second++
		c.advance(time.Second)
		for _, m := range all {
			if err := m.Prepare(b.Context()); err != nil {
				b.Fatal(err)
			}
			begin := time.Now()
			if err := m.Sample(b.Context()); err != nil {
				b.Fatal(err)
			}
			sampling += time.Since(begin)
			cycle, err := m.Decode()
			if err != nil {
				b.Fatal(err)
			}
			readings = len(cycle.Readings())
		}
	}
	for range 5 {
		round()
	}
	r.queries, sampling = 0, 0
	b.ReportAllocs()
	for b.Loop() {
		round()
	}
	n := float64(b.N)
	b.ReportMetric(float64(r.queries)/n, "queries/op")
	b.ReportMetric(float64(sampling.Nanoseconds())/n/float64(contexts), "ns/sample")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n/float64(contexts), "ns/cycle")
	b.ReportMetric(float64(readings), "readings")
}
