package experiment

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf/measure"
)

// stage is the point of a sample that the emitter of an event waits for.
type stage uint8

const (
	atBegin stage = iota // the sample has begun
	atEnd                // the sample is complete
)

type ticket struct {
	event   EventInfo
	since   time.Time // time of the event by package time: later samples serve it
	emitted time.Time // the same, by the experiment's clock
	until   stage
	part    *part
	ends    bool
	here    bool // served by the emitting goroutine

	begun, ended time.Time
	blocked      time.Duration
	cost         measure.Cost
	err          error

	wake  chan struct{} // gets a value when the stage is reached
	users atomic.Int32  // references: the emitter and the server
	left  atomic.Int64  // time in ns after which the emitter stopped waiting; 0 if it did not
}

func (b *binding) newTicket(since time.Time, until stage) *ticket {
	t, _ := b.tickets.Get().(*ticket)
	if t == nil {
		t = &ticket{wake: make(chan struct{}, 1)}
	}
	t.since, t.until = since, until
	t.users.Store(2)
	return t
}

// free drops a reference. The last one makes the ticket reusable.
func (b *binding) free(t *ticket) {
	if t.users.Add(-1) == 0 {
		*t = ticket{wake: t.wake}
		b.tickets.Put(t)
	}
}

// reach wakes the emitter if s is the stage that it waits for.
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

func (t *ticket) heldUp() time.Duration {
	if left := time.Duration(t.left.Load()); left > 0 {
		return min(left, t.blocked)
	}
	return t.blocked
}

// submit hands an event to the binding. If the binding is the only one, the caller may serve the event
// itself. It returns nil if there is nothing to wait for.
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

func (b *binding) enqueue(ctx context.Context, t *ticket) bool {
	if b.pending.Add(1) < 0 {
		b.pending.Add(-1)
		return false
	}
	select {
	case b.queue <- t:
		b.accept(t)
		return true
	default:
	}

	// The queue is full: this may wait longer than a sample takes.
	select {
	case b.queue <- t:
		b.accept(t)
		return true
	case <-ctx.Done():
	case <-b.experiment.ctx.Done(): // its source does not answer
	}
	b.emitted.Add(1) // an event without a record
	b.lose()
	return false
}

// handOver queues an event that the emitter began to serve. It returns nil if the queue is full.
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

func (b *binding) lose() {
	b.experiment.store.lose(&b.quota)
	b.pending.Add(-1)
}

func (b *binding) accept(t *ticket) {
	b.emitted.Add(1)
	if t.part != nil {
		t.part.begun.Store(true)
	}
}

func (b *binding) await(ctx context.Context, t *ticket) {
	if t == nil {
		return
	}
	select {
	case <-t.wake:
		b.free(t)
	case <-ctx.Done(): // the serving goroutine keeps the ticket
		t.left.Store(int64(max(1, b.experiment.clock.Now().Sub(t.emitted))))
	case <-b.experiment.ctx.Done():
	}
}
