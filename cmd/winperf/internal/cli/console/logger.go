package console

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
)

// Logger returns a logger that prints each record from a level on as a message line.
func (a *App) Logger(level slog.Level) *slog.Logger {
	return slog.New(&lineHandler{app: a, level: level, mu: new(sync.Mutex)})
}

type lineHandler struct {
	app   *App
	level slog.Level
	mu    *sync.Mutex
	more  []slog.Attr
}

func (h *lineHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.level
}

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	var text strings.Builder
	var cause error
	text.WriteString(r.Message)
	add := func(attr slog.Attr) bool {
		if err, is := attr.Value.Any().(error); is {
			cause = err
		} else {
			text.WriteString(" " + attr.String())
		}
		return true
	}
	for _, attr := range h.more {
		add(attr)
	}
	r.Attrs(add)

	h.mu.Lock()
	defer h.mu.Unlock()
	h.app.Complain(errors.New(text.String()))
	if cause != nil {
		h.app.Complain(cause)
	}
	return nil
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.more = append(with.more[:len(with.more):len(with.more)], attrs...)
	return &with
}

func (h *lineHandler) WithGroup(string) slog.Handler { return h }
