package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/serve"
)

// A page of another site cannot have a browser reload the configuration.
func TestCrossOrigin(t *testing.T) {
	s := start(t, Config{Web: Web{Lifecycle: true}})
	r, _ := http.NewRequest("POST", s.url+"/-/reload", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// raw sends bytes and returns the first line of the answer.
func (s *runningServer) raw(request string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	go func() { _, _ = io.WriteString(c, request) }() // which the server need not read to its end
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}

// What is no proper request gets a clear status, and the server goes on.
func TestHostileRequests(t *testing.T) {
	s := start(t, Config{})
	const (
		get    = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
		reload = "POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
	)
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct{ request, want string }{
		"query of 1 MB":  {"GET /metrics?path=" + long + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "431"},
		"header of 1 MB": {get + "X: " + long + "\r\n\r\n", "431"},
		"many headers":   {get + strings.Repeat("X: y\r\n", 100_000) + "\r\n", "431"},
		"two lengths":    {reload + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400"},
		"smuggling": {reload + "Transfer-Encoding: chunked, identity\r\n" +
			"Content-Length: 5\r\n\r\nhello", "501"},
		"folded header":  {get + "X : y\r\n\r\n", "400"},
		"no host":        {"GET /metrics HTTP/1.1\r\n\r\n", "400"},
		"two hosts":      {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n", "400"},
		"garbage":        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
		"bad escape":     {"GET /metrics?path=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		"NUL in path":    {"GET /metrics%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"},
		"other version":  {"GET /metrics HTTP/9.9\r\nHost: localhost\r\n\r\n", "505"},
		"long body":      {reload + "Content-Length: 99999999\r\n\r\n", "413"},
		"absolute other": {"GET http://169.254.169.254/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "200"},
	} {
		if got := s.raw(c.request); !strings.Contains(got, " "+c.want+" ") && !strings.HasSuffix(got, " "+c.want) {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
	}
	if status, _ := s.ask("GET", "/metrics"); status != 200 {
		t.Errorf("afterwards: status %d", status)
	}
}

// A request whose body is longer than any needs to be is refused, whether it says how long that is or not, and
// does nothing; one whose body does not come is given up.
func TestBodies(t *testing.T) {
	config := Config{Web: Web{Lifecycle: true}}
	s := start(t, config)
	hasty := startWith(t, config, func(o *Options) {
		o.timeouts = defaultTimeouts()
		o.timeouts.read = 200 * time.Millisecond
	})
	const (
		get    = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
		reload = "POST /-/reload HTTP/1.1\r\nHost: localhost\r\n"
	)
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n", n) }
	chunked := func(n int) string {
		return "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\nx\r\n", n) + "0\r\n\r\n"
	}
	long := strings.Repeat("x", 1<<20)
	reloads := 0
	for _, c := range []struct{ name, request, want string }{
		{"a length and the body", reload + length(len(long)) + long, "413"},
		{"a length and a few bytes", reload + length(99999999) + "hello", "413"},
		{"one byte too many", reload + length(maxBody+1) + long[:maxBody+1], "413"},
		{"chunked", reload + chunked(maxBody+1), "413"},
		{"one large chunk", reload + "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + long + "\r\n0\r\n\r\n", "413"},
		{"a scrape", get + length(len(long)) + long, "413"},
		{"a chunked scrape", get + chunked(maxBody+1), "413"},
		{"half a body", reload + length(100) + "hello", "408"},
		{"half a chunk", reload + "Transfer-Encoding: chunked\r\n\r\n5\r\nx", "408"},
		{"no chunk", reload + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"},

		{"as long as may be", reload + length(maxBody) + long[:maxBody], "200"},
		{"as long in chunks", reload + chunked(maxBody), "200"},
		{"a scrape with a body", get + length(5) + "hello", "200"},
		{"none", reload + "\r\n", "200"},
	} {
		to := s
		if c.want == "408" {
			to = hasty
		}
		if got := to.raw(c.request); !strings.Contains(got, " "+c.want+" ") {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
		if c.want == "200" && strings.HasPrefix(c.request, reload) {
			reloads++
		}
	}
	const reloaded = `msg="the configuration was reloaded"`
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := len(s.opened) - 1; got != reloads || strings.Contains(hasty.log.String(), reloaded) {
		t.Errorf("%d reloads, want %d", got, reloads)
	}
}

// A client that does not send its request, or does not read its answer, loses its connection, and
// the others do not notice.
func TestSlowClients(t *testing.T) {
	s := startWith(t, Config{}, func(o *Options) {
		o.timeouts = timeouts{
			header: 2 * time.Second, read: 2 * time.Second, write: 2 * time.Second, idle: 2 * time.Second,
			shutdown: time.Second,
		}
	})
	dial := func(request string) net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Minute))
		return c
	}

	half := dial("GET /metrics HTTP/1.1\r\nHo")
	body := dial("POST /-/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
	idle := dial("GET /-/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if status, text := s.ask("GET", "/metrics"); status != 200 || value(text, free) == "" {
		t.Errorf("status %d\n%s", status, text)
	}
	for name, c := range map[string]net.Conn{"half a header": half, "half a body": body, "idle": idle} {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection stays", name)
		}
	}
}

// A client that does not read a long answer loses it, and others get theirs meanwhile.
func TestSlowReader(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		block := perftest.Series(perftest.Desktop, 1, 0, 1)[0].Bytes
		desktop := func(context.Context, string) (winperf.Source, error) { return &fake{t: t, block: block}, nil }
		slowReader(t, desktop, 5, func(p *timeouts) { p.write = 100 * time.Millisecond })
	})
	t.Run("compressed in memory", func(t *testing.T) {
		block, err := encode(longBlock())
		if err != nil {
			t.Fatal(err)
		}
		long := func(context.Context, string) (winperf.Source, error) { return &fake{t: t, block: block}, nil }
		slowReader(t, long, 5, func(p *timeouts) { p.write = 100 * time.Millisecond })
	})
}

// longBlock makes a text that memory holds compressed.
func longBlock() string {
	var b strings.Builder
	b.WriteString("block name=\"HOST\" time100ns=133500000000000000\nobject 238\n counter 148 PERF_COUNTER_COUNTER\n")
	name := strings.Repeat("x", 1000)
	const plain = 8 << 20 // longer answers are compressed in memory
	for i := range plain/len(name) + 1000 {
		fmt.Fprintf(&b, " instance \"%s%d\" : 7\n", name, i)
	}
	return b.String()
}

func slowReader(
	t *testing.T, open func(context.Context, string) (winperf.Source, error), seconds int, change func(*timeouts),
) {
	t.Helper()
	s := startWith(t, Config{Config: serve.Config{Timeout: time.Minute}}, func(o *Options) {
		o.Open = open
		o.timeouts = defaultTimeouts()
		change(&o.timeouts)
	})
	_, whole := s.ask("GET", "/metrics")

	// A machine with much other work may need more time for the answer.
	for ; !leavesAnswer(t, s.url, seconds); seconds *= 2 {
		t.Logf("no answer within %d seconds", seconds)
	}
	for range 3 {
		if status, text := s.ask("GET", "/metrics"); status != 200 || len(text) < len(whole)/2 {
			t.Errorf("another client: status %d, %d bytes", status, len(text))
		}
	}

	// The server gives up when it may. If it does not, this does not end.
	for !strings.Contains(s.log.String(), "was aborted") {
		time.Sleep(time.Millisecond)
	}
}

// leavesAnswer has a client read only the status of its answer, and reports whether there was one in time.
func leavesAnswer(t *testing.T, url string, seconds int) bool {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	const request = "GET /metrics HTTP/1.0\r\nHost: localhost\r\nX-Prometheus-Scrape-Timeout-Seconds: %d\r\n\r\n"
	if _, err := fmt.Fprintf(c, request, seconds); err != nil {
		t.Fatal(err)
	}
	status := make([]byte, len("HTTP/1.0 200"))
	_, err = io.ReadFull(c, status)
	return err == nil && string(status) == "HTTP/1.0 200"
}

// A thousand connections at once all get an answer, though only a few are served at a time.
func TestManyConnections(t *testing.T) {
	s := startWith(t, Config{Web: Web{MaxConnections: 20}}, func(o *Options) {
		o.timeouts = defaultTimeouts()
		o.timeouts.quiet = time.Hour // none is too slow to send its request
	})
	const clients = 1000
	statuses := make([]int, clients)
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() { statuses[i], _ = s.ask("GET", "/metrics") })
	}
	wait.Wait()
	for i, status := range statuses {
		if status != 200 {
			t.Errorf("client %d: status %d", i, status)
		}
	}
}

// Every server that ended has left nothing behind, whatever its clients do.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("server", func(t *testing.T) {
		var clients []net.Conn
		t.Cleanup(func() { // after the server has ended
			for _, c := range clients {
				_ = c.Close()
			}
		})
		s := startWith(t, Config{}, func(o *Options) {
			o.timeouts = defaultTimeouts()
			o.timeouts.shutdown = 200 * time.Millisecond
		})
		for range 10 {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, c)
			fmt.Fprint(c, "GET /metrics HTTP/1.1\r\nHost") // and no more
		}
		s.ask("GET", "/metrics")
		s.ask("GET", "/metrics?object=Memory")
	})
	deadline := time.Now().Add(5 * time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks)
		}
		runtime.Gosched()
	}
}
