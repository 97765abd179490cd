package provider

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// entry is what the dispatcher knows of a provider. It belongs to whoever has
// the turn.
type entry struct {
	id       int // its place in Dispatcher.entries
	name     string
	provider Provider
	objects  []*Object // copies, which the provider cannot change
	opened   bool
	calls    chan call // nil: there is no worker yet
	ctx      *callContext

	state   state
	stage   string // of the last call
	overdue bool   // the last call was told to return before it was answered
	answer  answer // to the last call, unless that was overdue
	buf     []byte // for the provider's objects, unless they go straight into the block

	retry   time.Time // when it may be asked again, after a failure
	told    bool      // it was reported that it does not return
	problem Problem   // the last one; changed under Dispatcher.mu
}

// state says what a provider is doing.
type state int

const (
	idle  state = iota
	asked       // its answer is waited for
	late        // it has not returned, but its answer is not waited for any more
)

// newEntry asks a provider for its name and its declarations. With an error the
// entry has what came before it.
func newEntry(id int, p Provider) (*entry, error) {
	e := &entry{id: id, provider: p, ctx: newCallContext()}
	if f := attempt(e.declare); f.err != nil {
		return e, fmt.Errorf("declarations of provider %q: %w: %w", e.name, f.err, ErrSchema)
	}
	return e, nil
}

func (e *entry) declare() error {
	e.name = e.provider.Name()
	for _, o := range e.provider.Objects() {
		c := *o
		c.Counters = slices.Clone(o.Counters)
		e.objects = append(e.objects, &c)
	}
	return nil
}

// start makes sure that there is a worker.
func (e *entry) start(answers chan<- answer, maxBytes int) {
	if e.calls == nil {
		e.calls = make(chan call, 1)
		w := &worker{id: e.id, provider: e.provider, writer: newWriter(e.objects, maxBytes)}
		go w.run(e.calls, answers)
	}
}

// ask makes a call. The provider must be idle. Without a buffer in the call, it
// gets the entry's.
func (e *entry) ask(ctx context.Context, deadline time.Time, c call) {
	e.ctx.begin(ctx, deadline)
	c.ctx = e.ctx
	if c.buf == nil {
		c.buf = e.buf[:0]
	}
	e.stage, e.state, e.overdue, e.answer = c.stage, asked, false, answer{}
	e.calls <- c
}

// end tells the provider to return.
func (e *entry) end(err error) {
	e.ctx.end(err)
	e.ctx = newCallContext()
	e.overdue = true
}

// leave stops waiting for the provider.
func (e *entry) leave() { e.state, e.told = late, false }
