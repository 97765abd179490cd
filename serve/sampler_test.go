package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/prometheus"
)

// Costly objects are sampled beside the others and delay no scrape but the first.
func TestCostly(t *testing.T) {
	src := &fake{}
	hold := make(chan struct{})
	src.before = func(_ context.Context, n int, sel winperf.Selection) error {
		if sel.Costly && n == 1 {
			<-hold
		}
		return nil
	}
	e := exporter(t, src, Config{Costly: true, CostlyInterval: time.Nanosecond})
	const id = `winperf_thread_available_bytes{name="t"}`
	for n := range 3 {
		status, text := scrape(e, "/metrics")
		got := value(text, id)
		if status != 200 || !strings.HasPrefix(got, "7000 ") {
			t.Errorf("scrape %d: %d, thread %q", n, status, got)
		}
		if _, at, _ := strings.Cut(got, " "); at != "1767366245000" { // its own time, in milliseconds
			t.Errorf("scrape %d: time %q", n, at)
		}
		if got := value(text, free); got != fmt.Sprint(4096+n) {
			t.Errorf("scrape %d: memory %q", n, got)
		}
		rest(e)
	}

	close(hold)
	for {
		if _, text := scrape(e, "/metrics"); !strings.HasPrefix(value(text, id), "7000 ") {
			break
		}
		runtime.Gosched()
	}
}

// That a sample did not come in time is told with the objects that it could have, in the log and to who asks as
// long as there is nothing else.
func TestLateSampleNames(t *testing.T) {
	slow := func(ctx context.Context, _ int, _ winperf.Selection) error { <-ctx.Done(); return ctx.Err() }
	for _, c := range []struct {
		paths    []string
		first    bool // there was a sample before
		want     string
		answered string
	}{
		{[]string{`\Memory\*`}, false, `msg="no sample of Memory" err="it was not complete after `, ""},
		{nil, false, `msg="no sample" err="it was not complete after `, "no sample: it "},
		{nil, true, `msg="no sample of Memory, Processor" err="it was not complete after `, ""},
		{[]string{`\Memory\*`, `\A\*`, `\B\*`, `\C\*`, `\D\*`, `\E\*`, `\F\*`}, false,
			`msg="no sample of A, B, C, D, E and 2 more objects" err=`, ""},
	} {
		log := &logBuffer{}
		src := &fake{t: t}
		config := Config{Paths: paths(t, c.paths...)}
		e, err := New(t.Context(), src, Options{Config: config, Log: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if c.first {
			scrape(e, "/metrics")
			rest(e)
		}
		src.set(func() { src.before = slow })
		status, text := scrape(e, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "0.01")
		rest(e)
		if !strings.Contains(log.String(), c.want) {
			t.Errorf("the log is %s\nwant %s", log, c.want)
		}
		if (status == 503) != (c.answered != "") || !strings.Contains(text, c.answered) {
			t.Errorf("status %d, %s", status, text)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What is only costly is sampled with each scrape: there is nothing that it could delay.
func TestOnlyCostly(t *testing.T) {
	e := exporter(t, &fake{}, Config{Paths: paths(t, `\Thread(*)\*`)})
	for n := range 2 {
		_, text := scrape(e, "/metrics")
		if got := value(text, `winperf_thread_available_bytes{name="t"}`); got != fmt.Sprint(7000+n) {
			t.Error(text)
		}
		rest(e)
	}
}

// Of a record the first scrape gets the sample before the last, all others the last.
func TestRecorded(t *testing.T) {
	e := exporter(t, &fake{recorded: 5}, Config{})
	for n, want := range []string{"4099", "4100", "4100"} {
		status, text := scrape(e, "/metrics")
		if got := value(text, free); status != 200 || got != want {
			t.Errorf("scrape %d: status %d, memory %q, want %s", n, status, got, want)
		}
		if got := value(text, `winperf_thread_available_bytes{name="t"}`); n > 0 && got != "7004" {
			t.Errorf("costly objects of a record: %q", got)
		}
	}
}

// A client that goes away does not end the sample of others.
func TestGone(t *testing.T) {
	src := &fake{}
	begun, go_ := make(chan struct{}), make(chan struct{})
	src.before = func(ctx context.Context, _ int, _ winperf.Selection) error {
		close(begun)
		<-go_
		return ctx.Err()
	}
	e := exporter(t, src, Config{})
	gone, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil).WithContext(gone))
		done <- w.Code
	}()
	<-begun
	cancel()
	if status := <-done; status != http.StatusServiceUnavailable {
		t.Errorf("the one who went away: status %d", status)
	}
	close(go_)
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) != "4096" {
		t.Errorf("the other one: status %d\n%s", status, text)
	}
}

// Scrapes that come to their turn in another order than their samples were taken do not take
// counters back.
func TestOrder(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	older, err := e.main.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer older.release()
	rest(e)
	newer, err := e.main.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer newer.release()

	v := e.view(nil, nil)
	for _, s := range []*snapshot{newer, older} {
		p, err := v.write(io.Discard, s, nil, prometheus.Text)
		if err != nil {
			t.Fatal(err)
		}
		if got := value(p.text.String(), free); got != "4097" {
			t.Errorf("sample %d: memory %s", s.number, got)
		}
		p.release()
	}
}
