package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/serve"
)

// runningServer is a server under test.
type runningServer struct {
	t      *testing.T
	url    string
	urls   []string // as Listening got them
	reload chan struct{}
	log    *logBuffer
	stop   func() error // ends it and returns the error of Run

	mu     sync.Mutex
	config Config
	err    error // of Load
	opened []*fake
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

// start runs a server over fakes until the test ends.
func start(t *testing.T, config Config) *runningServer {
	t.Helper()
	return startWith(t, config, func(*Options) {})
}

// startWith is start with other options.
func startWith(t *testing.T, config Config, change func(*Options)) *runningServer {
	t.Helper()
	if len(config.Web.Listen) == 0 {
		config.Web.Listen = []string{"127.0.0.1:0"}
	}
	s := &runningServer{t: t, config: config, reload: make(chan struct{}), log: &logBuffer{}}
	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan []string, 1), make(chan error, 1)
	opt := Options{
		Load: s.load, Open: s.open, Reload: s.reload, Version: "v1",
		Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Listening: func(_ context.Context, urls []string, responds func(context.Context) error) {
			if err := responds(ctx); err != nil {
				t.Error(err)
			}
			listening <- urls
		},
	}
	change(&opt)
	go func() { ended <- Run(ctx, opt) }()

	s.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		for _, src := range s.opened {
			if !src.closed {
				t.Error("a source was not closed")
			}
		}
	})
	select {
	case urls := <-listening:
		s.urls, s.url = urls, strings.TrimSuffix(urls[0], "/metrics")
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return s
}

func (s *runningServer) load(context.Context) (Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config, s.err
}

func (s *runningServer) open(context.Context, string) (winperf.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	src := &fake{t: s.t}
	s.opened = append(s.opened, src)
	return src, nil
}

func (s *runningServer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// client makes connections of its own, which it does not keep.
func client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

// ask makes a request and returns the status and the body.
func (s *runningServer) ask(method, path string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestPages(t *testing.T) {
	s := start(t, Config{})
	for _, c := range []struct {
		method, path string
		status       int
		has          string
	}{
		{"GET", "/metrics", 200, free},
		{"GET", "/-/healthy", 200, "healthy"},
		{"GET", "/-/ready", 200, "ready"},
		{"HEAD", "/-/healthy", 200, ""},
		{"HEAD", "/-/ready", 200, ""},
		{"GET", "/", 200, `<a href="/metrics?object=Processor">Processor</a>`},
		{"HEAD", "/metrics", 200, ""},
		{"HEAD", "/", 200, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/../../etc/passwd", 404, ""},
		{"GET", "/metrics/../metrics/x", 404, ""},
		{"POST", "/metrics", 405, ""},
		{"DELETE", "/metrics", 405, ""},
		{"GET", "/-/reload", 405, ""},
		{"POST", "/-/reload", 403, "--web.enable-lifecycle"},
		{"GET", "/debug/pprof/", 404, ""},
		{"GET", "/debug/requests", 404, ""},
	} {
		status, text := s.ask(c.method, c.path)
		if status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s %s: status %d, want %d\n%s", c.method, c.path, status, c.status, text)
		}
	}
}

// A name of an object cannot leave the page that shows it.
func TestIndexEscapes(t *testing.T) {
	s := start(t, Config{Config: serve.Config{Objects: []string{`<script>alert("x")</script>&`}}})
	_, text := s.ask("GET", "/")
	if strings.Contains(text, "<script>") || !strings.Contains(text, "&lt;script&gt;") {
		t.Error(text)
	}
}

func TestReload(t *testing.T) {
	s := start(t, Config{Web: Web{Lifecycle: true}})
	s.ask("GET", "/metrics")

	// A wrong configuration changes nothing but a metric.
	s.set(func() { s.err = errors.New("winperf.yml:3:1: unknown key") })
	if status, text := s.ask("POST", "/-/reload"); status != 500 || !strings.Contains(text, "winperf.yml:3:1") {
		t.Errorf("status %d: %s", status, text)
	}
	text := s.until(func(text string) bool {
		return value(text, "winperf_config_last_reload_successful") == "0"
	})
	if value(text, free) == "" {
		t.Error(text)
	}
	if !strings.Contains(s.log.String(), "winperf.yml:3:1") {
		t.Errorf("the log says nothing of it: %s", s.log)
	}

	// A right one is used from then on.
	s.set(func() { s.err, s.config.Objects = nil, []string{"Processor"} })
	if status, text := s.ask("PUT", "/-/reload"); status != 200 {
		t.Errorf("status %d: %s", status, text)
	}
	_, text = s.ask("GET", "/metrics")
	if value(text, "winperf_config_last_reload_successful") != "1" || value(text, free) != "" ||
		!strings.Contains(text, cpu) || value(text, `winperf_scrapes_total{code="200"}`) == "" {
		t.Error(text) // counts go on
	}

	// A signal does the same.
	s.set(func() { s.config.Objects = []string{"Memory"} })
	s.reload <- struct{}{}
	s.until(func(text string) bool { return value(text, free) != "" })
}

// until scrapes until a text is as wanted: those of scrapes at the same time are shared.
func (s *runningServer) until(wanted func(text string) bool) string {
	s.t.Helper()
	return s.untilAt("/metrics", wanted)
}

func (s *runningServer) untilAt(path string, wanted func(text string) bool) string {
	s.t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for {
		_, text := s.ask("GET", path)
		if wanted(text) {
			return text
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the metrics stay\n%s", text)
		}
	}
}

// Scrapes that go on while the configuration is replaced again and again all get an answer.
func TestReloadUnderLoad(t *testing.T) {
	s := start(t, Config{Web: Web{Lifecycle: true}})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for ctx.Err() == nil {
				if status, text := s.ask("GET", "/metrics"); status != 200 || value(text, free) == "" {
					t.Errorf("status %d\n%s", status, text)
					return
				}
			}
		})
	}
	for range 20 {
		if status, text := s.ask("POST", "/-/reload"); status != 200 {
			t.Errorf("status %d: %s", status, text)
		}
	}
	cancel()
	wait.Wait()
}

// What is wrong at the beginning is an error of Run, and nothing stays open.
func TestCannotBegin(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	used, dir := taken.Addr().String(), t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}

	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"port in use":     {Config{Web: Web{Listen: []string{"127.0.0.1:0", used}}}, used},
		"bad address":     {Config{Web: Web{Listen: []string{"127.0.0.1"}}}, "expected host:port"},
		"no such host":    {Config{Web: Web{Listen: []string{"192.0.2.1:0"}}}, "192.0.2.1:0"},
		"no certificates": {Config{Web: Web{ConfigFile: filepath.Join(dir, "none")}}, "none"},
		"bad certificate": {Config{Web: Web{ConfigFile: write("bad.yml",
			"tls_server_config: {cert_file: bad.pem, key_file: bad.pem}")}}, "bad.pem"},
		"unknown key":  {Config{Web: Web{ConfigFile: write("key.yml", "tls_server: {}")}}, "tls_server"},
		"bad password": {Config{Web: Web{ConfigFile: write("pw.yml", "basic_auth_users: {a: plain}")}}, "pw.yml"},
		"no systemd":   {Config{Web: Web{SystemdSocket: true}}, "no socket"},
	} {
		t.Run(name, func(t *testing.T) {
			src := &fake{t: t}
			err := Run(t.Context(), Options{
				Load: func(context.Context) (Config, error) { return c.config, nil },
				Open: func(context.Context, string) (winperf.Source, error) { return src, nil },
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
