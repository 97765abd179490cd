package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/view"
)

// answerer answers a request from its parameters.
type answerer func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error)

// answers returns the requests except values.
func answers() map[string]answerer {
	return map[string]answerer{
		"sources": func(ctx context.Context, v *view.View, _ view.Request, _ url.Values) (any, error) {
			return v.Sources(ctx)
		},
		"objects": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Objects(ctx, r)
		},
		"instances": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			return v.Instances(ctx, r, q.Get("object"))
		},

		"range": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			steps, err := stepsOf(q)
			if err != nil {
				return nil, err
			}
			return v.Range(ctx, r, steps)
		},

		"statistics": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Statistics(ctx, r)
		},
		"events": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Events(ctx, r)
		},
		"changed": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			return v.Changed(ctx, r, q.Get("with"))
		},
	}
}

func stepsOf(q url.Values) (s view.Steps, err error) {
	if text := q.Get("step"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds < math.MaxInt64/1e9) {
			return s, fmt.Errorf("%w: step=%.50q, expected seconds", view.ErrRequest, text)
		}
		s.Step = time.Duration(seconds * float64(time.Second))
		if s.Step > 0 && s.Step < time.Millisecond {
			s.Step = time.Millisecond
		}
	}
	for name, to := range map[string]*int{"points": &s.Points, "top": &s.Top} {
		if text := q.Get(name); text != "" {
			if *to, err = strconv.Atoi(text); err != nil || *to < 1 {
				return s, fmt.Errorf("%w: %s=%.50q, expected a number from 1", view.ErrRequest, name, text)
			}
		}
	}
	return s, nil
}

func requestOf(q url.Values) (r view.Request, err error) {
	r.Source, r.Paths = q.Get("source"), q["path"]
	for name, to := range map[string]*time.Time{"begin": &r.Begin, "end": &r.End} {
		if text := q.Get(name); text != "" {
			if *to, err = parseTime(text); err != nil {
				const form = "%w: %s=%.50q, expected RFC 3339 or milliseconds since 1970"
				return r, fmt.Errorf(form, view.ErrRequest, name, text)
			}
		}
	}
	return r, nil
}

// parseTime parses RFC 3339 or milliseconds, within the years that RFC 3339 can express.
func parseTime(text string) (time.Time, error) {
	const last = 253402300799999 // the end of the year 9999
	if n, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(n) <= last {
		return time.UnixMilli(int64(n)).UTC(), nil
	}
	return time.Parse(time.RFC3339Nano, text)
}

func (h *Handler) answer(of answerer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		request, err := requestOf(q)
		if err != nil {
			refuse(w, r, err)
			return
		}
		answer, err := of(r.Context(), h.view, request, q)
		if err != nil {
			refuse(w, r, err)
			return
		}
		send(w, r, answer)
	}
}

func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	fail(w, statusOf(err), err)
}

func statusOf(err error) int {
	for status, is := range map[int][]error{
		http.StatusBadRequest: {view.ErrRequest, winperf.ErrPath, winperf.ErrNoMachine, winperf.ErrNotSupported},
		http.StatusNotFound:   {view.ErrNoSource},
		http.StatusGone:       {view.ErrRemoved},
	} {
		for _, one := range is {
			if errors.Is(err, one) {
				return status
			}
		}
	}
	return http.StatusInternalServerError
}

// send answers with JSON.
func send(w http.ResponseWriter, r *http.Request, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept-Encoding")
	out := io.Writer(w)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		compressed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		defer func() { _ = compressed.Close() }()
		out = compressed
	}
	_ = json.NewEncoder(safetext.NewJSON(out)).Encode(answer)
}

// values answers once, or with an event for each sample.
func (h *Handler) values(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		h.answer(func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Values(ctx, r)
		})(w, r)
		return
	}

	request, err := requestOf(r.URL.Query())
	if err != nil {
		refuse(w, r, err)
		return
	}
	s := &stream{w: w, events: make(chan *view.Values)}
	ctx, cancel := context.WithCancel(r.Context())
	done, ended := make(chan error, 1), make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	go func() {
		defer close(ended)
		done <- h.view.Follow(ctx, request, func(v *view.Values) error {
			select {
			case s.events <- v:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	if err := s.run(ctx, done); err != nil && !s.begun {
		refuse(w, r, err)
	}
}

// stream writes events to a client.
type stream struct {
	w      http.ResponseWriter
	events chan *view.Values
	begun  bool
}

// pulse is the time between two comments, which show that the connection is alive.
const pulse = 15 * time.Second

func (s *stream) run(ctx context.Context, done <-chan error) error {
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-done:
			return err
		case <-ticker.C:
			err = s.write(": alive\n\n")
		case v := <-s.events:
			var text []byte
			if text, err = json.Marshal(v); err == nil {
				var safe strings.Builder
				_, _ = safetext.NewJSON(&safe).Write(text)
				err = s.write("event: values\ndata: " + safe.String() + "\n\n")
			}
		}

		if err != nil {
			return err
		}
	}
}

func (s *stream) write(text string) error {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-store")
	}
	extend(s.w)
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}
