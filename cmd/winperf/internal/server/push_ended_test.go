package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/protobuf"
)

// ending is a receiver of remote write 1.0 that keeps the names of series that were marked as ended.
type ending struct {
	t      *testing.T
	mu     sync.Mutex
	values int
	ended  map[string]bool
}

func (e *ending) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	packed, err := io.ReadAll(r.Body)
	if strings.Contains(r.Header.Get("Content-Type"), "v2") {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	body, unpacked := s2.Decode(nil, packed)
	if err != nil || unpacked != nil {
		e.t.Error(err, unpacked)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.each(body, func(series protobuf.Field) {
		if series.Number == 1 {
			e.series(series.Bytes)
		}
	})
}

func (e *ending) series(b []byte) {
	var name string
	e.each(b, func(f protobuf.Field) {
		var label []string
		e.each(f.Bytes, func(part protobuf.Field) {
			switch {
			case f.Number == 1:
				label = append(label, string(part.Bytes))
			case f.Number == 2 && part.Number == 1 && part.Uint == 0x7ff0000000000002:
				e.ended[name] = true
			case f.Number == 2 && part.Number == 1:
				e.values++
			}
		})
		if len(label) == 2 && label[0] == "__name__" {
			name = label[1]
		}
	})
}

func (e *ending) each(b []byte, use func(protobuf.Field)) {
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			e.t.Error(err)
			return
		}
		use(f)
		b = rest
	}
}

func (e *ending) has(count func(values int, ended map[string]bool) bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return count(e.values, e.ended)
}

// TestPushMarksEnded checks that a reload marks the series that it removes, also of a receiver with other
// labels, and that the end of the server marks all.
func TestPushMarksEnded(t *testing.T) {
	e := &ending{t: t, ended: map[string]bool{}}
	receiver := httptest.NewServer(e)
	t.Cleanup(receiver.Close)
	target := Target{
		URL: "remote-write+" + receiver.URL, Interval: 200 * time.Millisecond, Queue: Queue{Dir: t.TempDir()},
	}
	s := startWith(t, Config{Push: []Target{target}}, func(opt *Options) {
		opt.Open = func(context.Context, string) (winperf.Source, error) {
			return &fake{t: t, text: func() string { // of now, also after a reload
				const objects = " perffreq=10000000\nobject 238\n counter 148 PERF_COUNTER_COUNTER\n instance \"0\" : 7\n" +
					"object 4 form=single\n counter 24 PERF_COUNTER_LARGE_RAWCOUNT\n values : 4096\n"
				now := winperf.ToFiletime(time.Now())
				return fmt.Sprintf("block name=\"HOST\" perftime=%d time100ns=%[1]d", now) + objects
			}}, nil
		}
	})
	const memory, interrupts = "winperf_memory_available_bytes", "winperf_processor_interrupts_total"
	const heartbeat = "winperf_sample_timestamp_seconds"
	s.until(func(string) bool { return e.has(func(values int, _ map[string]bool) bool { return values > 20 }) })
	// Metrics about the server may end before: on a busy machine a sample waits in the queue, and has none.
	if e.has(func(_ int, ended map[string]bool) bool { return ended[memory] || ended[interrupts] }) {
		t.Errorf("ended before the reload: %v", e.ended)
	}

	s.set(func() { s.config.Exclude = paths(t, `\Processor(*)\*`) })
	s.reload <- struct{}{}
	s.until(func(string) bool { return e.has(func(_ int, ended map[string]bool) bool { return ended[interrupts] }) })
	if e.has(func(_ int, ended map[string]bool) bool { return ended[memory] }) {
		t.Errorf("ended by the reload: %v", e.ended)
	}

	target.Labels = map[string]string{"site": "north"}
	s.set(func() { s.config.Push = []Target{target} })
	s.reload <- struct{}{}
	s.until(func(string) bool { return e.has(func(_ int, ended map[string]bool) bool { return ended[memory] }) })
	if e.has(func(_ int, ended map[string]bool) bool { return !ended[heartbeat] }) {
		t.Errorf("ended with the labels: %v", e.ended)
	}

	e.mu.Lock()
	clear(e.ended)
	e.values = 0
	e.mu.Unlock()
	s.until(func(string) bool { return e.has(func(values int, _ map[string]bool) bool { return values > 20 }) })
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if !e.has(func(_ int, ended map[string]bool) bool {
		return ended[memory] && ended[heartbeat] && !ended[interrupts]
	}) {
		t.Errorf("ended with the server: %v", e.ended)
	}
}
