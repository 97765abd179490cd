package server

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// seldom returns a logger that logs each message at most once a second, so that clients cannot fill the
// log.
func seldom(log *slog.Logger) *slog.Logger {
	return slog.New(limitedHandler{log.Handler(), new(sync.Map)})
}

type limitedHandler struct {
	slog.Handler
	messages *sync.Map // *rate.Sometimes by message
}

func (h limitedHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	limit, _ := h.messages.LoadOrStore(r.Message, &rate.Sometimes{Interval: time.Second})
	limit.(*rate.Sometimes).Do(func() { err = h.Handler.Handle(ctx, r) })
	return err
}

func (h limitedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limitedHandler{h.Handler.WithAttrs(attrs), h.messages}
}

func (h limitedHandler) WithGroup(name string) slog.Handler {
	return limitedHandler{h.Handler.WithGroup(name), h.messages}
}

// errorLog logs errors of connections, such as failed TLS handshakes, under one message.
type errorLog struct{ log *slog.Logger }

func (l errorLog) Write(line []byte) (int, error) {
	l.log.Debug("a connection failed", "err", strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}
