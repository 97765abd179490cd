package queue

import (
	"errors"
	"testing"
)

// TestMemoryQueue: a queue in memory holds what no reader has acknowledged, and drops the oldest item only if one has
// acknowledged all.
func TestMemoryQueue(t *testing.T) {
	b := &box{NewMemory(Options{Readers: []string{"a"}, MaxItems: 3})}
	a := b.Reader("a")
	appendAll(t, b, texts(1, 3))
	if _, err := b.Append(texts(4, 4)...); !errors.Is(err, ErrFull) {
		t.Errorf("append to a full queue: %v", err)
	}
	expect(t, a, 0, 1, 2, 3)
	must(t, a.Done(1))
	appendAll(t, b, texts(4, 4))

	// One more reader begins with the next item.
	late := reader{b.AddReader("late")}
	expect(t, late, 0)
	must(t, a.Done(4))
	appendAll(t, b, texts(5, 7))
	expect(t, late, 0, 5, 6, 7)

	// A reader that has all of them keeps no other from losing the oldest one.
	must(t, a.Done(7))
	appendAll(t, b, texts(8, 8))
	if got := b.State(); got.Items != 3 || got.Dropped != 1 || got.Last != 8 {
		t.Errorf("%+v", got)
	}
	b.RemoveReader("late")
	must(t, a.Done(8))
	if got := b.State(); got.Items != 0 {
		t.Errorf("what all have acknowledged is there: %+v", got)
	}
	must(t, b.Close())
}
