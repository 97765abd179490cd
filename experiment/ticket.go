package experiment

import (
	"context"
	"sync/atomic"
	"time"
)

// stage is what whoever emits an event waits for.
type stage uint8

const (
	atBegin stage = iota // the sample is begun
	atEnd                // it is complete
)

// ticket is an event on its way through one binding.
type ticket struct {
	event   EventInfo
	asked   time.Time // when it was emitted, by the clock of package time: later samples serve it
	emitted time.Time // the same, by the experiment's clock
	until   stage
	part    *part // of a region, whose begin or end this is; nil for a point
	ends    bool
	here    bool // it is served by who emitted it

	begun, ended time.Time     // the sample, by the experiment's clock
	blocked      time.Duration // how long it held up who emitted it
	cost         Cost
	err          error

	wake  chan struct{} // gets a value when the stage is reached
	users atomic.Int32  // who emitted it, and who serves it
}

// newTicket returns a ticket, in the memory of one that was served.
func (b *binding) newTicket(asked time.Time, until stage) *ticket {
	t, _ := b.tickets.Get().(*ticket)
	if t == nil {
		t = &ticket{wake: make(chan struct{}, 1)}
	}
	t.asked, t.until = asked, until
	t.users.Store(2)
	return t
}

// free gives the ticket up: the second one to do so makes it serve again.
func (b *binding) free(t *ticket) {
	if t.users.Add(-1) == 0 {
		*t = ticket{wake: t.wake}
		b.tickets.Put(t)
	}
}

// reach tells who emitted the event that a stage is reached.
func (t *ticket) reach(s stage) {
	if s != t.until {
		return
	}
	at := t.begun
	if s == atEnd {
		at = t.ended
	}
	t.blocked = max(0, at.Sub(t.emitted))
	if !t.here {
		t.wake <- struct{}{}
	}
}

// submit hands an event to the binding. Who emits it to no other one may serve it himself. It
// returns nil where there is nothing to wait for.
func (b *binding) submit(ctx context.Context, t *ticket, info *EventInfo, alone bool) *ticket {
	t.event = *info
	if t.emitted.IsZero() {
		t.emitted = info.Time
	}
	switch {
	case alone && b.serveHere(t):
		b.free(t)
		return nil
	case b.enqueue(ctx, t):
		return t
	}
	return nil
}

// enqueue leaves an event to the goroutine of the binding. It reports whether that takes it.
func (b *binding) enqueue(ctx context.Context, t *ticket) bool {
	b.pending.Add(1)
	select {
	case b.queue <- t:
		b.accept(t)
		return true
	default:
	}

	// The queue is full: this waits for longer than a sample takes.
	select {
	case b.queue <- t:
		b.accept(t)
		return true
	case <-ctx.Done():
		b.emitted.Add(1) // it was given an event, of which there will be no record
		b.experiment.store.lose(&b.quota)
	case <-b.done:
	}
	b.pending.Add(-1)
	return false
}

// accept notes that an event will be served.
func (b *binding) accept(t *ticket) {
	b.emitted.Add(1)
	if t.part != nil {
		t.part.begun.Store(true)
	}
}

// await waits until the sample of an event has come to its stage.
func (b *binding) await(ctx context.Context, t *ticket) {
	if t == nil {
		return
	}
	select {
	case <-t.wake:
		b.free(t)
	case <-ctx.Done(): // the ticket stays with whoever serves it
	case <-b.done:
	}
}
