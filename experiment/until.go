package experiment

import (
	"context"
	"sync"
)

// until is the context of a sample that an emitter takes itself: it ends with the binding's context or
// the emitter's. It joins them only if Done is called, which most sources never do.
type until struct {
	context.Context
	caller context.Context

	mu     sync.Mutex
	over   bool
	both   context.Context
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
			u.stop = context.AfterFunc(u.caller, u.cancel)
		}
	}
	return u.both.Done()
}

// Err implements [context.Context].
func (u *until) Err() error {
	if err := u.caller.Err(); err != nil {
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

// Value implements [context.Context]. Package context uses it to find the cancelling parent.
func (u *until) Value(key any) any {
	u.mu.Lock()
	both := u.both
	u.mu.Unlock()
	if both != nil {
		return both.Value(key)
	}
	return u.Context.Value(key)
}

// end releases the joined context.
func (u *until) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	if u.stop != nil {
		u.stop()
		u.cancel()
	}
}
