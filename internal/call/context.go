package call

import (
	"context"
	"sync"
	"time"
)

// callContext is the context of the calls on one line. As long as no call had to be
// told to return it serves for the next one, so that a call allocates nothing. The lock
// is for calls that look at it after they have returned.
type callContext struct {
	done chan struct{}

	mu       sync.Mutex
	parent   context.Context // of the round; nil: the call has returned
	deadline time.Time       // zero: none
	err      error
}

func newCallContext() *callContext { return &callContext{done: make(chan struct{})} }

// begin makes the context ready for a call.
func (c *callContext) begin(parent context.Context, deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parent, c.deadline = parent, deadline
}

// forget lets go of who asked, when the call has returned.
func (c *callContext) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parent, c.deadline = nil, time.Time{}
}

// end ends the context. It must be called only once.
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
