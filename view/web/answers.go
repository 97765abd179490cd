package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web/internal/api"
)

func (h *Handler) answer(name string) http.HandlerFunc {
	return h.limited(func(w http.ResponseWriter, r *http.Request) {
		answer, err := api.Answer(r.Context(), h.view, name, r.URL.Query())
		if err != nil {
			refuse(w, r, err)
			return
		}
		send(w, r, answer)
	})
}

// limited waits while too many answers are in memory.
func (h *Handler) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case h.busy <- struct{}{}:
			defer func() { <-h.busy }()
			next(w, r)
		case <-r.Context().Done(): // the client is gone
		}
	}
}

func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	status := api.Status(err)
	if errors.Is(err, ErrNoPage) {
		status = http.StatusNotImplemented
	}
	fail(w, status, err)
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
	_ = encode(safetext.NewJSON(out), answer) // the client is gone
}

// encode writes an answer as JSON. It writes a range in parts: its text is much larger than its values.
func encode(w io.Writer, answer any) error {
	r, is := answer.(*view.Range)
	if !is {
		return json.NewEncoder(w).Encode(answer)
	}

	head := *r
	head.Series = []view.SeriesValues{}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	const end = "]}"
	text = bytes.TrimSuffix(text, []byte(end))
	for i := range r.Series {
		if i > 0 {
			text = append(text, ',')
		}
		series, err := json.Marshal(&r.Series[i])
		if err != nil {
			return err
		}
		if _, err := w.Write(append(text, series...)); err != nil {
			return err
		}
		text, r.Series[i] = text[:0], view.SeriesValues{}
	}
	_, err = w.Write(append(text, end+"\n"...))
	return err
}

// cancel ends the reading of a log.
func (h *Handler) cancel(w http.ResponseWriter, r *http.Request) {
	if err := h.view.Cancel(r.URL.Query().Get("source")); err != nil {
		refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// values answers once, or with an event for each sample.
func (h *Handler) values(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		h.answer("values")(w, r)
		return
	}

	request, err := api.Request(r.URL.Query())
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
