package view_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// machine is a live source of the blocks of a function. It counts its open queries and its samples.
type machine struct {
	of      func(second int) string
	schema  *winperf.Schema
	open    atomic.Int64
	samples atomic.Int64
}

func (m *machine) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }
func (m *machine) Close() error                  { return nil }

func (m *machine) Schema(context.Context) (*winperf.Schema, error) { return m.schema, nil }

func (m *machine) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	m.open.Add(1)
	return &machineQuery{m}, nil
}

type machineQuery struct{ m *machine }

func (q *machineQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	block, err := perfdata.ParseText([]byte(q.m.of(int(q.m.samples.Add(1)) - 1)))
	if err != nil {
		return err
	}
	bytes, err := block.Encode()
	if err != nil {
		return err
	}
	b := s.Begin()
	b.Raw = winperf.Raw{Format: winperf.FormatV1, Bytes: append(b.Bytes[:0], bytes...), Schema: q.m.schema}
	s.Schema = q.m.schema
	return nil
}

func (q *machineQuery) Close() error { q.m.open.Add(-1); return nil }

// TestLive: the values of a live source are the ones of its samples, and nobody measures before the first
// request and a while after the last one.
func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		v := newView(t, view.Options{}, view.Source{Name: "live", Source: m})
		time.Sleep(time.Hour)
		if n := m.samples.Load(); n != 0 {
			t.Fatalf("%d samples without a request", n)
		}

		r := view.Request{Paths: []string{`\Processor(*)\% Processor Time`}}
		ctx, cancel := context.WithCancel(t.Context())
		var texts []string
		err := v.Follow(ctx, r, func(values *view.Values) error {
			texts = append(texts, string(values.Readings))
			if len(texts) == 15 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || len(texts) != 15 {
			t.Fatalf("%d events, %v", len(texts), err)
		}
		for second, text := range texts {
			// The first sample has no rates, so that the events begin with the second one.
			want := `"value":0,`
			if second+1 > 10 && second+1 <= 13 {
				want = `"value":100,`
			}
			if _, one, _ := strings.Cut(text, `Processor(1)`); !strings.Contains(one, want) {
				t.Errorf("second %d: %s, want %s", second+1, text, want)
			}
		}

		chart, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(editor)\Working Set`}}, view.Steps{})
		if err != nil || len(chart.Series) != 1 || chart.Series[0].Average[7] != 2070 {
			t.Errorf("%+v, %v", chart, err)
		}
		time.Sleep(10 * time.Second)
		again, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`, `\Process(editor)\Working Set`}}, view.Steps{})
		if err != nil || len(again.Times) < len(chart.Times)+9 || len(again.Series) != 2 {
			t.Fatalf("%d times after %d, %v", len(again.Times), len(chart.Times), err)
		}
		if shell := again.Series[0].Average; shell[len(shell)-1] != float64(1000+len(shell)-1) {
			t.Errorf("%v", shell)
		}

		time.Sleep(5 * time.Minute)
		n := m.samples.Load()
		time.Sleep(time.Hour)
		if m.samples.Load() != n || m.open.Load() != 0 {
			t.Errorf("%d samples and %d queries without a client", m.samples.Load()-n, m.open.Load())
		}
	})
}

// TestHistoryLimit: at the memory limit the oldest samples are dropped, and the source says since when it has
// data.
func TestHistoryLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		v := newView(t, view.Options{Memory: 64 << 10, Keep: 24 * time.Hour, KeepAlways: true}, view.Source{Name: "live", Source: m})
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := m.samples.Load(); n < 3600 {
			t.Errorf("%d samples in an hour", n)
		}
		sources, err := v.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := sources.Sources[0]
		if s.Since == nil || s.Begin == nil || s.Samples < 10 || s.Samples > 3500 || s.End == nil ||
			s.End.Before(at(3595)) || !s.Since.After(at(100)) {
			t.Errorf("%+v", s)
		}

		chart, err := v.Range(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`}}, view.Steps{})
		if err != nil || len(chart.Series) != 1 || chart.Begin.Before(*s.Since) || len(chart.Times) < 10 {
			t.Fatalf("%+v, %v", chart, err)
		}
		for i, value := range chart.Series[0].Average {
			if second := float64(chart.Times[i]-start.UnixMilli()) / 1000; value != 1000+second {
				t.Fatalf("%v at second %v", value, second)
			}
		}
	})
}

// TestKeep: samples older than Keep are dropped.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		v := newView(t, view.Options{Keep: 5 * time.Minute, KeepAlways: true}, view.Source{Name: "live", Source: m})
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		sources, err := v.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// 60 samples are dropped together.
		if s := sources.Sources[0]; s.Since != nil || s.Samples < 300 || s.Samples > 440 {
			t.Errorf("%+v", s)
		}
	})
}

// TestFailingSource: the error of a live source is the answer.
func TestFailingSource(t *testing.T) {
	m := &machine{of: func(int) string { return "nonsense" }, schema: schema()}
	v := newView(t, view.Options{}, view.Source{Name: "live", Source: m})
	_, err := v.Values(t.Context(), view.Request{Paths: []string{`\Memory\*`}})
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
}

// TestRecovered: a live source that failed at first is shown once it has samples.
func TestRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(second int) string {
			if second < 3 {
				return "nonsense"
			}
			return block(second)
		}
		v := newView(t, view.Options{}, view.Source{Name: "live", Source: &machine{of: fails, schema: schema()}})
		for range 10 {
			if _, err := v.Sources(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		objects, err := v.Objects(ctx, view.Request{})
		if err != nil || len(objects.Objects) != 3 || objects.Objects[0].Name != "Process" {
			t.Errorf("%+v, %v", objects, err)
		}
	})
}

// TestLiveValuesBefore: the values of a live source at an earlier time are the ones of the sample at that time.
func TestLiveValuesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		v := newView(t, view.Options{KeepAlways: true}, view.Source{Name: "live", Source: m})
		time.Sleep(20 * time.Second)
		r := view.Request{Paths: []string{`\Process(shell)\Working Set`}, End: at(12)}
		values, err := v.Values(t.Context(), r)
		if err != nil || !values.Time.Equal(at(12)) || !strings.Contains(string(values.Readings), `"value":1012,`) {
			t.Errorf("%+v, %v", values, err)
		}
	})
}

// TestJoined: the files of a directory are one log. A file that is removed is a gap, a file that is damaged is
// reported, and new samples appear.
func TestJoined(t *testing.T) {
	dir := t.TempDir()
	for from := range 4 {
		writeLog(t, dir, 10*from, 10*from+10, block)
	}
	v := newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	r := view.Request{Paths: []string{`\Process(shell)\Working Set`}}
	check := func(seconds ...int) {
		t.Helper()
		chart, err := v.Range(t.Context(), r, view.Steps{})
		if err != nil || len(chart.Series) != 1 || len(chart.Times) != len(seconds) {
			t.Fatalf("%+v, %v, want %d samples", chart, err, len(seconds))
		}
		for i, second := range seconds {
			if chart.Times[i] != at(second).UnixMilli() || chart.Series[0].Average[i] != float64(1000+second) {
				t.Fatalf("sample %d is %v at %d, want second %d", i, chart.Series[0].Average[i], chart.Times[i], second)
			}
		}
	}
	var all []int
	for second := range 40 {
		all = append(all, second)
	}
	check(all...)

	writeLog(t, dir, 40, 45, block)
	check(append(all, 40, 41, 42, 43, 44)...)

	if err := os.Remove(filepath.Join(dir, "log_000010.capture")); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Repeat([]byte("damaged"), 10_000)
	if err := os.WriteFile(filepath.Join(dir, "log_000020.capture"), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	v = newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	check(append(append(all[:10:10], all[30:]...), 40, 41, 42, 43, 44)...)
	sources, err := v.Sources(t.Context())
	if err != nil || len(sources.Sources[0].Damage) != 1 || !strings.Contains(sources.Sources[0].Damage[0], "log_000020") {
		t.Errorf("%+v, %v", sources, err)
	}

	// The damaged file has no time, so that it is not the first one of the log.
	src := join(t, files(dir))
	q, err := src.Compile(t.Context(), winperf.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if is := src.Describe().Log; !is.Begin.Equal(at(0)) || !is.End.Equal(at(44)) {
		t.Errorf("from %v to %v", is.Begin, is.End)
	}
	read := int64(0)
	for s := (winperf.Sample{}); q.Next(t.Context(), &s) == nil; {
		read = s.At
	}
	last, err := os.Stat(filepath.Join(dir, "log_000040.capture"))
	if total := size(t, dir); err != nil || read <= total-last.Size() || read > total {
		t.Errorf("%d of %d bytes, %v", read, total, err)
	}
}

// size returns the size of the logs of a directory.
func size(t *testing.T, dir string) (total int64) {
	t.Helper()
	parts, err := files(dir)()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		total += part.Size
	}
	return total
}

// join returns the log of parts of one machine.
func join(t testing.TB, list func() ([]view.Part, error)) winperf.Source {
	t.Helper()
	logs, err := view.Join(t.Context(), list)
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	return logs[0]
}

// files lists the logs of a directory.
func files(dir string) func() ([]view.Part, error) {
	return func() (parts []view.Part, err error) {
		names, err := filepath.Glob(filepath.Join(dir, "*.capture"))
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				return nil, err
			}
			parts = append(parts, view.Part{
				Name: filepath.Base(name), Version: fmt.Sprint(info.Size()), Size: info.Size(),
				Open: func(ctx context.Context) (winperf.Source, error) {
					return source.OpenLog(ctx, name, source.Options{})
				},
			})
		}
		return parts, err
	}
}

// blocking is a log whose samples never arrive.
type blocking struct{ machine }

func (b *blocking) Describe() winperf.Description {
	return winperf.Description{Machine: "HOST", Recorded: true, Samples: 10}
}

func (b *blocking) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &blockingQuery{b: b}, nil
}

type blockingQuery struct{ b *blocking }

func (q *blockingQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if n := q.b.samples.Add(1); n == 1 {
		return io.EOF // of the probe
	}
	q.b.open.Add(1)
	defer q.b.open.Add(-1)
	<-ctx.Done()
	return ctx.Err()
}

func (q *blockingQuery) Close() error { return nil }

// TestLeave: the work for a request ends when its client leaves.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &blocking{}
		v := newView(t, view.Options{}, view.Source{Name: "log", Source: b})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := v.Statistics(ctx, view.Request{Paths: []string{`\Memory\*`}})
			ended <- err
		}()
		synctest.Wait()
		time.Sleep(time.Second)
		if n := b.open.Load(); n != 1 {
			t.Errorf("%d reads, want 1", n)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if n := b.open.Load(); n != 0 {
			t.Errorf("%d reads after the client left", n)
		}
	})
}

// TestRemoved: a log that was removed is a different error than a wrong request.
func TestRemoved(t *testing.T) {
	text, err := os.ReadFile(perftest.Data(t, "blg", "PAL_SampleLog.blg"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "removed.blg")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}

	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := newView(t, view.Options{}, view.Source{Name: name, Source: src}) // not read yet
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	r := view.Request{Paths: []string{`\Memory\*`}}
	for what, ask := range map[string]func() error{
		"range":  func() error { _, err := v.Range(t.Context(), r, view.Steps{}); return err },
		"values": func() error { _, err := v.Values(t.Context(), r); return err },
		"events": func() error { _, err := v.Events(t.Context(), r); return err },
	} {
		if err := ask(); !errors.Is(err, view.ErrRemoved) {
			t.Errorf("%s: %v", what, err)
		}
	}
	sources, err := v.Sources(t.Context())
	if err != nil || len(sources.Sources[0].Damage) != 1 {
		t.Errorf("%+v, %v", sources, err)
	}
}

// TestLimits: requests that exceed a limit are refused with the limit.
func TestLimits(t *testing.T) {
	many := func(second int) string {
		text := "object 230 time=0 freq=0\n  counter 180 PERF_COUNTER_LARGE_RAWCOUNT\n"
		for i := range 2100 {
			text += fmt.Sprintf("  instance \"p%d\" : %d\n", i, i)
		}
		head, _, _ := strings.Cut(block(second), "object")
		return head + text
	}
	v := open(t, writeLog(t, t.TempDir(), 0, 3, many))
	r := view.Request{Paths: []string{`\Process(*)\Working Set`}}
	for what, ask := range map[string]func() error{
		"2100 series, expected at most 2000": func() error { _, err := v.Range(t.Context(), r, view.Steps{}); return err },
		"series, expected at most 2000":      func() error { _, err := v.Statistics(t.Context(), r); return err },
	} {
		if err := ask(); !errors.Is(err, view.ErrRequest) || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
	chart, err := v.Range(t.Context(), r, view.Steps{Top: 2})
	if err != nil || len(chart.Series) != 2 || *chart.Series[0].Instance != "p2099" || chart.Series[0].Average[2] != 2099 {
		t.Errorf("%+v, %v", chart, err)
	}
}

// TestJoinedDropped: samples that a recorder removed at the beginning are forgotten.
func TestJoinedDropped(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 0, 100, block)
	writeLog(t, dir, 100, 200, block)
	v := newView(t, view.Options{}, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	r := view.Request{Paths: []string{`\Process(shell)\Working Set`}}
	if chart, err := v.Range(t.Context(), r, view.Steps{}); err != nil || len(chart.Times) != 200 {
		t.Fatalf("%+v, %v", chart, err)
	}

	if err := os.Remove(filepath.Join(dir, "log_000000.capture")); err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, 200, 210, block)

	for want := 110; ; {
		chart, err := v.Range(t.Context(), r, view.Steps{})
		if err != nil {
			t.Fatal(err)
		}
		if len(chart.Times) == want && chart.Times[0] == at(100).UnixMilli() && chart.Series[0].Average[want-1] == 1209 {
			break
		}
		if len(chart.Times) < want {
			t.Fatalf("%d samples from %v to %v", len(chart.Times), chart.Begin, chart.End)
		}
		time.Sleep(time.Millisecond) // until the directory is listed again
	}
	sources, err := v.Sources(t.Context())
	if s := sources.Sources[0]; err != nil || !s.Begin.Equal(at(100)) || !s.End.Equal(at(209)) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestLiveWithin: the limits of logs do not apply to a live source.
func TestLiveWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{of: block, schema: schema()}
		opt := view.Options{Begin: at(-100), End: at(-10), KeepAlways: true}
		v := newView(t, opt, view.Source{Name: "live", Source: m})
		time.Sleep(20 * time.Second)

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r := view.Request{Paths: []string{`\Process(shell)\Working Set`}}
		if objects, err := v.Objects(ctx, r); err != nil || len(objects.Objects) != 3 {
			t.Errorf("%+v, %v", objects, err)
		}
		if values, err := v.Values(ctx, r); err != nil || !values.Time.After(at(10)) {
			t.Errorf("%+v, %v", values, err)
		}
		if chart, err := v.Range(ctx, r, view.Steps{}); err != nil || len(chart.Times) < 10 {
			t.Errorf("%+v, %v", chart, err)
		}
		sources, err := v.Sources(ctx)
		if s := sources.Sources[0]; err != nil || !s.Begin.Equal(at(0)) || !s.End.After(at(10)) {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// TestJoinedWithin: the log of a directory begins and ends within the limits of the view.
func TestJoinedWithin(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, 0, 100, block)
	opt := view.Options{Begin: at(10), End: at(20)}
	v := newView(t, opt, view.Source{Name: dir, Source: join(t, files(dir)), Grows: true})
	sources, err := v.Sources(t.Context())
	if s := sources.Sources[0]; err != nil || !s.Begin.Equal(at(10)) || !s.End.Equal(at(20)) {
		t.Errorf("%+v, %v", s, err)
	}
}

// costlyMachine is a machine whose object Process is costly.
type costlyMachine struct {
	*machine
	mu  sync.Mutex
	sel winperf.Selection // of the latest query
}

func (m *costlyMachine) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	m.mu.Lock()
	m.sel = sel
	m.mu.Unlock()
	return m.machine.Compile(ctx, sel)
}

func (m *costlyMachine) block(second int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := block(second)
	if !m.sel.Costly && len(m.sel.Paths) == 0 {
		text, _, _ = strings.Cut(text, "object 230")
	}
	return text
}

// TestLiveCostly: a costly object is measured once, so that clients know its counters, and with each sample
// while a client asks for it.
func TestLiveCostly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &costlyMachine{machine: &machine{schema: schema()}}
		m.of, m.schema.Costly = m.block, []uint32{230}
		v := newView(t, view.Options{KeepAlways: true}, view.Source{Name: "live", Source: m})
		time.Sleep(10*time.Second + time.Millisecond)
		objects, err := v.Objects(t.Context(), view.Request{})
		if err != nil {
			t.Fatal(err)
		}
		costly := ""
		for _, o := range objects.Objects {
			if o.Costly {
				costly += fmt.Sprint(o.Name, len(o.Counters))
			}
		}
		if costly != "Process3" {
			t.Errorf("costly objects: %s", costly)
		}

		// values returns the working set of the process in each sample.
		values := func() string {
			t.Helper()
			r := view.Request{Paths: []string{`\process(shell)\Working Set`}}
			chart, err := v.Range(t.Context(), r, view.Steps{})
			if err != nil || len(chart.Series) != 1 {
				t.Fatalf("%+v, %v", chart, err)
			}
			return fmt.Sprint(chart.Series[0].Average)
		}
		if got, want := values(), "[NaN 1001 NaN NaN NaN NaN NaN NaN NaN NaN NaN]"; got != want {
			t.Errorf("not requested: %s, want %s", got, want)
		}
		time.Sleep(5 * time.Second)
		if got, want := values(), "[NaN 1001 NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN 1012 1013 1014 1015]"; got != want {
			t.Errorf("requested: %s, want %s", got, want)
		}
		events, err := v.Events(t.Context(), view.Request{})
		if err != nil || strings.Contains(fmt.Sprint(events), "schema_changed") {
			t.Errorf("%+v, %v", events, err)
		}
		time.Sleep(3 * time.Minute)
		if got := values(); !strings.HasSuffix(got, "NaN]") || strings.Count(got, "NaN") < 100 {
			t.Errorf("a while after the request: %s", got)
		}
	})
}

// TestJoin: each machine has a log of its files only. A file of another machine that appears later is
// reported.
func TestJoin(t *testing.T) {
	dir := t.TempDir()
	write := func(machine string, from, to int) {
		t.Helper()
		of := func(second int) string {
			return strings.Replace(block(second), "HOST", machine, 1)
		}
		name := writeLog(t, t.TempDir(), from, to, of)
		if err := os.Rename(name, filepath.Join(dir, fmt.Sprintf("%s_%06d.capture", machine, from))); err != nil {
			t.Fatal(err)
		}
	}
	write("WEB2", 5, 8)
	write("WEB1", 0, 10)
	write("WEB2", 20, 22)

	logs, err := view.Join(t.Context(), files(dir))
	if err != nil || len(logs) != 2 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	var sources []view.Source
	for _, log := range logs {
		sources = append(sources, view.Source{Name: log.Describe().Machine, Source: log, Grows: true})
	}
	v := newView(t, view.Options{}, sources...)
	read(t, v)
	check := func(id, machine string, seconds ...int) {
		t.Helper()
		r := view.Request{Source: id, Paths: []string{`\Process(shell)\Working Set`}}
		chart, err := v.Range(t.Context(), r, view.Steps{})
		path := `\\` + machine + `\Process(shell)\Working Set`
		if err != nil || len(chart.Series) != 1 || chart.Series[0].Path != path {
			t.Fatalf("%s: %+v, %v", machine, chart, err)
		}
		var got []int
		for i, value := range chart.Series[0].Average {
			second := int(value) - 1000
			if got = append(got, second); chart.Times[i] != at(second).UnixMilli() {
				t.Errorf("%s: second %d is at %d", machine, second, chart.Times[i])
			}
		}
		if !slices.Equal(got, seconds) {
			t.Errorf("%s: seconds %v, want %v", machine, got, seconds)
		}
	}
	damage := func(i int) []string {
		t.Helper()
		all, err := v.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all.Sources[i].Damage
	}
	check("0", "WEB1", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	check("1", "WEB2", 5, 6, 7, 20, 21)
	if len(damage(0))+len(damage(1)) > 0 {
		t.Errorf("%q, %q", damage(0), damage(1))
	}

	write("WEB3", 30, 35)
	write("WEB1", 40, 42)
	wait(t, "a report of the new machine", func() bool { return len(damage(0)) > 0 })
	check("0", "WEB1", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 41)
	check("1", "WEB2", 5, 6, 7, 20, 21)
	want := []string{"WEB3_000030.capture: the log is from WEB3, not from WEB1: open it alone"}
	if !slices.Equal(damage(0), want) || len(damage(1)) > 0 {
		t.Errorf("%q, %q", damage(0), damage(1))
	}
}

// TestJoinLater: a directory without files has the log of the first machine that writes one. Names of
// machines have no case.
func TestJoinLater(t *testing.T) {
	dir := t.TempDir()
	logs, err := view.Join(t.Context(), files(dir))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for from, machine := range []string{"WEB1", "web1"} {
		writeLog(t, dir, from, from+1, func(second int) string {
			return strings.Replace(block(second), "HOST", machine, 1)
		})
	}

	q, err := logs[0].Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	samples := 0
	for s := (winperf.Sample{}); q.Next(t.Context(), &s) == nil; {
		samples++
	}
	if machine := logs[0].Describe().Machine; samples != 2 || !strings.EqualFold(machine, "WEB1") {
		t.Errorf("%d samples of %s", samples, machine)
	}
	if logs, err := view.Join(t.Context(), files(dir)); err != nil || len(logs) != 1 {
		t.Errorf("%d logs, %v", len(logs), err)
	}
}
