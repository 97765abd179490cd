package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// limiter bounds the connections of a listener. If there are too many, one without a request is closed for a
// new one: first those that were never authenticated, and of these the one that has been quiet longest. New
// connections wait as long as all others have requests, or had one a short while ago.
type limiter struct {
	net.Listener
	quiet time.Duration // that a connection is kept without a request
	slots chan struct{} // holds one element for each connection
	done  chan struct{} // closed by Close
	once  sync.Once

	mu   sync.Mutex
	open map[*limited]bool
}

func newLimiter(l net.Listener, most int, quiet time.Duration) *limiter {
	return &limiter{
		Listener: l, quiet: quiet, slots: make(chan struct{}, most), done: make(chan struct{}),
		open: map[*limited]bool{},
	}
}

// Accept implements net.Listener.
func (l *limiter) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for {
		select {
		case l.slots <- struct{}{}:
			return l.add(c), nil
		default:
		}

		l.evict(time.Now())
		select {
		case l.slots <- struct{}{}:
			return l.add(c), nil
		case <-time.After(l.quiet / 4):
		case <-l.done:
			_ = c.Close()
			return nil, net.ErrClosed
		}
	}
}

func (l *limiter) add(c net.Conn) *limited {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := &limited{Conn: c, by: l, since: time.Now()}
	l.open[is] = true
	return is
}

// evict closes a connection that has been without a request for long enough, if there is one.
func (l *limiter) evict(now time.Time) {
	l.mu.Lock()
	var victim *limited
	for c := range l.open {
		if c.requests == 0 && now.Sub(c.since) >= l.quiet && (victim == nil || c.endsBefore(victim)) {
			victim = c
		}
	}
	l.mu.Unlock()
	if victim != nil {
		_ = victim.Close()
	}
}

// Close implements net.Listener.
func (l *limiter) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// limited is a connection of a limiter, whose lock guards it.
type limited struct {
	net.Conn
	by            *limiter
	requests      int       // that are being answered
	authenticated bool      // a request was let through to the handler
	since         time.Time // when it was accepted, or its last request was answered
	closed        bool
}

// endsBefore reports whether a connection is closed rather than another one.
func (c *limited) endsBefore(other *limited) bool {
	if c.authenticated != other.authenticated {
		return other.authenticated
	}
	return c.since.Before(other.since)
}

// change adds to the requests that are being answered.
func (c *limited) change(requests int) {
	c.by.mu.Lock()
	defer c.by.mu.Unlock()
	c.requests += requests
	c.authenticated, c.since = true, time.Now()
}

// Close implements net.Conn.
func (c *limited) Close() error {
	err := c.Conn.Close()
	c.by.mu.Lock()
	defer c.by.mu.Unlock()
	if !c.closed {
		c.closed = true
		delete(c.by.open, c)
		<-c.by.slots
	}
	return err
}

// connectionKey is the key of the *limited that a request came through, in its context.
type connectionKey struct{}

// withConnection adds the connection to the context of its requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

// counted notes which connections have requests. It comes behind authentication.
func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*limited); ok {
			c.change(1)
			defer c.change(-1)
		}
		next.ServeHTTP(w, r)
	})
}
