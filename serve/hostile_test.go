package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// once tells every series, and every head of a metric, that a text has twice.
func once(t *testing.T, text string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		key := ""
		switch {
		case strings.HasPrefix(line, "# TYPE "):
			key = strings.Join(strings.Fields(line)[:3], " ")
		case strings.HasPrefix(line, "#"):
			continue
		case strings.Contains(line, "} "):
			key = line[:strings.LastIndex(line, "} ")]
		default:
			key, _, _ = strings.Cut(line, " ")
		}
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
	}
}

// What the machine says of itself comes once, though costly objects have a sample of their own.
func TestFactsOnce(t *testing.T) {
	e := exporter(t, &fake{}, Config{Costly: true, Names: []metrics.Scheme{metrics.Own, metrics.WindowsExporter}})
	for range 3 {
		_, text := scrape(e, "/metrics")
		once(t, text)
		if value(text, "windows_os_hostname") == "" && !strings.Contains(text, "\nwindows_os_hostname{") {
			t.Error("the machine has no name")
		}
		rest(e)
	}
}

// A counter that is called as a metric about winperf gets a number, and none is lost.
func TestReservedNames(t *testing.T) {
	src := &fake{
		titles: map[uint32]string{2: "Sample", 4: "Bytes", 6: "Push Samples", 8: "Sent"},
		text: func(n int, _ bool) string {
			return "block name=\"HOST\" time100ns=133500000000000000\nobject 2 form=single\n" +
				" counter 4 PERF_COUNTER_RAWCOUNT\n values : 4711\n" +
				"object 6 form=single\n counter 8 PERF_COUNTER_COUNTER\n values : 4712\n"
		},
	}
	more := func(time.Time) []metrics.Family { // without rows as long as there is nothing to say
		rows := metrics.Column{Rows: metrics.NewRows(nil, nil)}
		return []metrics.Family{{Name: "winperf_push_samples_sent_total", Type: metrics.Counter, Columns: []metrics.Column{rows}}}
	}
	_, text := scrape(exporterWith(t, src, Options{More: more}), "/metrics")
	once(t, text)
	for series, want := range map[string]string{
		"winperf_sample_2_bytes": "4711", "winperf_push_samples_sent_2_total": "4712", "winperf_series": "2",
	} {
		if got := value(text, series); got != want {
			t.Errorf("%s is %q, want %s of\n%s", series, got, want, text)
		}
	}
	if got := value(text, "winperf_sample_bytes"); got == "" || got == "4711" {
		t.Errorf("the length of the sample is %q", got)
	}
}

// Objects of both samples whose metrics would have one name get two, and one object twice is there
// once under names of other programs.
func TestCostlyNamesakes(t *testing.T) {
	src := &fake{
		titles: map[uint32]string{2: "details", 232: "Details", 4: "Available", 6: "System Calls/sec", 1000: "Details"},
		text: func(n int, costly bool) string {
			title := 2
			if costly {
				title = 232
			}
			return fmt.Sprintf("block name=\"HOST\" time100ns=133500000000000000\nobject %d\n"+
				" counter 4 PERF_COUNTER_RAWCOUNT\n counter 6 PERF_COUNTER_COUNTER\n instance \"t\" : %[1]d %[1]d\n", title)
		},
	}
	_, text := scrape(exporter(t, src, Config{Costly: true}), "/metrics")
	once(t, text)
	for series, want := range map[string]string{
		`winperf_details_available{name="t"}`: "2", `winperf_details_available_2{name="t"}`: "232",
	} {
		if got := value(text, series); got != want {
			t.Errorf("%s is %q, want %s of\n%s", series, got, want, text)
		}
	}
}

// A scrape that has hardly any time costs others nothing: neither the sample that they wait for, nor
// what it lacks, nor what they are told of objects.
func TestHurriedScrapes(t *testing.T) {
	t.Run("no sample", func(t *testing.T) { hurriedScrapes(t, func(ctx context.Context) error { return ctx.Err() }) })
	t.Run("half a sample", func(t *testing.T) { hurriedScrapes(t, func(context.Context) error { return nil }) })
}

// hurriedScrapes has the sample of the one in a hurry end as late says, in time without memory.
func hurriedScrapes(t *testing.T, late func(context.Context) error) {
	t.Helper()
	begun := make(chan struct{})
	src := &fake{
		text: func(n int, _ bool) string {
			without := ""
			if n == 1 {
				without = "Memory"
			}
			return blockText(n, func(name string) bool { return name != "Details" }, without)
		},
		before: func(ctx context.Context, n int, _ winperf.Selection) error {
			if n != 1 {
				return nil
			}
			close(begun)
			<-ctx.Done()
			return late(ctx)
		},
	}
	e := exporter(t, src, Config{})
	e.main.(*sampler).least = 0
	scrape(e, "/metrics")
	rest(e)

	const up = `winperf_object_up{object="Memory"}`
	var wait sync.WaitGroup
	wait.Go(func() {
		status, text := scrape(e, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "0.3")
		if status != 200 || value(text, up) != "0" && value(text, free) == "" {
			t.Errorf("in a hurry: status %d\n%s", status, text)
		}
	})
	<-begun
	status, text := scrape(e, "/metrics")
	if status != 200 || value(text, free) != "4098" || value(text, up) != "1" {
		t.Errorf("with time: status %d\n%s", status, text)
	}
	wait.Wait()
}

// One scrape that does not get a sample does not take from another one what it has.
func TestUpIsOfTheAnswer(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	if _, err := e.main.get(t.Context()); err != nil {
		t.Fatal(err)
	}

	late, cancel := context.WithCancel(t.Context())
	cancel()
	rest(e)
	if _, err := e.main.get(late); err == nil {
		t.Fatal("there is a sample")
	}
	for _, c := range []struct {
		sampled bool
		want    string
	}{{true, "1"}, {false, "0"}, {true, "1"}} {
		text := written(t, e, c.sampled)
		for _, series := range []string{`winperf_object_up{object="Memory"}`, "winperf_sample_successful"} {
			if got := value(text, series); got != c.want {
				t.Errorf("%s is %q, want %s", series, got, c.want)
			}
		}
	}
}

// written returns the text of a scrape that got a sample, or got none.
func written(t *testing.T, e *Exporter, sampled bool) string {
	t.Helper()
	if err := e.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	to := &answer{pool: &e.answers}
	defer to.release()
	if err := e.write(t.Context(), to, &request{}, sampled, prometheus.Text); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := to.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// What panics costs one sample, or one view, and the server goes on.
func TestPanics(t *testing.T) {
	src := &fake{}
	e := exporter(t, src, Config{})
	scrape(e, "/metrics")
	rest(e)
	src.set(func() {
		src.before = func(_ context.Context, n int, _ winperf.Selection) error {
			if n == 1 {
				panic("a fault")
			}
			return nil
		}
	})
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, `winperf_object_up{object="Memory"}`) != "0" {
		t.Errorf("status %d\n%s", status, text)
	}
	src.set(func() { src.before = nil })
	rest(e)
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, `winperf_object_up{object="Memory"}`) != "1" {
		t.Errorf("afterwards: status %d\n%s", status, text)
	}

	e.all.main.mapper = nil // which nothing can be written with
	rest(e)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		scrape(e, "/metrics")
	}()
	rest(e)
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) == "" {
		t.Errorf("after a view panicked: status %d\n%s", status, text)
	}
}

// Scrapes that wait while the exporter is closed get an error.
func TestClosedWhileWaiting(t *testing.T) {
	src := &fake{t: t}
	e, err := New(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := e.main.(*sampler)
	f, _ := s.acquire(time.Time{}, nil)
	<-f.done
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.result(f); !errors.Is(err, errClosed) {
		t.Errorf("%v, %v", got, err)
	}
}

// Of a record that is damaged the samples before the damage are served; one of which nothing can be read
// cannot be.
func TestRecordDamaged(t *testing.T) {
	broken := func(at int) *fake {
		return &fake{recorded: 9, before: func(_ context.Context, n int, _ winperf.Selection) error {
			if n >= at {
				return fmt.Errorf("buffer %d: %w", n, winperf.ErrBadData)
			}
			return nil
		}}
	}
	for at, want := range map[int][]string{1: {"4096", "4096"}, 2: {"4096", "4097", "4097"}, 5: {"4099", "4100", "4100"}} {
		e := exporter(t, broken(at), Config{})
		for n, free0 := range want {
			_, text := scrape(e, "/metrics")
			for series, want := range map[string]string{
				free: free0, "winperf_damage_total": "1", `winperf_object_up{object="Memory"}`: "1",
			} {
				if got := value(text, series); got != want {
					t.Errorf("broken at %d, scrape %d: %s is %q, want %s", at, n, series, got, want)
				}
			}
		}
	}

	if _, err := New(t.Context(), broken(0), Options{}); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("nothing can be read: %v", err)
	}
}
