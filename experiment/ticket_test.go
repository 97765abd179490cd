package experiment

import (
	"context"
	"fmt"
	"testing"
)

// An event that nobody waits for any longer is one that was emitted, and dropped.
func TestGivenUp(t *testing.T) {
	e := &Experiment{store: newStore(&Options{}, 1), ctx: t.Context()}
	b := &binding{experiment: e, queue: make(chan *ticket), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if b.enqueue(ctx, &ticket{}) {
		t.Error("it was taken, and nobody takes any")
	}
	if emitted := b.emitted.Load(); emitted != 1 || b.quota.dropped != 1 || e.store.droppedInAll != 1 {
		t.Errorf("%d emitted, %d dropped", emitted, b.quota.dropped)
	}
	if b.pending.Load() != 0 {
		t.Error("it is still waited for")
	}
}

// A state that is none has a number, and memory is half full before delivery is told, unless the options say more.
func TestStateWordsAndLimit(t *testing.T) {
	if got := fmt.Sprint(Ready, Detached, Detached+1); got != "ready detached state 4" {
		t.Errorf("states %s", got)
	}
	for capacity, want := range map[int]int{1: 1, 10: 5} {
		if s := newStore(&Options{}, capacity); s.limit != want {
			t.Errorf("room for %d: limit %d, want %d", capacity, s.limit, want)
		}
	}
}
