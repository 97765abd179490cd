package serve

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

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

func TestPageWriter(t *testing.T) {
	var to strings.Builder
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	w := newPageWriter(&to, &pool, 100)
	part := strings.Repeat("x", 1<<20)
	send := func(text string) {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	for range maxPage >> 20 {
		send(part)
	}
	if to.Len() != 0 || w.long || w.text.Len() != maxPage {
		t.Errorf("%d bytes written, %d kept", to.Len(), w.text.Len())
	}
	send("end")
	if !w.long || w.text != nil || to.Len() != maxPage+3 || w.whole != maxPage+3 {
		t.Errorf("%d bytes written, %d counted", to.Len(), w.whole)
	}

	// What will be long is not gathered at all.
	to.Reset()
	w = newPageWriter(&to, &pool, 1_000_000)
	if send("begin"); !w.long || w.text != nil || to.String() != "begin" {
		t.Errorf("%q written", &to)
	}
}
