package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/winperf/winperf/internal/safetext"
)

// Limits for requests.
const (
	maxHeader = 16 << 10
	maxBody   = 1 << 10

	maxStreams = 8 // concurrent requests of an HTTP/2 connection
)

type timeouts struct {
	header, read time.Duration // to read a request
	write        time.Duration // to write an answer
	idle         time.Duration // idle connection
	quiet        time.Duration // idle connection if there are too many
	shutdown     time.Duration // pending answers at the end
}

func defaultTimeouts() timeouts {
	return timeouts{
		header: 5 * time.Second, read: 10 * time.Second, write: 30 * time.Second,
		idle: 2 * time.Minute, quiet: time.Second, shutdown: 5 * time.Second,
	}
}

func (s *server) httpServer() *http.Server {
	is := newHTTPServer(s.handler(), s.opt.timeouts)
	is.ErrorLog = log.New(errorLog{s.log}, "", 0)
	return is
}

func newHTTPServer(h http.Handler, limits timeouts) *http.Server {
	return &http.Server{
		Handler:           h,
		MaxHeaderBytes:    maxHeader,
		ReadHeaderTimeout: limits.header,
		ReadTimeout:       limits.read,
		WriteTimeout:      limits.write,
		IdleTimeout:       limits.idle,
		ConnContext:       withConnection,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
	}
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+s.web.TelemetryPath, func(w http.ResponseWriter, r *http.Request) {
		live := s.use()
		defer live.users.Done()
		live.exporter.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /-/healthy", says("winperf is healthy.\n"))
	mux.HandleFunc("GET /health", says("winperf is healthy.\n")) // as windows_exporter
	mux.HandleFunc("GET /-/ready", says("winperf is ready.\n"))
	mux.HandleFunc("POST /-/reload", s.handleReload)
	mux.HandleFunc("PUT /-/reload", s.handleReload)
	if s.page == nil {
		mux.HandleFunc("GET /{$}", s.index)
	} else {
		mux.Handle("/", s.page)
	}
	if s.web.Pprof {
		s.handleProfiles(mux)
	}

	// Pages of other sites must not make a browser reload the configuration.
	return s.hostChecked(http.NewCrossOriginProtection().Handler(bounded(counted(mux))))
}

// bounded reads the body of a request, so that a slow one is not counted as a request in progress.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		var err error
		if r.ContentLength > maxBody { // refuse without reading
			err = &http.MaxBytesError{Limit: maxBody}
		} else {
			body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		}
		if err == nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
			return
		}

		w.Header().Set("Connection", "close") // the rest of the body is not read
		switch _, large := errors.AsType[*http.MaxBytesError](err); {
		case large:
			const form = "the body of the request is too large, expected at most %d bytes"
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf(form, maxBody))
		case errors.Is(err, os.ErrDeadlineExceeded):
			refuse(w, http.StatusRequestTimeout, errors.New("the body of the request was not received in time"))
		default:
			refuse(w, http.StatusBadRequest, fmt.Errorf("the body of the request cannot be read: %w", err))
		}
	})
}

func refuse(w http.ResponseWriter, status int, err error) {
	http.Error(w, safetext.Line(err.Error()), status)
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}

func (s *server) handleReload(w http.ResponseWriter, r *http.Request) {
	live := s.use()
	allowed := live.config.Web.Lifecycle
	live.users.Done()
	if !allowed {
		http.Error(w, "reloading by HTTP is not enabled (--web.enable-lifecycle)", http.StatusForbidden)
		return
	}

	// A closed connection does not cancel the reload; the end of the server does.
	if err := s.reload(s.base, s.log); err != nil {
		err = fmt.Errorf("reload failed, the current configuration stays in use: %w", err)
		refuse(w, http.StatusInternalServerError, err)
		return
	}

	live = s.use()
	late := s.restartKeys(&live.config)
	live.users.Done()
	if len(late) > 0 {
		says(lateNote(late)+"\n")(w, r)
	}
}
