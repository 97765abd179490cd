package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// TestView: the page and its interface are next to the metrics, and other sites cannot read them.
func TestView(t *testing.T) {
	s := startWith(t, Config{}, func(opt *Options) { opt.View = &View{} })
	noSource := 404
	if _, err := web.OnePage(); err != nil {
		noSource = 501 // the program cannot save pages
	}
	for _, c := range []struct {
		path   string
		status int
		has    string
	}{
		{"/metrics", 200, free},
		{"/", 200, "<html"},
		{"/-/healthy", 200, "healthy"},
		{"/api/v1/sources", 200, `"live":true`},
		{"/api/v1/nothing", 404, `"error"`},
		{"/api/v1/page?source=7", noSource, `"error"`},
		{"/nothing", 404, ""},
	} {
		status, text := s.ask("GET", c.path)
		if status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s: status %d, want %d\n%s", c.path, status, c.status, text)
		}
	}

	r, err := http.NewRequest("GET", s.url+"/api/v1/sources", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "attacker.example"
	answer, err := client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("status %d for another host", answer.StatusCode)
	}
}

// TestViewSecure: the certificate and the password of the metrics are also those of the page. There is no
// token, and with a password any name of the host will do.
func TestViewSecure(t *testing.T) {
	file, trust := secure(t, t.TempDir(), "secret", "")
	s := startWith(t, Config{Web: Web{ConfigFile: file}}, func(opt *Options) { opt.View = &View{} })
	secured := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trust}, DisableKeepAlives: true,
	}}
	for _, c := range []struct {
		path, password string
		status         int
		has            string
	}{
		{"/", "secret", 200, "<html"},
		{"/main.js", "secret", 200, "import"},
		{"/api/v1/sources", "secret", 200, `"live":true`},
		{"/metrics", "secret", 200, free},
		{"/", "wrong", 401, ""},
		{"/main.js", "", 401, ""},
		{"/api/v1/sources", "", 401, ""},
		{"/api/v1/values?path=x", "wrong", 401, ""},
	} {
		r, err := http.NewRequest("GET", s.url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "server.example"
		if c.password != "" {
			r.SetBasicAuth("monitor", c.password)
		}
		answer, err := secured.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != c.status || !strings.Contains(string(text), c.has) {
			t.Errorf("%s with the password %q: status %d, want %d\n%.200s", c.path, c.password, answer.StatusCode, c.status, text)
		}
		if len(answer.Cookies()) != 0 || c.status == 401 && strings.Contains(string(text), "live") {
			t.Errorf("%s: %v\n%.200s", c.path, answer.Cookies(), text)
		}
	}

	if answer, err := client().Get(s.url + "/"); err == nil {
		_ = answer.Body.Close()
		t.Error("a client trusts any certificate")
	}
}

// TestViewUnprotected: other addresses than loopback need TLS and passwords, or consent.
func TestViewUnprotected(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const tls, users = "tls_server_config:\n  cert_file: a\n  key_file: b\n", "basic_auth_users:\n  me: $2y$10$x\n"
	both, onlyTLS, onlyUsers := file("both", tls+users), file("tls", tls), file("users", users)
	for _, tt := range []struct {
		address, config string
		refused         bool
	}{
		{"127.0.0.1:0", "", false}, {"[::1]:80", "", false}, {"localhost:80", "", false},
		{":80", "", true}, {"0.0.0.0:80", "", true}, {"192.0.2.1:80", "", true}, {"example.org:80", "", true},
		{":80", onlyTLS, true}, {":80", onlyUsers, true}, {":80", both, false}, {"localhost.example.org:80", "", true},
	} {
		if err := CheckProtected(tt.address, tt.config); errors.Is(err, ErrUnprotected) != tt.refused {
			t.Errorf("%s with %s: %v", tt.address, tt.config, err)
		}
	}

	src := &runningServer{t: t}
	config := Config{Web: Web{Listen: []string{"0.0.0.0:0"}}}
	opt := Options{
		Load: func(context.Context) (Config, error) { return config, nil }, Open: src.open,
		View: &View{Options: view.Options{}},
	}
	if err := Run(t.Context(), opt); !errors.Is(err, ErrUnprotected) || !strings.Contains(err.Error(), "--unprotected") {
		t.Errorf("%v", err)
	}
}

// loopback listens on a free port of this machine.
func loopback(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestServeHandlerEnds: ServeHandler returns after the answers that it began, so that the caller can close
// their source.
func TestServeHandlerEnds(t *testing.T) {
	l := loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	var answered atomic.Bool
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		time.Sleep(100 * time.Millisecond) // in which a ServeHandler that does not wait returns
		answered.Store(true)
	})

	asked := make(chan struct{})
	go func() {
		defer close(asked)
		if answer, err := client().Get("http://" + l.Addr().String()); err == nil {
			_ = answer.Body.Close()
		}
	}()
	err := ServeHandler(ctx, l, slow, "", slog.New(slog.DiscardHandler))
	if err != nil || !answered.Load() {
		t.Errorf("answered: %v, %v", answered.Load(), err)
	}
	<-asked
}

// TestServeHandlerSlow: clients that are slow with the body of a request are disconnected if another one
// needs their place.
func TestServeHandlerSlow(t *testing.T) {
	l := loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- ServeHandler(ctx, l, says("hello"), "", slog.New(slog.DiscardHandler))
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	var first net.Conn
	for range defaultConnections {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
	}

	r, err := http.NewRequestWithContext(ctx, "POST", "http://"+l.Addr().String(), strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "hello" {
		t.Errorf("%q %v", text, err)
	}
	if err := first.SetReadDeadline(time.Now().Add(8 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the first slow client was not disconnected: %v", err)
	}
}
