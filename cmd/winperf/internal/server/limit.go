package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// limiter bounds the connections of a listener. At the limit a new connection replaces an idle one: first
// connections that were never authenticated, then the longest idle. New connections wait while all others
// are busy or were busy recently.
type limiter struct {
	net.Listener
	quiet time.Duration // time that an idle connection is kept
	slots chan struct{} // one element for each connection
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

// evict closes a connection that has been idle long enough, if any.
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

func (l *limiter) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// limited is a connection of a limiter. The limiter's lock protects it.
type limited struct {
	net.Conn
	by            *limiter
	requests      int       // number of requests in progress
	authenticated bool      // a request passed authentication
	since         time.Time // time when it was accepted or became idle
	closed        bool
}

func (c *limited) endsBefore(other *limited) bool {
	if c.authenticated != other.authenticated {
		return other.authenticated
	}
	return c.since.Before(other.since)
}

func (c *limited) change(requests int) {
	c.by.mu.Lock()
	defer c.by.mu.Unlock()
	c.requests += requests
	c.authenticated, c.since = true, time.Now()
}

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

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, c)
}

func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*limited); ok {
			c.change(1)
			defer c.change(-1)
		}
		next.ServeHTTP(w, r)
	})
}
