package v1

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// lane makes the calls into the keys, one after the other, on a goroutine of
// its own. A call that does not return in time is left behind with everything
// it uses; the lane is busy until it returns.
type lane struct {
	jobs    chan *job
	closing chan struct{}
	ended   chan struct{} // closed when the keys are closed
	once    sync.Once
	err     error // of closing the keys
}

// job is work for the lane. One that was left behind must not be used again.
type job struct {
	run  func(ctx context.Context, stop <-chan struct{}) error
	ctx  context.Context
	stop chan struct{} // closed when nobody waits for it any more
	done chan error
}

func newJob(run func(ctx context.Context, stop <-chan struct{}) error) *job {
	return &job{run: run, stop: make(chan struct{}), done: make(chan error, 1)}
}

// leftBehind is how a job ends that did not return in time.
type leftBehind struct{ error }

// Unwrap returns the reason.
func (e leftBehind) Unwrap() error { return e.error }

// closeGrace is how long Close waits for a call that is under way.
const closeGrace = time.Second

// newLane starts a lane; close ends it.
func newLane(closeKeys func() error) *lane {
	l := &lane{jobs: make(chan *job), closing: make(chan struct{}), ended: make(chan struct{})}
	go l.work(closeKeys)
	return l
}

func (l *lane) work(closeKeys func() error) {
	defer close(l.ended)
	for {
		select {
		case <-l.closing:
			l.err = closeKeys()
			return
		case j := <-l.jobs:
			j.done <- j.run(j.ctx, j.stop)
		}
	}
}

// do runs a job and waits until it is done, ctx ends or late fires. Only an
// error of type leftBehind says that the job is still running.
func (l *lane) do(ctx context.Context, j *job, late <-chan time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.ctx = ctx
	select {
	case l.jobs <- j:
	case <-l.closing:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("%w from an earlier call: %w", provider.ErrBusy, ctx.Err())
	case <-late:
		return fmt.Errorf("%w from an earlier call: %w", provider.ErrBusy, context.DeadlineExceeded)
	}
	reason := context.DeadlineExceeded
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		reason = ctx.Err()
	case <-l.closing:
		reason = winperf.ErrState
	case <-late:
	}
	select {
	case err := <-j.done: // after all
		return err
	default:
	}
	close(j.stop)
	return leftBehind{fmt.Errorf("no answer in time: %w", reason)}
}

var errClosed = fmt.Errorf("the source is closed: %w", winperf.ErrState)

// isLeftBehind tells whether the job still uses what it was given.
func isLeftBehind(err error) bool {
	if err == nil { // what follows allocates
		return false
	}
	var left leftBehind
	return errors.As(err, &left)
}

// close ends the lane. Where a call is under way that does not return the error
// wraps provider.ErrBusy, and the keys are closed when it does.
func (l *lane) close() error {
	l.once.Do(func() { close(l.closing) })
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-l.ended:
		return l.err
	case <-grace.C:
		return fmt.Errorf("close: %w", provider.ErrBusy)
	}
}
