package experiment

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf/measure"
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
	cost         measure.Cost
	err          error

	wake  chan struct{} // gets a value when the stage is reached
	users atomic.Int32  // who emitted it, and who serves it
	left  atomic.Int64  // for how long who emitted it waited, in ns, where he waits no longer; else 0
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

// heldUp is for how long the event held up who emitted it.
func (t *ticket) heldUp() time.Duration {
	if left := time.Duration(t.left.Load()); left > 0 {
		return min(left, t.blocked)
	}
	return t.blocked
}

// submit hands an event to the binding. Who emits it to no other one may serve it himself. It
// returns nil where there is nothing to wait for.
func (b *binding) submit(ctx context.Context, t *ticket, info *EventInfo, alone bool) *ticket {
	t.event = *info
	if t.emitted.IsZero() {
		t.emitted = info.Time
	}
	switch {
	case alone && b.mayServeHere(t):
		if b.serveHere(ctx, t) {
			b.free(t)
			return nil
		}
		return b.handOver(t)
	case b.enqueue(ctx, t):
		return t
	}
	return nil
}

// enqueue leaves an event to the goroutine of the binding. It reports whether that takes it.
func (b *binding) enqueue(ctx context.Context, t *ticket) bool {
	if b.pending.Add(1) < 0 { // it is over
		b.pending.Add(-1)
		return false
	}
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
	case <-b.experiment.ctx.Done(): // its source does not answer
	}
	b.emitted.Add(1) // it was given an event, of which there will be no record
	b.lose()
	return false
}

// handOver leaves an event to the goroutine of the binding that who emitted it began to serve. It
// returns nil where there are so many others that it has no place.
func (b *binding) handOver(t *ticket) *ticket {
	select {
	case b.queue <- t:
		return t
	default:
	}
	if t.part != nil {
		t.part.begun.Store(false)
	}
	b.lose()
	return nil
}

// lose counts an event that waits no longer and gives no record.
func (b *binding) lose() {
	b.experiment.store.lose(&b.quota)
	b.pending.Add(-1)
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
		t.left.Store(int64(max(1, b.experiment.clock.Now().Sub(t.emitted))))
	case <-b.experiment.ctx.Done():
	}
}
