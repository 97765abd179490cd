package push

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/sink/metrics"
)

// desktop is a source of the desktop reference block with processes that come and go, at the time of the day.
type desktop struct {
	samples []perftest.Sample
	n       int
}

func (s *desktop) Compile(context.Context, winperf.Selection) (winperf.Query, error) { return s, nil }

func (s *desktop) Schema(context.Context) (*winperf.Schema, error) { return nil, nil }

func (s *desktop) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }

func (s *desktop) Close() error { return nil }

func (s *desktop) Next(_ context.Context, sample *winperf.Sample) error {
	b := s.samples[s.n%len(s.samples)].Bytes
	s.n++
	return perftest.Fill(sample, func(raw *winperf.Raw) error {
		raw.Format = winperf.FormatV1
		raw.Bytes = append(raw.Bytes[:0], b...)
		binary.LittleEndian.PutUint64(raw.Bytes[72:], uint64(winperf.ToFiletime(time.Now()))) // PerfTime100nSec
		return nil
	})
}

// tally counts what it takes, and keeps nothing.
type tally struct {
	refuses          atomic.Bool
	requests, series atomic.Int64
	bytes            atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (c *tally) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.refuses.Load() {
		return nil, errors.New("connection refused")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.bytes.Add(int64(len(body)))
	if body, err = s2.Decode(nil, body); err != nil {
		return nil, err
	}
	n := int64(0)
	if err := fields(body, func(f protobuf.Field) error { n += int64(f.Number / 5); return nil }); err != nil {
		return nil, err
	}

	c.requests.Add(1)
	c.series.Add(n)
	header := http.Header{writtenHeader: {fmt.Sprint(n)}}
	return &http.Response{StatusCode: http.StatusNoContent, Header: header, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// TestSoakOutage is TestOutageOfADay with samples of 86,000 values and all else as it is by default. It
// takes some minutes, whatever WINPERF_SOAK says.
func TestSoakOutage(t *testing.T) {
	if os.Getenv("WINPERF_SOAK") == "" {
		t.Skip("WINPERF_SOAK is not set")
	}
	now := realClock(t)
	synctest.Test(t, func(t *testing.T) { soakOutage(t, now) })
}

func soakOutage(t *testing.T, now func() time.Time) {
	t.Helper()
	target, dir := &tally{}, t.TempDir()
	src := &desktop{samples: perftest.Series(perftest.Desktop, 8, 1, 1)}
	p, err := New(Options{
		Target: Target{URL: "remote-write+http://host"}, Source: src, Dir: dir, Queue: queue.Options{Sync: 1000 * time.Hour},
		NewMapper: func() Mapper { return metrics.NewMapper(metrics.Options{}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.sender.client.http.Transport = target
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()

	time.Sleep(30 * time.Minute)
	target.refuses.Store(true)
	before, most, start := heap(), int64(0), now()
	for range 24 {
		time.Sleep(time.Hour)
		most = max(most, onDisk(t, dir))
	}
	synctest.Wait()
	during, st := heap(), p.Stats()
	t.Logf("a day: %d samples wait, %d dropped, at most %d bytes on disk; heap %d, %d more at the end; %v of real time",
		st.Queued.Items, st.Queued.Dropped, most, before, during-before, now().Sub(start))

	series, packed := target.series.Load(), target.bytes.Load()
	start = now()
	target.refuses.Store(false)
	for p.Stats().Queued.Items > 0 {
		time.Sleep(time.Second)
	}
	cancel()
	<-ended
	t.Logf("back: %d series of %d samples, %d bytes in %v of real time; heap %d", target.series.Load()-series,
		st.Queued.Items, target.bytes.Load()-packed, now().Sub(start), heap())
	if after := p.Stats(); most > 256<<20+1000 || during-before > 8<<20 || after.Lost+after.MeasureErrors+after.Refused > 0 ||
		after.Queued.Dropped != st.Queued.Dropped {
		t.Errorf("%d bytes on disk, %d more of memory, %+v", most, during-before, after)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
