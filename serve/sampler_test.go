package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// Costly objects are sampled independently and delay no scrape but the first.
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
	const id = `winperf_details_available_bytes{name="t"}`
	for n := range 3 {
		status, text := scrape(e, "/metrics")
		got := value(text, id)
		if status != 200 || got != "7000" { // without a time, which would hide the end of the series
			t.Errorf("scrape %d: %d, thread %q", n, status, got)
		}
		if got := value(text, free); got != fmt.Sprint(4096+n) {
			t.Errorf("scrape %d: memory %q", n, got)
		}
		rest(e)
	}

	close(hold)
	for {
		if _, text := scrape(e, "/metrics"); value(text, id) != "7000" {
			break
		}
		runtime.Gosched()
	}
}

// That a sample did not come in time is told with the objects that it could have, in the log and to who asks
// as long as there is nothing else.
func TestLateSampleNames(t *testing.T) {
	slow := func(ctx context.Context, _ int, _ winperf.Selection) error { <-ctx.Done(); return ctx.Err() }
	for _, c := range []struct {
		paths    []string
		first    bool // there was a sample before
		want     string
		answered string
	}{
		{[]string{`\Memory\*`}, false, `msg="no sample of Memory" err="the sample was not complete after `, ""},
		{nil, false, `msg="no sample" err="the sample was not complete after `, "no sample: the sample "},
		{nil, true, `msg="no sample of Memory, Processor" err="the sample was not complete after `, ""},
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
		e.main.(*sampler).least = 0
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
	e := exporter(t, &fake{}, Config{Paths: paths(t, `\Details(*)\*`)})
	for n := range 2 {
		_, text := scrape(e, "/metrics")
		if got := value(text, `winperf_details_available_bytes{name="t"}`); got != fmt.Sprint(7000+n) {
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
		if got := value(text, `winperf_details_available_bytes{name="t"}`); n > 0 && got != "7004" {
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

// Samples that no scrape maps, as those of scrapes that gave up, take no counter of 4 bytes back: the next scrape
// goes on from the last sample that was mapped.
func TestSamplesWithoutScrape(t *testing.T) {
	e := exporter(t, wrapping(0), Config{Costly: true, CostlyInterval: time.Nanosecond})
	scrape(e, "/metrics")
	for range 4 {
		rest(e)
		if _, err := e.main.get(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.costly.get(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	goesOn(t, e)
}

// wrapping is a source of counters of 4 bytes, which begin again with sample 1. It begins with the first sample.
func wrapping(first int) *fake {
	return &fake{text: func(n int, costly bool) string {
		n += first
		title, value := 238, uint32(4294967290)
		if costly {
			title = threadTitle
		}
		if n > 0 {
			value = 100 + uint32(n)
		}
		return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=10 time100ns=%d\n"+
			"object %d\n counter 148 PERF_COUNTER_COUNTER\n instance \"0\" : %d\n",
			n+1, int64(133500000000000000)+int64(n)*10_000_000, title, value)
	}}
}

// goesOn wants the counters of wrapping to be over 2^32 in the next scrape.
func goesOn(t *testing.T, e *Exporter) {
	t.Helper()
	status, text := scrape(e, "/metrics")
	for _, object := range []string{"processor", "details"} {
		got, _, _ := strings.Cut(value(text, fmt.Sprintf(`winperf_%s_interrupts_total{name="0"}`, object)), " ")
		if n, err := strconv.ParseFloat(got, 64); err != nil || n < 1<<32+100 {
			t.Errorf("status %d: the counter of %s is %q, want more than 2^32", status, object, got)
		}
	}
}

// A new exporter goes on from the last samples that the old one mapped, however many samples that one takes
// meanwhile.
func TestContinueKeeps(t *testing.T) {
	config := Config{Costly: true, CostlyInterval: time.Nanosecond}
	old, e := exporter(t, wrapping(0), config), exporter(t, wrapping(1), config)
	scrape(old, "/metrics")
	if err := e.Continue(t.Context(), old); err != nil {
		t.Fatal(err)
	}

	for range 4 {
		rest(old)
		scrape(old, "/metrics")
		if _, err := old.costly.get(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	goesOn(t, e)
}

// An older sample does not take counters back.
func TestOrder(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	older, err := e.main.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rest(e)
	newer, err := e.main.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	v := e.all
	for _, s := range []*snapshot{newer, older} {
		if err := v.update(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		to := &answer{pool: &e.answers}
		err := v.write(to, true, prometheus.Text)
		if err == nil {
			_, err = to.WriteTo(&text)
		}
		if got := value(text.String(), free); err != nil || got != "4097" {
			t.Errorf("sample %d: memory %s, %v", s.number, got, err)
		}
	}
}

// A scrape with a short timeout does not shorten the sample that it shares with others.
func TestShortTimeout(t *testing.T) {
	begun, resume := make(chan struct{}), make(chan struct{})
	src := &fake{}
	src.before = func(ctx context.Context, n int, _ winperf.Selection) error {
		if n > 0 {
			return nil
		}
		close(begun)
		<-resume
		// As sources do, it leaves out what is not ready in a part of the time.
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < time.Second {
			src.set(func() { src.without = "Memory" })
		}
		return nil
	}
	e := exporter(t, src, Config{Timeout: time.Hour})
	if status, _ := scrape(e, "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", "0.001"); status != 503 {
		t.Errorf("with a short timeout: status %d", status)
	}
	<-begun
	done := make(chan string)
	go func() {
		_, text := scrape(e, "/metrics")
		done <- text
	}()
	close(resume)
	if text := <-done; value(text, free) != "4096" || value(text, "winperf_sample_successful") != "1" {
		t.Errorf("with time: %s", text)
	}
}

// A partial sample is not shared with a scrape that allowed more time: neither with one that waited for it,
// nor with one that comes right behind, nor with one whose own sample it replaced before the metrics were
// written.
func TestPartialIsNotShared(t *testing.T) {
	const timeout = "X-Prometheus-Scrape-Timeout-Seconds"
	whole := func(t *testing.T, how, text string) {
		t.Helper()
		if value(text, free) == "" || value(text, "winperf_sample_successful") != "1" {
			t.Errorf("%s: %s", how, text)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		src := &fake{t: t}
		src.before = func(ctx context.Context, n int, _ winperf.Selection) error {
			time.Sleep(4 * time.Second)
			deadline, _ := ctx.Deadline()
			src.set(func() {
				src.without, src.late = "", nil
				if time.Until(deadline) < 10*time.Second { // as sources do
					src.without, src.late = "Memory", context.DeadlineExceeded
				}
			})
			return nil
		}
		e, err := New(t.Context(), src, Options{Config: Config{Timeout: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()

		var all sync.WaitGroup
		all.Go(func() {
			status, text := scrape(e, "/metrics", timeout, "9")
			if status != 200 || value(text, free) != "" || value(text, "winperf_sample_successful") != "0" {
				t.Errorf("with a short timeout: status %d\n%s", status, text)
			}
			_, text = scrape(e, "/metrics", timeout, "60")
			whole(t, "right behind", text)
		})
		time.Sleep(time.Second)
		_, text := scrape(e, "/metrics", timeout, "60")
		whole(t, "waiting for it", text)
		all.Wait()

		// The scrape that has its sample waits for the turn, while a short one takes another sample.
		time.Sleep(time.Minute)
		e.turn <- struct{}{}
		all.Go(func() {
			_, text := scrape(e, "/metrics", timeout, "60")
			whole(t, "replaced", text)
		})
		time.Sleep(5 * time.Second)
		all.Go(func() { scrape(e, "/metrics", timeout, "9") })
		time.Sleep(5 * time.Second)
		<-e.turn
		all.Wait()
	})
}

// Each sample that lacks an object because its provider failed or was late is not successful.
func TestPartialSample(t *testing.T) {
	src := &fake{t: t}
	e := exporter(t, src, Config{})
	for _, c := range []struct {
		late error
		want string
	}{
		{nil, "1"},
		{fmt.Errorf("panic: nil: %w", winperf.ErrBadData), "0"},
		{fmt.Errorf("no answer within 5s: %w", context.DeadlineExceeded), "0"},
		{fmt.Errorf("no answer: %w", call.ErrBusy), "0"},
		{fmt.Errorf("no answer: %w", call.ErrBusy), "0"},
		{nil, "1"},
	} {
		src.set(func() { src.late = c.late })
		_, text := scrape(e, "/metrics")
		if got := value(text, "winperf_sample_successful"); got != c.want {
			t.Errorf("late: %v: winperf_sample_successful %s, want %s", c.late, got, c.want)
		}
		rest(e)
	}
}

// counting counts the contexts that are derived from it and have not ended.
type counting struct {
	context.Context
	mu   sync.Mutex
	open int
}

// AfterFunc is called by package context for each context below.
func (c *counting) AfterFunc(func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
		return true
	}
}

// Done is a channel of its own: package context cannot look through it.
func (c *counting) Done() <-chan struct{} { return make(chan struct{}) }

// A sample that ended leaves no context behind.
func TestNoContextLeft(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	s := e.main.(*sampler)
	base := &counting{Context: t.Context()}
	s.base = base
	for range 20 {
		scrape(e, "/metrics")
		rest(e)
	}
	base.mu.Lock()
	defer base.mu.Unlock()
	if s.number != 20 || base.open > 1 { // the last may just be about to end
		t.Errorf("%d samples, %d contexts", s.number, base.open)
	}
}

// panicking is a query that panics or hangs when it is closed.
type panicking struct {
	winperf.Query
	closed chan struct{}
	hang   <-chan struct{}
}

func (q *panicking) Next(context.Context, *winperf.Sample) error { panic("a fault") }

func (q *panicking) Close() error {
	close(q.closed)
	if q.hang != nil {
		<-q.hang
	}
	panic("another fault")
}

// panickingOnce is a fake whose first query panics.
type panickingOnce struct {
	*fake
	first *panicking
	used  bool
}

func (s *panickingOnce) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	if s.used {
		return s.fake.Compile(ctx, sel)
	}
	s.used = true
	return s.first, nil
}

// A measurement that panicked is closed, even if that panics too or does not end.
func TestPanickedIsClosed(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for name, hangs := range map[string]chan struct{}{"panics": nil, "hangs": hang} {
		t.Run(name, func(t *testing.T) {
			q := &panicking{closed: make(chan struct{}), hang: hangs}
			e, err := New(t.Context(), &panickingOnce{fake: &fake{t: t}, first: q}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if status, text := scrape(e, "/metrics"); status != 503 || !strings.Contains(text, "a fault") {
				t.Errorf("status %d: %s", status, text)
			}
			select {
			case <-q.closed:
			default:
				t.Error("it was not closed")
			}
			rest(e)
			if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) != "4096" {
				t.Errorf("afterwards: status %d\n%s", status, text)
			}
		})
	}
}

// TestOmitted: without paths and objects Thread and Control Group are not served, even with costly objects; a
// path or an object adds them.
func TestOmitted(t *testing.T) {
	t.Run("Thread", func(t *testing.T) { testOmitted(t, "Thread", `winperf_thread_available_bytes{name="t"}`) })
	t.Run("Control Group", func(t *testing.T) {
		testOmitted(t, "Control Group", `winperf_control_group_available_bytes{name="t"}`)
	})
}

// testOmitted tests an object with the index 232, and one of its series.
func testOmitted(t *testing.T, name, series string) {
	for _, c := range []struct {
		config Config
		want   bool
	}{
		{Config{}, false},
		{Config{Exclude: paths(t, `\Memory\*`)}, false},
		{Config{Objects: []string{"*"}}, true},
		{Config{Objects: []string{name}}, true},
		{Config{Paths: paths(t, `\`+name+`(*)\*`)}, true},
		{Config{Costly: true}, false},
	} {
		src := &fake{
			titles: map[uint32]string{4: "Memory", 24: "Available Bytes", 232: name},
			text:   func(n int, _ bool) string { return blockText(n, func(string) bool { return true }, "") },
		}
		e := exporter(t, src, c.config)
		_, text := scrape(e, "/metrics")
		if got := value(text, series) != ""; got != c.want {
			t.Errorf("%+v: it is there: %v", c.config, got)
		}
		up := value(text, `winperf_object_up{object="`+name+`"}`) == "1"
		if set, err := metrics.NewMapper(e.mapping).Map(e.main.(*sampler).newest.frame, nil); err != nil || up != c.want {
			t.Errorf("%+v: winperf_object_up %v, %v", c.config, up, err)
		} else if pushed := slices.ContainsFunc(set.Families, func(f metrics.Family) bool {
			return f.Object == name && f.Columns[0].Rows.Len() > 0
		}); pushed != c.want {
			t.Errorf("%+v: it is pushed: %v", c.config, pushed)
		}
	}
}
