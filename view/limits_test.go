package view

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
)

// shortRows returns a table of series that exist for a few samples each, as processes of builds do.
func shortRows(series int) *table {
	const length = 8
	tab := newTable(surveyLimit, true)
	for second := range series {
		var readings []winperf.Reading
		for n := max(second-length, 0); n <= second; n++ {
			s := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: fmt.Sprint(n), Counter: "Value"})
			readings = append(readings, winperf.Reading{Series: s, Value: counter.Float(float64(second * n % 7))})
		}
		tab.add(time.Unix(int64(1000+second), 0), winperf.ColumnsOf(readings))
	}
	return tab
}

// BenchmarkChangedShort has twice as many instances and samples in the second part.
func BenchmarkChangedShort(b *testing.B) {
	for _, series := range []int{2000, 4000} {
		tab := shortRows(series)
		b.Run(fmt.Sprint(series), func(b *testing.B) {
			for range b.N {
				if _, err := changedIn(b.Context(), query{begin: noBegin, end: noEnd}, tab, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestConcurrentTables: answers about several tables, in any order, do not wait for each other while the
// tables grow.
func TestConcurrentTables(t *testing.T) {
	tables := []*table{shortRows(10), shortRows(10)}
	var entries []*entry
	for i, tab := range tables {
		entries = append(entries, &entry{path: fmt.Sprint(i), table: tab})
	}
	v := &View{}
	q := &query{shown: &shown{view: v, step: time.Second}, begin: noBegin, end: noEnd}

	ctx, cancel := context.WithCancel(t.Context())
	var writers, readers sync.WaitGroup
	for _, tab := range tables {
		writers.Go(func() {
			for at := int64(2000); ctx.Err() == nil; at++ {
				tab.trim(at * 1000)
				tab.add(time.Unix(at, 0), nil)
			}
		})
	}

	for i := range 4 {
		readers.Go(func() {
			a, b := i%2, 1-i%2
			for range 2000 {
				if err := q.readTables(&Range{}, []*entry{entries[a], entries[b]}, 0, 0); err != nil {
					t.Error(err)
				}
				if _, err := v.compare(ctx, *q, tables[a], tables[b]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
	cancel()
	writers.Wait()
}

// slow is a log whose queries begin only after a signal.
type slow struct{ begin chan struct{} }

func (s slow) Describe() winperf.Description {
	d := winperf.Description{Recorded: true, Samples: 1000}
	d.Log.Begin, d.Log.End = time.Unix(0, 0), time.Unix(1000, 0)
	return d
}
func (s slow) Schema(context.Context) (*winperf.Schema, error) { return &winperf.Schema{}, nil }
func (s slow) Close() error                                    { return nil }
func (s slow) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	<-s.begin
	return noSamples{}, nil
}

type noSamples struct{}

func (noSamples) Next(ctx context.Context, _ *winperf.Sample) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return io.EOF
}
func (noSamples) Close() error { return nil }

// TestEndedJob: a request never waits for a job that ends because the client of another request left.
func TestEndedJob(t *testing.T) {
	paths := []string{`\Process(*)\Value`}
	for _, r := range []Request{{Paths: paths, Begin: time.Unix(100, 0), End: time.Unix(200, 0)}, {Paths: paths}} {
		src := slow{make(chan struct{}, 1)}
		src.begin <- struct{}{} // for New
		v, err := New(t.Context(), []Source{{Name: "log", Source: src}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := v.all()[0]
		s.first, s.step, s.expected = time.Unix(0, 0), time.Second, 1000
		q, err := v.query(r, true)
		if err != nil {
			t.Fatal(err)
		}

		left, cancel := context.WithCancel(t.Context())
		cancel()
		first := q.enqueue([]int{0})
		if ok, err := first.wait(left, -1); ok || err == nil {
			t.Errorf("the client that left: %v %v", ok, err)
		}
		second := q.enqueue([]int{0})
		if third := q.enqueue([]int{0}); second == first || third != second {
			t.Errorf("%v: the job of a client that left is used", r)
		}
		close(src.begin)
		for range 2 {
			if ok, err := second.wait(t.Context(), -1); !ok || err != nil {
				t.Errorf("the next client: %v %v", ok, err)
			}
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHistoryMemory: the memory of a history depends on its limit, not on the number of its captures, of
// which each schema of the source begins a new one.
func TestHistoryMemory(t *testing.T) {
	h := newHistory(slow{}, 1<<20, time.Hour)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for second := range 100 {
		const form = "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=%d\n" +
			"object 230\n  counter 180 PERF_COUNTER_LARGE_RAWCOUNT\n  instance \"a\" : 1\n"
		ticks := winperf.ToFiletime(time.Unix(int64(1000+second), 0))
		parsed, err := perfdata.ParseText(fmt.Appendf(nil, form, ticks, ticks))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := parsed.Encode()
		if err != nil {
			t.Fatal(err)
		}
		names := &winperf.Schema{Interface: "registry"}
		if err := h.add(winperf.Raw{Format: winperf.FormatV1, Bytes: raw, Schema: names}.Sample()); err != nil {
			t.Fatal(err)
		}
	}

	if len(h.groups) < 50 {
		t.Errorf("%d captures", len(h.groups))
	}
	if used := int64(heap() - before); used > 10<<20 {
		t.Errorf("%d captures need %d MB, limit 1 MB", len(h.groups), used>>20)
	}
	runtime.KeepAlive(h)
}
