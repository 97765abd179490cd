package experiment

import (
	"context"
	"sync"
)

// until is the context of a sample that whoever emitted an event takes himself: it ends with the
// binding's, and with his. Most sources never wait for that, and it costs next to nothing then.
type until struct {
	context.Context // the binding's
	his             context.Context

	mu     sync.Mutex // guards what follows
	over   bool
	both   context.Context // nil: nobody waits
	cancel context.CancelFunc
	stop   func() bool
}

// Done implements [context.Context].
func (u *until) Done() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.both == nil {
		u.both, u.cancel = context.WithCancel(u.Context)
		if u.over {
			u.cancel()
		} else {
			u.stop = context.AfterFunc(u.his, u.cancel)
		}
	}
	return u.both.Done()
}

// Err implements [context.Context].
func (u *until) Err() error {
	if err := u.his.Err(); err != nil {
		return err
	}
	u.mu.Lock()
	both := u.both
	u.mu.Unlock()
	if both != nil {
		return both.Err()
	}
	return u.Context.Err()
}

// Value implements [context.Context]. Package context finds what ends others by it.
func (u *until) Value(key any) any {
	u.mu.Lock()
	both := u.both
	u.mu.Unlock()
	if both != nil {
		return both.Value(key)
	}
	return u.Context.Value(key)
}

// end gives up what was made for those who wait.
func (u *until) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	if u.stop != nil {
		u.stop()
		u.cancel()
	}
}
