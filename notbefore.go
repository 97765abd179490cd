package winperf

import (
	"context"
	"time"
)

type notBeforeKey struct{}

// notBefore is a context with a bound.
type notBefore struct {
	context.Context
	t time.Time
}

// Value implements [context.Context]: the value of its key is the context.
func (c *notBefore) Value(key any) any {
	if key == (notBeforeKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// NotBefore returns a context for Query.Next that refuses samples which were begun by a time or
// earlier. It matters for sources that share samples; all others begin one when they are asked.
// The time is one of time.Now: what is compared is its monotonic reading.
func NotBefore(ctx context.Context, t time.Time) context.Context {
	return &notBefore{ctx, t}
}

// NotBeforeOf returns the time of NotBefore; zero where there is none.
func NotBeforeOf(ctx context.Context) time.Time {
	if c, ok := ctx.Value(notBeforeKey{}).(*notBefore); ok {
		return c.t
	}
	return time.Time{}
}
