package provider

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestRoundAfterDeadline: a query whose deadline has passed ends, even if its
// context does not say so yet, and no provider is to blame.
func TestRoundAfterDeadline(t *testing.T) {
	told := func(p Problem) { t.Errorf("problem %v", p) }
	d, err := NewDispatcher(Options{OnProblem: told}, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	err = d.makeRound(lateContext{t.Context()}, d.entries,
		round{stage: stageCollect, limit: time.Hour, query: &Query{}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// lateContext has a deadline that has passed and no error yet.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now().Add(-time.Millisecond), true }

// nothing is a provider that declares nothing.
type nothing struct{ Provider }

func (nothing) Name() string       { return "nothing" }
func (nothing) Objects() []*Object { return nil }
