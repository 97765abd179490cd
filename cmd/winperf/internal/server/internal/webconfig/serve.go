package webconfig

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Serve answers requests on a listener as the file says, until srv is shut down. "" is no file: plain HTTP
// without passwords. http2, rate_limit and the use of TLS are as at the start.
func Serve(l net.Listener, srv *http.Server, name string, log *slog.Logger) error {
	if name == "" {
		return srv.Serve(l)
	}
	first, err := load(name)
	if err != nil {
		return err
	}
	c := &current{name: name, log: log, settings: first}
	g := &guard{next: srv.Handler, current: c}
	if span := time.Duration(first.Limit.Interval); span != 0 {
		g.limit = rate.NewLimiter(rate.Every(span), first.Limit.Burst)
	}
	srv.Handler = g
	if first.tls == nil {
		return srv.Serve(l)
	}

	if !first.HTTP.HTTP2 {
		srv.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
	}
	srv.TLSConfig = first.tls.Clone()
	srv.TLSConfig.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		config := c.get().tls.Clone()
		config.NextProtos = []string{"http/1.1"}
		if srv.TLSNextProto["h2"] != nil { // ServeTLS adds it if HTTP/2 is on
			config.NextProtos = []string{"h2", "http/1.1"}
		}
		return config, nil
	}
	return srv.ServeTLS(l, "", "")
}

// current follows the changes of a file.
type current struct {
	name string
	log  *slog.Logger

	mu       sync.Mutex
	settings *settings // the last valid ones
	problem  string    // logged
}

// get returns the settings that the files contain now, or the last valid ones.
func (c *current) get() *settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.settings.changed() {
		c.problem = ""
		return c.settings
	}

	next, err := load(c.name)
	if err == nil && (next.tls == nil) != (c.settings.tls == nil) {
		err = errors.New(c.name + ": tls_server_config was added or removed; restart to use it")
	}
	if err == nil {
		c.settings, c.problem = next, ""
		return next
	}
	if err.Error() != c.problem {
		c.problem = err.Error()
		c.log.Error("the web configuration is invalid, the previous one stays in use", "err", err)
	}
	return c.settings
}

// guard passes on the requests that the settings allow.
type guard struct {
	next    http.Handler
	current *current
	limit   *rate.Limiter // nil is no limit
}

// ServeHTTP answers a request.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := g.current.get()
	if g.limit != nil && !g.limit.Allow() {
		refuse(w, http.StatusTooManyRequests)
		return
	}

	for name, value := range s.HTTP.Headers {
		w.Header().Set(name, value.V)
	}
	if !s.users.allow(r) {
		w.Header().Set("WWW-Authenticate", "Basic")
		refuse(w, http.StatusUnauthorized)
		return
	}
	g.next.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }
