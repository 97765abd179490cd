package serve

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// watched is a source that records the objects in its samples.
type watched struct {
	winperf.Source
	mu   sync.Mutex
	read map[uint32]bool
}

type watchedQuery struct {
	winperf.Query
	source *watched
}

func (w *watched) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := w.Source.Compile(ctx, sel)
	return &watchedQuery{q, w}, err
}

func (q *watchedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if err := q.Query.Next(ctx, s); err != nil {
		return err
	}
	var pool frame.Pool
	f, err := pool.Decode(s, frame.Frame{})
	if err != nil {
		return err
	}
	q.source.mu.Lock()
	defer q.source.mu.Unlock()
	for o := range f.Objects() {
		q.source.read[o.ID().Index] = true
	}
	return nil
}

// TestReadsOnlyServed: scrapes read only the objects that they serve, and processes only for groups of them or
// for the collector process.
func TestReadsOnlyServed(t *testing.T) {
	const process, thread, memory, controlGroup = 230, 232, 4, 100456
	windows := []metrics.Scheme{metrics.WindowsExporter}
	for _, tt := range []struct {
		name   string
		config Config
		query  string
		want   map[uint32]bool
		text   string // in the answer
	}{
		{"default", Config{}, "", map[uint32]bool{memory: true, process: true}, "winperf_process_group_processes{"},
		{"filter", Config{}, "?object=Memory", map[uint32]bool{memory: true, process: true}, "winperf_memory_"},
		{
			"no groups", Config{Groups: &metrics.Grouping{}}, "", map[uint32]bool{memory: true}, "winperf_memory_",
		},
		{"windows_exporter", Config{Names: windows}, "", map[uint32]bool{memory: true}, "windows_memory_"},
		{
			"collector process", Config{Names: windows, Collectors: []string{"process", "memory"}}, "?collect[]=process",
			map[uint32]bool{memory: true, process: true}, "windows_process_",
		},
		{ // Process is the parent of Thread
			"threads by name", Config{Objects: []string{"Thread"}}, "", map[uint32]bool{thread: true, process: true},
			"winperf_thread_",
		},
	} {
		inner, err := source.Open(t.Context(), "local:")
		if err != nil {
			t.Fatal(err)
		}
		shared, _, err := source.Share(inner, 0)
		if err != nil {
			t.Fatal(err)
		}
		src := &watched{Source: shared, read: map[uint32]bool{}}
		e, err := New(t.Context(), src, Options{Config: tt.config})
		if err != nil {
			t.Fatal(err)
		}

		_, text := scrape(e, "/metrics"+tt.query)
		if !strings.Contains(text, "\n"+tt.text) {
			t.Errorf("%s: the answer has no %s", tt.name, tt.text)
		}
		if tt.query != "" && strings.Contains(text, "winperf_process_group_") {
			t.Errorf("%s: a filtered answer has groups of processes", tt.name)
		}
		for _, title := range []uint32{process, thread, memory, controlGroup} {
			if src.read[title] != tt.want[title] {
				t.Errorf("%s: object %d is read: %v, want %v", tt.name, title, src.read[title], tt.want[title])
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
