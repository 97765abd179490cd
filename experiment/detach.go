package experiment

import (
	"context"
	"time"
)

// grace is how long what does not return may take when it is told to.
const grace = time.Second

// Detach ends the experiment: changes under way are given up, events that wait are measured, summaries
// are made, and Next returns what is left and then io.EOF. At the end of ctx it waits no longer, and
// records that there is no room for are dropped; what does not return within a second, such as a source
// that does not answer, is left behind. A change that does not return keeps the experiment attached, and
// Detach can be tried again; detaching what is detached does nothing. Regions that are open have no
// records; the last Change record says how many there are.
func (e *Experiment) Detach(ctx context.Context) error {
	e.end()
	late, cancel := later(ctx)
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

	hurry := context.AfterFunc(ctx, func() {
		e.store.giveUp()
		e.cancel()
	})
	defer hurry()
	e.wind(late)
	return ctx.Err()
}

// later is a context that ends some time after another one.
func later(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return late, func() {
		stop()
		cancel()
	}
}

// wind ends all parts of the experiment, one after the other. At the end of late they are left behind.
func (e *Experiment) wind(late context.Context) {
	// Nothing new comes from here on; what waits is served.
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
	e.tell("detached", attrs...)

	e.cancel()
	await(late, e.spills)
	e.unshare()
	e.store.close()
}

// await waits until something is done, or until ctx ends. It reports whether it is done.
func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
