package experiment

import (
	"context"
	"time"
)

// grace is the time that sources and changes have to return after they were stopped.
const grace = time.Second

// Detach ends the experiment. It cancels a change in progress, measures queued events, and stores
// summaries; Next then returns the remaining records and io.EOF. Open regions get no records; the last
// Change record has their number.
//
// When ctx ends, Detach waits for one more second, for example for a source that does not answer, and drops
// records that memory has no space for. If a call of another method that changes the experiment, such as
// SetSensors, has not returned by then, the experiment stays attached and Detach can be tried again.
// Detaching again does nothing.
func (e *Experiment) Detach(ctx context.Context) error {
	e.end()
	late, cancel := graceContext(ctx)
	defer cancel()
	if e.lock(late) != nil {
		return ctx.Err()
	}
	defer func() { <-e.changing }()
	switch e.State() {
	case Detached:
		return nil
	case Ready:
		e.state.Store(uint32(Detached))
		e.store.close()
		return nil
	}

	stopWaiting := context.AfterFunc(ctx, func() {
		e.store.stopWaiting()
		e.cancel()
	})
	defer stopWaiting()
	e.shutDown(late)
	return ctx.Err()
}

// graceContext returns a context that ends a second after ctx.
func graceContext(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return late, func() {
		stop()
		cancel()
	}
}

func (e *Experiment) shutDown(late context.Context) {
	// No new events from here on; queued events are served.
	e.program.detach(e)
	e.state.Store(uint32(Detached))
	for _, s := range e.sources {
		s.stop(late)
	}
	for _, b := range e.bindings {
		close(b.stop)
	}
	for _, b := range e.bindings {
		await(late, b.done)
	}

	e.summarize()
	var attrs []Attr
	if n := e.operands.close(); n > 0 {
		attrs = []Attr{{"open regions", int64(n)}}
	}
	e.recordChange("detached", attrs...)

	e.cancel()
	await(late, e.spills)
	e.unshare()
	e.store.close()
}

func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
