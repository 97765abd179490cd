package serve

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// blocks is a source whose samples are those of a series, again and again.
type blocks struct {
	samples []perftest.Sample
	next    int
}

func newBlocks(size perftest.Size) *blocks {
	return &blocks{samples: perftest.Series(size, 2, 0, 1)}
}

func (b *blocks) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (b *blocks) Schema(context.Context) (*winperf.Schema, error) { return nil, nil }

func (b *blocks) Close() error { return nil }

func (b *blocks) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return b, nil }

func (b *blocks) Next(_ context.Context, s *winperf.Sample) error {
	sample := b.samples[b.next%len(b.samples)]
	b.next++
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		raw.Format = winperf.FormatV1
		raw.Bytes = append(raw.Bytes[:0], sample.Bytes...)
		return nil
	})
}

// discard is a client that reads everything and keeps nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkScrape is a whole scrape of a desktop's block: sampling, decoding, mapping, writing. It also
// reports the share of mapping and writing.
func BenchmarkScrape(b *testing.B) {
	src := newBlocks(perftest.Desktop)
	e, err := New(b.Context(), src, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	e.main.(*sampler).fresh = 0
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)

	b.Run("scrape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e.ServeHTTP(discard{http.Header{}}, r)
		}
		b.ReportMetric(float64(e.all.counts.written), "series")
	})
	b.Run("map and write", func(b *testing.B) {
		s, err := e.main.get(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		mapper, encoder := metrics.NewMapper(e.mapping), prometheus.NewEncoder(prometheus.Options{})
		b.ReportAllocs()
		for b.Loop() {
			set, err := mapper.Map(s.frame, s.names)
			if err == nil {
				err = encoder.Encode(io.Discard, set)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
