package view_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// gate is a log whose queries for all samples of paths wait until it is open. It counts them.
type gate struct {
	winperf.Source
	open chan struct{}

	mu      sync.Mutex
	queries []winperf.Selection
	closed  int
}

func (g *gate) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := g.Source.Compile(ctx, sel)
	if sel.Every > 0 || len(sel.Paths) == 0 || err != nil {
		return q, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queries = append(g.queries, sel)
	return &gatedQuery{q, g}, nil
}

// running returns the numbers of queries that began, and of them that ended.
func (g *gate) running() (begun, ended int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queries), g.closed
}

type gatedQuery struct {
	winperf.Query
	gate *gate
}

func (q *gatedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	select {
	case <-q.gate.open:
		return q.Query.Next(ctx, s)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *gatedQuery) Close() error {
	q.gate.mu.Lock()
	defer q.gate.mu.Unlock()
	q.gate.closed++
	return q.Query.Close()
}

// long is a sample of a log of many samples: the working set of shell is the second, and it ran for a tenth
// of each second and for all of the seconds from 3000 to 3099.
func long(second int) string {
	busy := int64(second + 9*min(max(second-2999, 0), 100))
	return fmt.Sprintf(`block name="HOST" perftime=%d perffreq=10000000 time100ns=%d
object 230
  counter 180 PERF_COUNTER_LARGE_RAWCOUNT
  counter 6 PERF_100NSEC_TIMER
  instance "shell" : %d %d
`, int64(second)*10_000_000, winperf.ToFiletime(at(second)), second, busy*1_000_000)
}

const longSamples = 6000

// TestSketch: while the samples of a large log are read, a chart has some of them, and a zoom has some of
// them at once. Later requests for the same range wait for the same pass; a request for another range ends
// it.
func TestSketch(t *testing.T) {
	src, err := source.OpenLog(t.Context(), writeLog(t, t.TempDir(), 0, longSamples, long), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{Source: src, open: make(chan struct{})}
	v := newView(t, view.Options{}, view.Source{Name: "long", Source: g})
	r := view.Request{Paths: []string{`\Process(*)\Working Set`, `\Process(*)\% Processor Time`}}
	chart, err := v.Range(t.Context(), r, view.Steps{Points: 500})
	if err != nil {
		t.Fatal(err)
	}
	checkSketch(t, chart, 0, 100)

	r.Begin, r.End = at(3000), at(3999)
	for range 3 {
		if chart, err = v.Range(t.Context(), r, view.Steps{Points: 500}); err != nil {
			t.Fatal(err)
		}
		checkSketch(t, chart, 3000, 20)
	}
	wait(t, "one pass for the whole log and one for the part", func() bool { n, _ := g.running(); return n == 2 })
	r.Begin, r.End = at(1000), at(1999)
	if chart, err = v.Range(t.Context(), r, view.Steps{Points: 500}); err != nil {
		t.Fatal(err)
	}
	checkSketch(t, chart, 1000, 20)
	wait(t, "the pass of the first part ends", func() bool { n, ended := g.running(); return n == 3 && ended == 1 })

	close(g.open)
	wait(t, "a complete chart", func() bool {
		chart, err = v.Range(t.Context(), r, view.Steps{})
		return err != nil || chart.Complete
	})
	if err != nil || len(chart.Times) != 1000 || chart.Series[0].Average[999] != 1999 {
		t.Errorf("%v, %v", chart, err)
	}
}

// checkSketch checks an incomplete chart of all samples from a second on.
func checkSketch(t *testing.T, chart *view.Range, from, least int) {
	t.Helper()
	if chart.Complete || len(chart.Times) < least || len(chart.Series) != 2 || chart.Times[0] < at(from).UnixMilli() {
		t.Fatalf("%v, %d times from %v, %d series", chart.Complete, len(chart.Times), chart.Begin, len(chart.Series))
	}
	busy := 0.0
	for i := range chart.Times {
		if set := chart.Series[0].Maximum; set != nil {
			t.Fatalf("steps of %v s", chart.Step)
		}
		second := float64(chart.Times[i]-at(0).UnixMilli()) / 1000
		if set := chart.Series[0].Average[i]; set != second {
			t.Errorf("working set %v at %v", set, second)
		}
		if used := chart.Series[1].Average[i]; !math.IsNaN(used) {
			busy = max(busy, used)
		}
	}
	if high := busy > 50; high != (from == 0 || from == 3000) {
		t.Errorf("at most %v %% from %d on", busy, from)
	}
}

func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("expected: %s", what)
		}
	}
}

// TestJoinedEvery: the time between two samples also applies across the parts of a log.
func TestJoinedEvery(t *testing.T) {
	dir := t.TempDir()
	for from := 0; from < 100; from += 10 {
		writeLog(t, dir, from, from+10, block)
	}
	q, err := join(t, files(dir)).Compile(t.Context(), winperf.Selection{Global: true, Every: 25 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var got []time.Time
	var s winperf.Sample
	for q.Next(t.Context(), &s) == nil {
		got = append(got, capture.Time(&s))
	}
	if len(got) != 4 || !got[0].Equal(at(0)) || !got[1].Equal(at(25)) || !got[2].Equal(at(50)) || !got[3].Equal(at(75)) {
		t.Errorf("%v", got)
	}
}

// TestLargeGrows: the survey of a directory with many samples and counters follows the directory.
func TestLargeGrows(t *testing.T) {
	view.SetWholeLimit(t, 10)
	dir := t.TempDir()
	writeLog(t, dir, 0, 300, block)
	v := newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	if _, err := v.Objects(t.Context(), view.Request{}); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, 300, 400, func(second int) string { return block(second) + "  instance \"late\" : 300 1 2\n" })
	wait(t, "the new instance", func() bool {
		all, err := v.Instances(t.Context(), view.Request{}, "Process")
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range all.Instances {
			if in.Name == "late" {
				return !in.First.Before(at(300)) && in.Last.After(at(380))
			}
		}
		return false
	})
}

// vanishing is a log that is removed after it was opened.
type vanishing struct{ winperf.Source }

func (v vanishing) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := v.Source.Compile(ctx, sel)
	return vanishingQuery{q}, err
}

type vanishingQuery struct{ winperf.Query }

func (vanishingQuery) Next(context.Context, *winperf.Sample) error {
	return fmt.Errorf("log: %w", fs.ErrNotExist)
}

// TestVanishing: a part that is removed while a request reads it is a gap without damage.
func TestVanishing(t *testing.T) {
	dir := t.TempDir()
	for from := 0; from < 30; from += 10 {
		writeLog(t, dir, from, from+10, block)
	}
	list := func() ([]view.Part, error) {
		parts, err := files(dir)()
		of := parts[1].Open
		parts[1].Open = func(ctx context.Context) (winperf.Source, error) {
			src, err := of(ctx)
			return vanishing{src}, err
		}
		return parts, err
	}

	v := newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, list), Grows: true})
	chart, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`}}, view.Steps{})
	if err != nil || len(chart.Times) != 20 || chart.Times[10] != at(20).UnixMilli() || chart.Series[0].Average[10] != 1020 {
		t.Errorf("%+v, %v", chart, err)
	}
	sources, err := v.Sources(t.Context())
	if err != nil || len(sources.Sources[0].Damage) != 0 {
		t.Errorf("%+v, %v", sources, err)
	}
}
