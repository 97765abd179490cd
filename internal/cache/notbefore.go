package cache

import (
	"context"
	"time"
)

type notBeforeKey struct{}

// notBefore is a context with a time limit for samples.
type notBefore struct {
	context.Context
	t time.Time
}

// Value implements [context.Context].
func (c *notBefore) Value(key any) any {
	if key == (notBeforeKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// NotBefore returns a context for the Next of a query that refuses samples begun at a time
// or earlier. Sources without a cache always begin a new sample. The time must be from
// time.Now: its monotonic reading is compared.
func NotBefore(ctx context.Context, t time.Time) context.Context {
	return &notBefore{ctx, t}
}

// notBeforeOf returns the time of NotBefore, or zero.
func notBeforeOf(ctx context.Context) time.Time {
	if c, ok := ctx.Value(notBeforeKey{}).(*notBefore); ok {
		return c.t
	}
	return time.Time{}
}
