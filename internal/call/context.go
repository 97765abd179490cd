package call

import (
	"context"
	"sync"
	"time"
)

// callContext is the context of the calls on one line. It is reused until a call had to be
// cancelled, so that calls do not allocate. The lock protects it from calls that use it after they
// have returned.
type callContext struct {
	done chan struct{}

	mu       sync.Mutex
	parent   context.Context // of the round; nil: the call has returned
	deadline time.Time       // zero: none
	err      error
}

func newCallContext() *callContext { return &callContext{done: make(chan struct{})} }

// begin prepares the context for a call.
func (c *callContext) begin(parent context.Context, deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parent, c.deadline = parent, deadline
}

// forget drops the caller's context after a call has returned.
func (c *callContext) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parent, c.deadline = nil, time.Time{}
}

// end cancels the context. It must be called only once.
func (c *callContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	close(c.done)
}

// Deadline implements [context.Context].
func (c *callContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline, !c.deadline.IsZero()
}

// Done implements [context.Context].
func (c *callContext) Done() <-chan struct{} { return c.done }

// Err implements [context.Context].
func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements [context.Context].
func (c *callContext) Value(key any) any {
	c.mu.Lock()
	parent := c.parent
	c.mu.Unlock()
	if parent == nil {
		return nil
	}
	return parent.Value(key)
}
