package server

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/safetext"
)

// The bounds of what a client may send.
const (
	maxHeader = 16 << 10
	maxBody   = 1 << 10

	maxStreams = 8 // requests at once of a connection over HTTP/2
)

// patience is how long the server waits for clients.
type patience struct {
	header, read time.Duration // for a request
	write        time.Duration // until an answer that is there was read
	idle         time.Duration // for the next request
	quiet        time.Duration // for the next request if there are too many connections
	shutdown     time.Duration // for answers under way when it is to end
}

func defaultPatience() patience {
	return patience{
		header: 5 * time.Second, read: 10 * time.Second, write: 30 * time.Second,
		idle: 2 * time.Minute, quiet: time.Second, shutdown: 5 * time.Second,
	}
}

func (s *server) httpServer() *http.Server {
	return &http.Server{
		Handler:           s.handler(),
		MaxHeaderBytes:    maxHeader,
		ReadHeaderTimeout: s.opt.patience.header,
		ReadTimeout:       s.opt.patience.read,
		WriteTimeout:      s.opt.patience.write,
		IdleTimeout:       s.opt.patience.idle,
		ConnContext:       withConnection,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ErrorLog:          log.New(errorLog{s.log}, "", 0),
	}
}

// handler is all that the server answers.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		live := s.use()
		defer live.users.Done()
		live.exporter.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /-/healthy", says("winperf is healthy.\n"))
	mux.HandleFunc("GET /-/ready", says("winperf is ready.\n"))
	mux.HandleFunc("POST /-/reload", s.reloadAsked)
	mux.HandleFunc("PUT /-/reload", s.reloadAsked)
	mux.HandleFunc("GET /{$}", s.index)

	// A page of another site must not make its reader's browser reload this.
	return s.hostChecked(http.NewCrossOriginProtection().Handler(bounded(counted(mux))))
}

// bounded reads the bodies of requests, of which nobody here wants to know anything, so that one that is
// longer than a client has reason to send does nothing.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		if r.ContentLength > maxBody { // which need not come to be known
			err = &http.MaxBytesError{Limit: maxBody}
		} else {
			_, err = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody))
		}
		if err == nil {
			next.ServeHTTP(w, r)
			return
		}

		w.Header().Set("Connection", "close") // what is left of it is not read
		switch _, large := errors.AsType[*http.MaxBytesError](err); {
		case large:
			const form = "the body of the request is too large, expected at most %d bytes"
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf(form, maxBody))
		case errors.Is(err, os.ErrDeadlineExceeded):
			refuse(w, http.StatusRequestTimeout, errors.New("the body of the request did not come in time"))
		default:
			refuse(w, http.StatusBadRequest, fmt.Errorf("the body of the request cannot be read: %w", err))
		}
	})
}

// refuse answers with an error in one line.
func refuse(w http.ResponseWriter, status int, err error) {
	http.Error(w, safetext.Line(err.Error()), status)
}

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}

func (s *server) reloadAsked(w http.ResponseWriter, r *http.Request) {
	live := s.use()
	allowed := live.config.Web.Lifecycle
	live.users.Done()
	if !allowed {
		http.Error(w, "reloading by HTTP is not enabled (--web.enable-lifecycle)", http.StatusForbidden)
		return
	}
	// A client that goes away does not break it off, only the end of the server does.
	if err := s.reload(s.base, s.log); err != nil {
		err = fmt.Errorf("not reloaded, the configuration in use stays: %w", err)
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	live = s.use()
	late := s.web.otherThan(&live.config.Web)
	live.users.Done()
	if len(late) > 0 {
		says(lateNote(late)+"\n")(w, r)
	}
}

//go:embed index.html
var indexText string

func (s *server) index(w http.ResponseWriter, _ *http.Request) {
	live := s.use()
	defer live.users.Done()
	page, err := template.New("index").Parse(indexText)
	var text strings.Builder
	if err == nil {
		err = page.Execute(&text, map[string]any{
			"Version": s.opt.Version, "Source": live.config.Source, "Objects": live.exporter.Objects(),
		})
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write([]byte(text.String()))
}
