package provider

import (
	"context"
	"testing"
)

// TestGatherWhenOverdue: an answer that is there counts, even if the limit has
// been reached as well because this program did not run.
func TestGatherWhenOverdue(t *testing.T) {
	d, err := NewDispatcher(Options{}, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 { // of two channels that are ready select takes either
		d.entries[0].state, d.pending = asked, 1
		d.answers <- answer{}
		if got := d.gather(context.Background(), nil, 0); got != answered || d.pending != 0 {
			t.Fatalf("outcome %d, %d answers are missing", got, d.pending)
		}
	}
}

// nothing is a provider that declares nothing.
type nothing struct{ Provider }

func (nothing) Name() string       { return "nothing" }
func (nothing) Objects() []*Object { return nil }
