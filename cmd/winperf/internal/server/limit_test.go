package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Of the connections without a request the one is closed that was never authenticated, and then the one that has been
// quiet longest.
func TestEvict(t *testing.T) {
	now := time.Now()
	l := newLimiter(nil, 10, time.Second)
	connections := map[*limited]string{}
	add := func(name string, authenticated bool, requests int, quiet time.Duration) {
		c, other := net.Pipe()
		t.Cleanup(func() { _ = other.Close() })
		l.slots <- struct{}{}
		is := l.add(c)
		is.authenticated, is.requests, is.since = authenticated, requests, now.Add(-quiet)
		connections[is] = name
	}
	add("authenticated, old", true, 0, time.Hour)
	add("new", false, 0, time.Second/2)
	add("young", false, 0, 2*time.Second)
	add("old", false, 0, time.Minute)
	add("has a request", false, 1, 2*time.Hour)
	add("authenticated, young", true, 0, time.Minute)

	for _, want := range []string{"old", "young", "authenticated, old", "authenticated, young", ""} {
		l.evict(now)
		got := ""
		for c, name := range connections {
			if c.closed {
				got = name
				delete(connections, c)
			}
		}
		if got != want || len(l.slots) != len(connections) {
			t.Errorf("%q was closed, want %q; %d places for %d", got, want, len(l.slots), len(connections))
		}
	}
}

// keep makes a request over a connection that it keeps open, and returns it.
func (s *runningServer) keep(request string) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	in := bufio.NewReader(c)
	if request == "" {
		return c, in
	}
	if _, err := io.WriteString(c, request); err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		s.t.Fatal(err)
	}
	return c, in
}

// Idle connections lock nobody out, whether they had a request or not.
func TestIdleConnections(t *testing.T) {
	for _, request := range []string{"", "GET /-/ready HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /metrics HTTP/1.1\r\nHo"} {
		s := startWith(t, Config{Web: Web{MaxConnections: 3}}, func(o *Options) {
			o.timeouts = timeouts{
				header: time.Hour, read: time.Hour, write: time.Hour, idle: time.Hour, quiet: time.Millisecond,
				shutdown: 10 * time.Millisecond,
			}
		})
		for range 10 {
			if strings.HasSuffix(request, "\r\n\r\n") {
				s.keep(request)
				continue
			}
			c, _ := s.keep("")
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			if status, text := s.ask("GET", "/metrics"); status != 200 || value(text, free) == "" {
				t.Errorf("%q: status %d\n%s", request, status, text)
			}
		}
	}
}

// A connection with a request is not closed for another one.
func TestBusyConnection(t *testing.T) {
	l := newLimiter(nil, 1, time.Second)
	side, other := net.Pipe()
	defer other.Close()
	l.slots <- struct{}{}
	c := l.add(side)
	if c.authenticated || c.requests != 0 {
		t.Error("it has a request from the start")
	}

	later := func() { l.evict(time.Now().Add(time.Hour)) }
	handler := counted(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if later(); c.closed {
			t.Error("it was closed during its request")
		}
	}))
	for range 2 {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(withConnection(r.Context(), c)))
	}
	if later(); !c.closed || !c.authenticated {
		t.Error("it stays after its requests")
	}
}

// Connections that are not authenticated end before others.
func TestUnauthenticatedConnections(t *testing.T) {
	file, trust := secure(t, t.TempDir(), "secret", "")
	s := startWith(t, Config{Web: Web{ConfigFile: file, MaxConnections: 2}}, func(o *Options) {
		o.timeouts = defaultTimeouts()
		o.timeouts.quiet = time.Nanosecond
	})
	ask := func(client *http.Client, password string) int {
		r, _ := http.NewRequest("GET", s.url+"/-/ready", nil)
		r.SetBasicAuth("monitor", password)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	dials := 0
	keeping := func() *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}

	known := keeping()
	if status := ask(known, "secret"); status != 200 {
		t.Fatalf("status %d", status)
	}
	for range 5 {
		if status := ask(keeping(), "wrong"); status != 401 {
			t.Errorf("status %d", status)
		}
	}
	if status := ask(known, "secret"); status != 200 || dials != 6 {
		t.Errorf("status %d, %d connections, want 6: the authenticated one stays", status, dials)
	}
}

// Over loopback a request must name this machine, unless there is a password.
func TestHost(t *testing.T) {
	s := start(t, Config{})
	file, _ := secure(t, t.TempDir(), "secret", "")
	text := readText(t, file)
	_, users, _ := strings.Cut(text, "basic_auth_users:")
	passwords := start(t, Config{Web: Web{ConfigFile: writeFile(t, "users.yml", "basic_auth_users:"+users)}})
	for host, want := range map[string][2]string{
		"localhost": {"200", "401"}, "LOCALHOST:9182": {"200", "401"}, "localhost.": {"200", "401"},
		"a.localhost": {"200", "401"}, "127.0.0.1:1": {"200", "401"}, "[::1]:1": {"200", "401"}, "[::1]": {"200", "401"},
		"192.0.2.1":    {"200", "401"},
		"evil.example": {"403", "401"}, "evil.example:9182": {"403", "401"}, "localhost.evil.example": {"403", "401"},
		"127.0.0.1.evil.example": {"403", "401"}, "": {"403", "401"},
	} {
		for _, path := range []string{"/metrics", "/", "/-/ready"} {
			request := "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
			if got := s.raw(request); !strings.Contains(got, " "+want[0]+" ") {
				t.Errorf("%q: %s", host, got)
			}
			if got := passwords.raw(request); !strings.Contains(got, " "+want[1]+" ") {
				t.Errorf("%q with a password: %s", host, got)
			}
		}
	}
	const authorized = "GET /-/ready HTTP/1.1\r\nHost: proxy.example\r\nAuthorization: Basic bW9uaXRvcjpzZWNyZXQ=\r\n\r\n"
	if got := passwords.raw(authorized); !strings.Contains(got, " 200 ") {
		t.Errorf("with the password: %s", got)
	}
	if !isHere("Counters.example:9182", []string{":1", "counters.example:9182"}) || isHere("x", []string{":1", "y:1"}) {
		t.Error("hosts of the addresses that the server listens on")
	}
}

// writeFile writes a file that ends with the test, and returns its name.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
