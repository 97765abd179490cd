package cache

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

// NotBefore returns a context for the Next of a query that refuses samples begun at a time or
// earlier. Sources without a cache begin a sample when they are asked. The time is one of time.Now:
// its monotonic reading is compared.
func NotBefore(ctx context.Context, t time.Time) context.Context {
	return &notBefore{ctx, t}
}

// notBeforeOf returns the time of NotBefore; zero where there is none.
func notBeforeOf(ctx context.Context) time.Time {
	if c, ok := ctx.Value(notBeforeKey{}).(*notBefore); ok {
		return c.t
	}
	return time.Time{}
}
