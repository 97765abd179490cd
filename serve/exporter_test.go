package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// exporter returns an exporter over a fake, which ends with the test.
func exporter(t testing.TB, src *fake, config Config) *Exporter {
	t.Helper()
	return exporterWith(t, src, Options{Config: config, Version: "v1"})
}

// exporterWith is exporter with other options.
func exporterWith(t testing.TB, src *fake, opt Options) *Exporter {
	t.Helper()
	src.t = t
	e, err := New(t.Context(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// scrape asks for metrics and returns the status and the lines of values. headers are names and
// values in turn.
func scrape(h http.Handler, target string, headers ...string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// value returns the value of a series, "" where there is none.
func value(text, series string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// rest waits until the last sample is too old to be shared.
func rest(e *Exporter) {
	s := e.main.(*sampler)
	for {
		s.mu.Lock()
		over := s.pending == nil && time.Since(s.ended) >= s.fresh
		s.mu.Unlock()
		if over {
			return
		}
		runtime.Gosched()
	}
}

const (
	cpu0 = `winperf_processor_processor_seconds_total{name="0"}`
	free = `winperf_memory_available_bytes`
)

func TestScrape(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	for n := 1; n <= 3; n++ {
		status, text := scrape(e, "/metrics")
		if status != 200 {
			t.Fatal(status, text)
		}
		for series, want := range map[string]string{
			free:                                        fmt.Sprint(4095 + n),
			`winperf_object_up{object="Processor"}`:     "1",
			`winperf_samples_total`:                     fmt.Sprint(n),
			`winperf_sample_successful`:                 "1",
			`winperf_series`:                            "5",
			`winperf_series_dropped`:                    "0",
			`winperf_anomalies_total{kind="clock_set"}`: "0",
		} {
			if got := value(text, series); got != want {
				t.Errorf("sample %d: %s is %q, want %s", n, series, got, want)
			}
		}
		if !regexp.MustCompile(`(?m)^winperf_processor\S*\{name="1"\} ` + fmt.Sprint(n) + `$`).MatchString(text) {
			t.Errorf("no processor time of %d s in\n%s", n, text)
		}
		if strings.Contains(text, "details") {
			t.Error("costly objects come without being asked for")
		}
		rest(e)
	}
}

var processorTimes = regexp.MustCompile(`(?m)^winperf_processor_\S*seconds_total\{name="[01]"\} (\d+)`)

// Scrapes at the same time share one sample, and each sees one sample only.
func TestConcurrent(t *testing.T) {
	src := &fake{}
	begun, go_ := make(chan struct{}), make(chan struct{})
	src.before = func(_ context.Context, n int, _ winperf.Selection) error {
		if n == 0 {
			close(begun)
			<-go_
		}
		return nil
	}
	e := exporter(t, src, Config{})

	const clients = maxScrapes
	texts := make([]string, clients)
	var wait, ready sync.WaitGroup
	for i := range clients {
		ready.Add(1)
		wait.Go(func() {
			ready.Done()
			_, texts[i] = scrape(e, "/metrics", "Accept", []string{"", "application/openmetrics-text"}[i%2])
		})
	}
	<-begun
	ready.Wait()
	close(go_)
	wait.Wait()

	for i, text := range texts {
		memory := value(text, free)
		times := processorTimes.FindAllStringSubmatch(text, -1)
		if len(times) != 2 || times[0][1] != times[1][1] || memory == "" {
			t.Fatalf("scrape %d: %v, memory %q in\n%s", i, times, memory, text)
		}
		n, err1 := strconv.Atoi(times[0][1])
		m, err2 := strconv.Atoi(memory)
		if err1 != nil || err2 != nil || m-4096 != n-1 {
			t.Errorf("scrape %d has parts of two samples: %s and %s", i, times[0][1], memory)
		}
	}
	if n := src.samples(); n > clients/4 {
		t.Errorf("%d samples for %d scrapes", n, clients)
	}
}

// A sample that does not come in time is left out, and told.
func TestLate(t *testing.T) {
	src := &fake{}
	e := exporter(t, src, Config{})
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) == "" {
		t.Fatal(status, text)
	}
	rest(e)

	src.set(func() {
		src.before = func(ctx context.Context, _ int, _ winperf.Selection) error {
			<-ctx.Done()
			return ctx.Err()
		}
	})
	status, text := scrape(e, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "0.52")
	if status != 200 || value(text, free) != "" {
		t.Errorf("status %d\n%s", status, text)
	}
	for series, want := range map[string]string{
		`winperf_object_up{object="Memory"}`: "0", `winperf_sample_successful`: "0",
	} {
		if got := value(text, series); got != want {
			t.Errorf("%s is %q, want %s", series, got, want)
		}
	}
	if value(text, `winperf_object_age_seconds{object="Memory"}`) == "" {
		t.Error("the age of what is missing is not told")
	}

	src.set(func() { src.before = nil })
	rest(e)
	if _, text := scrape(e, "/metrics"); value(text, `winperf_object_up{object="Memory"}`) != "1" {
		t.Error("it does not come back")
	}
}

// Where nothing was ever sampled there is nothing to tell but the error.
func TestNeverSampled(t *testing.T) {
	src := &fake{before: func(context.Context, int, winperf.Selection) error {
		return errors.New("the registry\nis locked")
	}}
	status, text := scrape(exporter(t, src, Config{}), "/metrics")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "no sample: ") ||
		strings.Count(text, "\n") != 1 {
		t.Errorf("status %d: %q", status, text)
	}
}

// An object that one sample lacks is told; the others come.
func TestObjectMissing(t *testing.T) {
	src := &fake{}
	e := exporter(t, src, Config{})
	scrape(e, "/metrics")
	rest(e)
	src.set(func() { src.without = "Memory" })
	_, text := scrape(e, "/metrics")
	if value(text, `winperf_object_up{object="Memory"}`) != "0" || value(text, free) != "" ||
		value(text, `winperf_object_up{object="Processor"}`) != "1" {
		t.Error(text)
	}
}

// A path that names an object which is not there shows as missing from the first scrape on.
func TestNamedMissing(t *testing.T) {
	src := &fake{without: "Memory"}
	e := exporter(t, src, Config{Paths: paths(t, `\Memory\*`, `\Processor(*)\*`)})
	_, text := scrape(e, "/metrics")
	if value(text, `winperf_object_up{object="Memory"}`) != "0" ||
		value(text, `winperf_object_age_seconds{object="Memory"}`) != "" {
		t.Error(text)
	}
}

func paths(t testing.TB, texts ...string) (list []winperf.Path) {
	t.Helper()
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// Whole metrics are left out that do not fit: of two with two processors each, and memory.
func TestMaxSeries(t *testing.T) {
	for most, want := range map[int]struct {
		written, dropped string
		processors       int
		memory           bool
	}{
		0: {"5", "0", 4, true},
		1: {"1", "4", 0, true},
		2: {"2", "3", 2, false},
		3: {"3", "2", 2, true},
		4: {"4", "1", 4, false},
		5: {"5", "0", 4, true},
		6: {"5", "0", 4, true},
	} {
		_, text := scrape(exporter(t, &fake{}, Config{MaxSeries: most}), "/metrics")
		if value(text, "winperf_series") != want.written || value(text, "winperf_series_dropped") != want.dropped {
			t.Errorf("at most %d: %s and %s", most, value(text, "winperf_series"), value(text, "winperf_series_dropped"))
		}
		if n := strings.Count(text, "\nwinperf_processor"); n != want.processors || value(text, free) != "" != want.memory {
			t.Errorf("at most %d: %d series of processors in\n%s", most, n, text)
		}
		if value(text, "winperf_samples_total") != "1" {
			t.Errorf("at most %d: nothing about winperf", most)
		}
	}
}

// A scrape waits for its turn only as long as it may.
func TestTurn(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	scrape(e, "/metrics")
	if err := e.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, text := scrape(e, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "0.01")
	<-e.turn
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "other scrapes were answered") {
		t.Errorf("status %d: %s", status, text)
	}
}

// An exporter that is closed says so, and holds no goroutine.
func TestClose(t *testing.T) {
	src := &fake{t: t}
	e, err := New(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	scrape(e, "/metrics")
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if status, text := scrape(e, "/metrics"); status != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", status, text)
	}
}

// endsAfter is a context that ends when Err is called for the n-th time.
type endsAfter struct {
	context.Context
	left *atomic.Int32
}

func (c endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A client may disconnect at any moment of its scrape. It costs this answer only.
func TestClientGone(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	for n := range int32(40) {
		ctx := endsAfter{t.Context(), new(atomic.Int32)}
		ctx.left.Store(n)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
		if w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable {
			t.Errorf("the client is gone after %d looks: status %d\n%s", n, w.Code, w.Body)
		}
	}
	if status, text := scrape(e, "/metrics"); status != http.StatusOK {
		t.Errorf("afterwards: status %d\n%s", status, text)
	}
}

// Metrics under two kinds of names, and under names of the configuration, come together, in the
// format that allows them.
func TestNames(t *testing.T) {
	e := exporter(t, &fake{}, Config{
		Paths: paths(t, `\Memory\*`), Names: []metrics.Scheme{metrics.Own, metrics.WindowsExporter},
		Counters: []metrics.Generic{{
			Name: "cpu", Object: "Processor", InstanceLabel: "core",
			Counters: []metrics.GenericCounter{{Name: "Interrupts/sec", Metric: "my_interrupts", Type: "counter"}},
		}},
	})
	_, text := scrape(e, "/metrics", "Accept", "application/openmetrics-text")
	for _, has := range []string{
		free + " 4096\n", "windows_memory_available_bytes 4096\n", "windows_exporter_build_info{",
		`windows_exporter_collector_success{collector="memory"} 1`, `my_interrupts{core="1"} 1000`,
	} {
		if !strings.Contains(text, "\n"+has) {
			t.Errorf("no %s in\n%s", has, text)
		}
	}
	if strings.Contains(text, "# EOF") {
		t.Error("OpenMetrics does not allow these names")
	}
}

// That samples fail is told once, and when they no longer do.
func TestToldOnce(t *testing.T) {
	log := &logBuffer{}
	src := &fake{before: func(_ context.Context, n int, _ winperf.Selection) error {
		if n > 0 && n < 4 {
			return errors.New("locked")
		}
		return nil
	}}
	e, err := New(t.Context(), src, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for range 6 {
		scrape(e, "/metrics")
		rest(e)
	}
	text := log.String()
	if strings.Count(text, "locked") != 1 || strings.Count(text, "again") != 1 {
		t.Error(text)
	}
}

// A configuration that would give no metrics, or some that nobody takes, is refused at once.
func TestNewChecks(t *testing.T) {
	memory := func(counters ...string) []metrics.Generic {
		g := metrics.Generic{Name: "memory", Object: "Memory"}
		for _, name := range counters {
			g.Counters = append(g.Counters, metrics.GenericCounter{Name: name, Metric: "x"})
		}
		return []metrics.Generic{g}
	}
	for want, config := range map[string]Config{
		"names: the names otel cannot":                   {Names: []metrics.Scheme{metrics.OTel}},
		"names: the names own are there twice":           {Names: []metrics.Scheme{metrics.Own, metrics.Own}},
		"timeout: expected":                              {Timeout: -time.Second},
		"max_series: expected":                           {MaxSeries: -1},
		"objects: expected":                              {Objects: []string{""}},
		`object "memory": metric x with the same labels`: {Counters: memory("C", "D")},
		"language: expected a language such as de":       {Language: "klingon"},
		"timeout_offset: expected less than the timeout, 2s": {
			Timeout: 2 * time.Second, TimeoutOffset: 2 * time.Second,
		},
		"timeout_offset: expected less than the timeout, 10s": {TimeoutOffset: time.Minute},
	} {
		src := new(fake)
		src.t = t
		e, err := New(t.Context(), src, Options{Config: config})
		if e != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	exporter(t, new(fake), Config{Timeout: 100 * time.Millisecond})
}

// A counter of the configuration may not take the name of a metric about the program. The error has
// the key that it is about.
func TestNewChecksOwnNames(t *testing.T) {
	counters := []metrics.Generic{{Name: "go", Object: "Memory", Counters: []metrics.GenericCounter{
		{Name: "Free", Metric: "my_free"}, {Name: "Used", Metric: "go_goroutines"},
	}}}
	_, err := New(t.Context(), &fake{t: t}, Options{Config: Config{Counters: counters}})
	var at *ConfigError
	if !errors.As(err, &at) || !errors.Is(err, metrics.ErrGeneric) {
		t.Fatalf("error %v", err)
	}
	const want = `"go": metric go_goroutines is reserved for winperf itself`
	if at.Key != "performancecounter.objects[0]" || !strings.HasSuffix(at.Error(), want) ||
		!strings.HasPrefix(at.Error(), "performancecounter.objects: ") {
		t.Errorf("error %q of %s", at, at.Key)
	}
}

// An exporter that replaces another one goes on with its counts, and names the objects that it has
// seen. What it maps serves a pusher, too.
func TestReplaced(t *testing.T) {
	src := &fake{}
	last := exporter(t, src, Config{})
	scrape(last, "/metrics")
	next := exporterWith(t, src, Options{Last: last, Config: Config{Paths: paths(t, `\Memory\*`, `\Nothing\*`)}})
	_, text := scrape(next, "/metrics")
	if got := value(text, "winperf_samples_total"); got != "2" {
		t.Errorf("%s samples, want 2", got)
	}
	if got := strings.Join(next.Objects(), " "); got != "Memory Nothing" {
		t.Errorf("objects %q", got)
	}
	if m := next.Mapping(); m.NoKeep || len(m.Select.Paths) != 2 || m.Reserved == nil {
		t.Errorf("mapping %+v", m)
	}
}
