package serve

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/winperf/winperf/sink/prometheus"
)

// TestCreated shows that only a configuration that asks for start times gets them.
func TestCreated(t *testing.T) {
	for _, created := range []bool{false, true} {
		src := &fake{text: func(int, bool) string {
			return "block name=\"HOST\" time100ns=133500000000000000\n" +
				"object 2 time=133500000000000000 freq=10000000\n counter 4 PERF_COUNTER_COUNTER\n" +
				" counter 6 PERF_ELAPSED_TIME\n instance \"a\" : 7 133400000000000000\n"
		}, titles: map[uint32]string{2: "Program", 4: "Reads/sec", 6: "Elapsed Time"}}
		e := exporter(t, src, Config{Created: created})

		_, text := scrape(e, "/metrics", "Accept", "application/openmetrics-text;version=1.0.0")
		if has := strings.Contains(text, "\nwinperf_program_reads_created{name=\"a\"} 1695526400\n"); has != created {
			t.Errorf("created %v:\n%s", created, text)
		}
		if strings.Contains(text, "_created") != created {
			t.Errorf("created %v:\n%s", created, text)
		}
	}
}

func TestFormats(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	_, text := scrape(e, "/metrics", "Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
	if !strings.HasSuffix(text, "# EOF\n") || !strings.Contains(text, "# UNIT ") {
		t.Error(text)
	}

	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept-Encoding", "br, gzip;q=0.5")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	zip, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil || value(string(plain), free) == "" || w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%v, %v\n%s", err, w.Header(), plain)
	}

	r = httptest.NewRequest(http.MethodHead, "/metrics", nil)
	w = httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Code != 200 || w.Body.Len() != 0 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("HEAD: %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}

func TestTakesGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "x-gzip": true, "GZIP": true, "identity": false, "gzip;q=0": false,
		"*": true, "*;q=0": false, "gzip;q=0,*": false, "br;q=1, gzip; q=0.1": true, "gzip;q=x": false,
	} {
		if takesGzip(accept) != want {
			t.Errorf("%q: %v", accept, !want)
		}
	}
}

func TestPatience(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	for header, want := range map[string]time.Duration{
		"": 10 * time.Second, "10": 9500 * time.Millisecond, "0.4": 200 * time.Millisecond,
		"-1": 10 * time.Second, "NaN": 10 * time.Second, "+Inf": 10 * time.Second, "x": 10 * time.Second,
		"1e300": 10 * time.Second, "3600": maxTimeout - 500*time.Millisecond,
	} {
		if got := e.limitOf(header); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

// An answer comes out as it went in, of any length and compressed or not, and gives its memory back.
func TestAnswer(t *testing.T) {
	pool := &answers{}
	zip := gzip.NewWriter(io.Discard)
	for _, c := range []struct {
		gzip, packed   bool
		series, length int
	}{
		{false, false, 1, 0}, {false, false, 1, 10}, {false, false, 1, chunkSize}, {false, false, 1, chunkSize + 1},
		{false, false, 1, maxPlain}, {false, true, 1, maxPlain + 1}, {false, true, 1_000_000, 10},
		{true, true, 1, 0}, {true, true, 1, 10}, {true, true, 1, maxPlain + chunkSize},
	} {
		want := make([]byte, c.length)
		for i := range want {
			want[i] = byte(i * i >> 8)
		}
		a := &answer{pool: pool, gzip: c.gzip}
		if err := a.begin(zip, c.series); err != nil {
			t.Fatal(err)
		}
		for rest := want; len(rest) > 0; rest = rest[min(len(rest), 50_000):] {
			if _, err := a.Write(rest[:min(len(rest), 50_000)]); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.end(); err != nil {
			t.Fatal(err)
		}

		var held bytes.Buffer
		n, err := a.WriteTo(&held)
		got, plain := held.Bytes(), io.Reader(nil)
		if c.packed && err == nil {
			if plain, err = a.plain(); err == nil {
				got, err = io.ReadAll(plain)
			}
		}
		if err != nil || !bytes.Equal(got, want) || a.packed != c.packed || int(n) != a.size() || a.text != int64(c.length) {
			t.Errorf("%+v: %d bytes in %d, packed %v, %v", c, len(got), a.size(), a.packed, err)
		}
		if kept := pool.kept.Load(); kept < n || kept > n+chunkSize {
			t.Errorf("%+v: %d bytes are counted for %d", c, kept, n)
		}
		if a.release(); pool.kept.Load() != 0 {
			t.Errorf("%+v: %d bytes are kept", c, pool.kept.Load())
		}
	}
}

// blocked is a client that does not read.
type blocked struct {
	http.ResponseWriter
	begun chan<- struct{}
	end   <-chan struct{}
}

func (b blocked) Write(p []byte) (int, error) {
	b.begun <- struct{}{}
	<-b.end
	return len(p), nil
}

// Scrapes at once are bounded: another one is refused, and served when a client has read its answer.
func TestMaxScrapes(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	begun, end := make(chan struct{}, maxScrapes), make(chan struct{})
	var wait sync.WaitGroup
	for i := range maxScrapes {
		wait.Go(func() {
			r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/metrics?object=Memory&object=%d", i), nil)
			e.ServeHTTP(blocked{httptest.NewRecorder(), begun, end}, r)
		})
	}
	for range maxScrapes {
		<-begun
	}
	if status, text := scrape(e, "/metrics"); status != 503 || !strings.Contains(text, "40 scrapes are being answered") {
		t.Errorf("one more: status %d, %s", status, text)
	}
	close(end)
	wait.Wait()
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) == "" {
		t.Errorf("afterwards: status %d, %s", status, text)
	}
}

// The memory of unread answers is bounded: another one is refused.
func TestMaxAnswers(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	e.answers.kept.Store(maxAnswers - chunkSize)
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) == "" {
		t.Errorf("status %d, %s", status, text)
	}
	e.answers.kept.Store(maxAnswers)
	if status, text := scrape(e, "/metrics"); status != 503 || !strings.Contains(text, "40 MB") {
		t.Errorf("one more: status %d, %s", status, text)
	}
	e.answers.kept.Store(0)
	if status, _ := scrape(e, "/metrics"); status != 200 {
		t.Errorf("afterwards: status %d", status)
	}
}

// gone is a client that takes so many writes and then is gone.
type gone struct {
	*httptest.ResponseRecorder
	left int
}

func (g *gone) Write(p []byte) (int, error) {
	if g.left--; g.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return g.ResponseRecorder.Write(p)
}

// aborts recovers from the panic that has the server break an answer off, which is no other error.
func aborts(t *testing.T) {
	if got, want := recover(), any(http.ErrAbortHandler); got != want {
		t.Errorf("the handler ends with %v", got)
	}
}

// A client that is gone in the middle of its answer does not get one that looks whole, and costs no
// other client anything.
func TestBrokenOff(t *testing.T) {
	log := &logBuffer{}
	opt := Options{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	e := exporterWith(t, &fake{}, opt)
	func() {
		defer aborts(t)
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		e.ServeHTTP(&gone{ResponseRecorder: httptest.NewRecorder()}, r)
	}()
	if text := log.String(); !strings.Contains(text, "was aborted") || !strings.Contains(text, io.ErrClosedPipe.Error()) {
		t.Errorf("log %q", text)
	}
	if kept := e.answers.kept.Load(); kept != 0 {
		t.Errorf("%d bytes are kept", kept)
	}
	if status, text := scrape(e, "/metrics"); status != 200 || value(text, free) == "" {
		t.Errorf("another client: status %d\n%s", status, text)
	}
}

// A text that is too long to be kept as it is reaches a client without gzip as it is, and breaks off
// visibly as others do.
func TestLongPlain(t *testing.T) {
	e := exporter(t, &fake{}, Config{})
	want := strings.Repeat("a_metric 1\n", maxPlain/8)
	a := &answer{pool: &e.answers}
	if err := a.begin(e.zip, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(a, want); err != nil {
		t.Fatal(err)
	}
	if err := a.end(); err != nil || !a.packed {
		t.Fatalf("packed %v, error %v", a.packed, err)
	}
	defer a.release()

	w := httptest.NewRecorder()
	status := e.send(w, a, prometheus.Text)
	h := w.Header()
	if status != 200 || w.Body.String() != want || h.Get("Content-Encoding")+h.Get("Content-Length") != "" {
		t.Errorf("status %d, %d bytes of %d, %v", status, w.Body.Len(), len(want), h)
	}
	defer aborts(t)
	e.send(&gone{httptest.NewRecorder(), 1}, a, prometheus.Text)
}
