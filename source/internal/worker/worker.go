// Package worker runs calls that cannot be stopped, one at a time, so that who
// asked for them can leave when his context ends.
package worker

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// Worker runs functions one after the other in a goroutine of its own. It may be
// used from several goroutines. Make one with New and end it with Close.
type Worker struct {
	jobs   chan func()
	free   chan struct{} // holds one while nothing runs and nobody waits
	done   chan struct{} // tells who waits that his function has returned
	state  atomic.Uint32 // of the function that runs, or ran last
	closed chan struct{}
}

// Whether the function returns first, or who waits for it leaves.
const (
	running = iota
	returned
	leftBehind
)

// New starts a worker.
func New() *Worker {
	w := &Worker{
		jobs: make(chan func()), free: make(chan struct{}, 1),
		done: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	w.free <- struct{}{}
	go w.work()
	return w
}

func (w *Worker) work() {
	for f := range w.jobs {
		f()
		if w.state.CompareAndSwap(running, returned) {
			w.done <- struct{}{}
		} else {
			w.free <- struct{}{}
		}
	}
}

// Do runs f and waits for it. When ctx ends before, f is left behind with
// whatever it holds, and the error wraps that of ctx. While an earlier function
// is still running the error wraps provider.ErrBusy as well. It allocates nothing
// unless it fails.
func (w *Worker) Do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		if len(w.free) == 0 {
			return busy(err)
		}
		return err
	}
	select {
	case <-w.closed:
		return fmt.Errorf("closed: %w", winperf.ErrState)
	default:
	}
	select {
	case <-w.free:
	case <-w.closed:
		return fmt.Errorf("closed: %w", winperf.ErrState)
	case <-ctx.Done():
		return busy(ctx.Err())
	}
	w.state.Store(running)
	w.jobs <- f
	select {
	case <-w.done:
	case <-ctx.Done():
		if w.state.CompareAndSwap(running, leftBehind) {
			return fmt.Errorf("no answer in time: %w", ctx.Err())
		}
		<-w.done // after all
	}
	w.free <- struct{}{}
	return nil
}

func busy(err error) error {
	return fmt.Errorf("%w with an earlier call: %w", provider.ErrBusy, err)
}

// Close runs last, behind whatever runs, and ends the worker. It waits for up to
// grace; then the error wraps provider.ErrBusy, and last runs later. A second
// Close does nothing.
func (w *Worker) Close(grace time.Duration, last func()) error {
	select {
	case <-w.closed:
		return nil
	default:
		close(w.closed)
	}
	ended := make(chan struct{})
	go func() {
		<-w.free
		last()
		close(w.jobs)
		close(ended)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("close: %w", provider.ErrBusy)
	}
}
