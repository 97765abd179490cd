package push

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// strange is a network in memory, so that a test does not depend on speed. A function serves the first
// connection, and a server accepts the others.
type strange struct {
	serve  func(net.Conn)
	first  sync.Once
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once // of Close
}

func (l *strange) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	strange := false
	l.first.Do(func() {
		strange = true
		go func() {
			defer theirs.Close()
			l.serve(theirs)
		}()
	})
	if strange {
		return ours, nil
	}

	select {
	case l.dialed <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *strange) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *strange) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9090} }

func (l *strange) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// strangeTarget starts a target whose first connection a function serves. It returns the target's receiver
// and a Sender to it, whose requests last 30 s at most.
func strangeTarget(t *testing.T, scheme string, serve func(net.Conn)) (*receiver, *Sender) {
	t.Helper()
	r := &receiver{t: t, answer: takes}
	l := &strange{serve: serve, dialed: make(chan net.Conn), closed: make(chan struct{})}
	server := httptest.NewUnstartedServer(r)
	_ = server.Listener.Close() // which waits for connections from elsewhere
	server.Listener = l
	if scheme == "https" {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)

	s, err := NewSender(Target{URL: "remote-write+" + scheme + "://127.0.0.1:9090", TLS: TLS{Insecure: scheme == "https"}},
		SenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	transport := s.client.http.Transport.(*http.Transport)
	transport.DialContext = l.dial
	t.Cleanup(s.Close)
	return r, s
}

// says answers a request, as soon as there is one, by a text.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1<<16)) // the request, or a part of it
		_, _ = io.WriteString(c, text)
		_, _ = io.Copy(io.Discard, c) // until the client has enough
	}
}

// forever answers by a text, and then by another again and again.
func forever(first, then string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1<<16))
		_, err := io.WriteString(c, first)
		for err == nil {
			_, err = io.WriteString(c, then)
		}
	}
}

// bomb is a text of many bytes, by gzip.
func bomb() string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range 64 {
		_, _ = z.Write(make([]byte, 1<<20)) // a buffer takes all
	}
	_ = z.Close()
	return b.String()
}

// Whatever a target answers, or does not, at whatever moment: what was sent comes, and is sent again
// where the answer does not say that it has.
func TestStrangeTargets(t *testing.T) {
	const ok = "HTTP/1.1 204 No Content\r\n" + writtenHeader + ": 2\r\n"
	taken := strings.Replace(ok, "204 No Content", "200 OK", 1)
	const (
		page     = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
		switches = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
		chunked  = "Transfer-Encoding: chunked\r\n\r\n"
	)
	chunk := "1000\r\n" + strings.Repeat("x", 4096) + "\r\n"
	for name, c := range map[string]struct {
		serve func(net.Conn)
		taken bool // the first answer says so
	}{
		"closes":                    {func(net.Conn) {}, false},
		"says nothing":              {says(""), false},
		"half a status":             {says("HTTP/1.1 20"), false},
		"half a header":             {says(ok), false},
		"no HTTP":                   {says("220 mail.example ESMTP\r\n\r\n"), false},
		"zeros":                     {forever("", strings.Repeat("\x00", 4096)), false},
		"a header without end":      {forever(ok+"X: ", strings.Repeat("x", 4096)), false},
		"headers without end":       {forever(ok, "X: y\r\n"), false},
		"early hints without end":   {forever("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), false},
		"switches to another":       {says(switches), false},
		"a status of no meaning":    {says("HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"), false},
		"a page":                    {says(page), false},
		"no body where one is told": {says(taken + "Content-Length: 10\r\n\r\n"), true},
		"a body of any length":      {says(taken + "Content-Length: 4611686018427387904\r\n\r\nx"), true},
		"bad chunks":                {says(taken + chunked + "xyz\r\n"), true},
		"chunks without end":        {forever(taken+chunked, chunk), true},
		"a bomb":                    {says(taken + "Content-Encoding: gzip\r\n\r\n" + bomb()), true},
		"garbage after a redirect":  {says("HTTP/1.1 301 Gone\r\nLocation: http://[::1%zz\r\n\r\n"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := strangeTarget(t, "http", c.serve)
				if err := send(t.Context(), s, 1); err != nil {
					t.Fatal(err)
				}
				if got := s.Counts(); got.Sent != 2 || got.Refused != 0 || (got.Retries == 0) != c.taken {
					t.Errorf("%+v", got)
				}
				if got := len(r.has()); got != map[bool]int{false: 2, true: 0}[c.taken] {
					t.Errorf("the target has %d points by another request", got)
				}
			})
		})
	}
}

// A target of TLS that is none, or breaks off, is asked again.
func TestStrangeTLS(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"closes":       func(net.Conn) {},
		"says nothing": says(""),
		"no TLS":       says("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"an alert":     says("\x15\x03\x03\x00\x02\x02\x28"),
		"garbage":      forever("", "\x16\x03\x03\xff\xff garbage"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := strangeTarget(t, "https", serve)
				if err := send(t.Context(), s, 1); err != nil {
					t.Fatal(err)
				}
				if got := s.Counts(); got.Sent != 2 || got.Retries != 1 || len(r.has()) != 2 {
					t.Errorf("%+v, %d points", got, len(r.has()))
				}
			})
		})
	}
}

// Passwords, tokens and headers go to the target only, wherever it points to.
func TestRedirectKeepsSecrets(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var asked []string
		other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			asked = append(asked, fmt.Sprint(q.Method, q.Header))
		}))
		defer other.Close()
		r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, _ []point) int {
			if user, password, _ := q.BasicAuth(); user != "me" || password != "secret" || q.Header.Get("X-Key") != "k" {
				t.Errorf("the target got %v", q.Header)
			}
			w.Header().Set("Location", other.URL+"/api/v1/write")
			return status
		})
		target := Target{
			URL: strings.Replace(r.url("remote-write"), "//", "//me:secret@", 1), Headers: map[string]string{"X-Key": "k"},
			RetryTimeout: time.Nanosecond,
		}
		s, err := NewSender(target, SenderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = send(t.Context(), s, 1)
		if !errors.Is(err, ErrRetryTimeout) || len(asked) > 0 || strings.Contains(err.Error(), "secret") {
			t.Errorf("%d: %v, another host was asked %q", status, err, asked)
		}
		s.Close()
	}
}
