package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/server/internal/webconfig"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web"
)

// View shows the source in a browser, next to the metrics.
type View struct {
	view.Options
	// Unprotected allows addresses other than loopback without TLS and passwords.
	Unprotected bool
}

// ErrUnprotected means that a page would be readable by everyone who reaches an address.
var ErrUnprotected = errors.New("other machines could read the counters, such as the names of processes," +
	" without TLS and a password: name a file with both by --web.config.file," +
	" or accept this risk with --unprotected")

// CheckProtected returns an error that wraps ErrUnprotected for an address that other machines can reach,
// unless the file configures TLS and passwords.
func CheckProtected(address, webConfig string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && ip.IsLoopback() ||
		hasKey(webConfig, "tls_server_config") && hasKey(webConfig, "basic_auth_users") {
		return nil
	}
	return fmt.Errorf("%s: %w", address, ErrUnprotected)
}

// ServeHandler serves a handler on a listener until ctx ends, with the limits of the metrics for connections
// and requests. The contexts of pending requests then end, too, and it waits for their answers for at most a
// second. webConfig is the file with certificates and passwords, or "". The handler may extend the deadlines
// of its answers.
func ServeHandler(
	ctx context.Context, l net.Listener, h http.Handler, webConfig string, log *slog.Logger,
) error {
	limits := defaultTimeouts()
	l = newLimiter(l, defaultConnections, limits.quiet)
	defer func() { _ = l.Close() }() // still open if the file has an error
	s := newHTTPServer(bounded(counted(h)), limits)
	s.BaseContext = func(net.Listener) context.Context { return ctx } // ends streams

	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		shutdown([]*http.Server{s}, time.Second)
	})
	err := webconfig.Serve(l, s, webConfig, log)
	if !stop() {
		<-closed // Serve returns before the pending answers end
	}

	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// CheckFile returns all errors of a file with certificates and passwords. "" is no file.
func CheckFile(webConfig string) error { return webconfig.Check(webConfig) }

// HasTLS reports whether a file configures TLS.
func HasTLS(webConfig string) bool { return hasKey(webConfig, "tls_server_config") }

// startView prepares the page of the source in the configuration. A reload does not change the page, whose
// history would be lost.
func (s *server) startView(ctx context.Context) error {
	how := s.opt.View
	if how == nil {
		return nil
	}
	config := &s.live.config
	if !how.Unprotected && !config.Web.SystemdSocket {
		for _, address := range config.Web.Listen {
			if err := CheckProtected(address, config.Web.ConfigFile); err != nil {
				return fmt.Errorf("--view: %w", err)
			}
		}
	}

	src, err := s.opt.Open(ctx, config.Source)
	if err != nil {
		return err
	}
	opt := how.Options
	opt.Language = config.Language
	s.shown = [2]string{config.Source, config.Language}
	if s.view, err = view.New(ctx, []view.Source{{Name: config.Source, Source: src}}, opt); err != nil {
		return err
	}
	secured := hasKey(config.Web.ConfigFile, "basic_auth_users") || HasTLS(config.Web.ConfigFile)
	s.page = web.New(s.view, web.Options{AllowHost: func(host string) bool {
		return secured || isHere(host, config.Web.Listen)
	}})
	return nil
}

// stopView closes the view, if there is one, and its source.
func (s *server) stopView() error {
	if s.view == nil {
		return nil
	}
	return s.view.Close()
}
