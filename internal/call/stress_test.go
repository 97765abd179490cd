package call_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/internal/call"
)

// caller is one line with what is known of its calls.
type caller struct {
	line    *call.Line
	until   time.Time    // when the last call is back
	want    call.Outcome // of the last call
	memory  int          // of the call that is out: how many there were
	touched int
}

// plan makes up a call in a round that begins now, and says what must become of it.
// Calls last odd numbers of milliseconds, limits and graces even ones.
func (c *caller) plan(random *rand.Rand, limit, grace time.Duration) func(context.Context) {
	lasts := time.Duration(2*random.IntN(100)+1) * time.Millisecond
	obeys := random.IntN(2) == 0
	if obeys && lasts > limit {
		lasts = limit + lasts/8 | 1 // so long after it was told to return
	}
	c.until = time.Now().Add(lasts)
	switch {
	case lasts < limit:
		c.want = call.Returned
	case lasts < limit+grace:
		c.want = call.Overdue
	default:
		c.want = call.Abandoned
	}
	return func(ctx context.Context) {
		c.memory++ // two at once are found by the race detector, or by the number
		if obeys && lasts > limit {
			<-ctx.Done()
			lasts -= limit
		}
		time.Sleep(lasts)
		c.memory++
	}
}

// TestRounds makes rounds of calls of any length on lines that others of them hold: each
// ends in time, every call has the outcome that follows from how long it lasts, and a
// line is busy just as long as its call is out.
func TestRounds(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) { checkRounds(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func checkRounds(t *testing.T, random *rand.Rand) {
	callers := make([]*caller, 6)
	for i := range callers {
		callers[i] = &caller{line: newLine(t)}
	}
	var r call.Round
	for range 50 {
		limit := time.Duration(2*random.IntN(60)+2) * time.Millisecond
		grace := time.Duration(2*random.IntN(20)) * time.Millisecond
		begin := time.Now()
		if err := r.Begin(t.Context(), limit); err != nil {
			t.Fatal(err)
		}
		var asked []*caller
		for i, c := range callers {
			if busy := time.Now().Before(c.until); c.line.Busy() != busy {
				t.Fatalf("line %d: busy %v, want %v", i, c.line.Busy(), busy)
			}
			if c.line.Busy() || random.IntN(4) == 0 {
				continue
			}
			if c.memory != 2*c.touched {
				t.Errorf("line %d: %d touches of %d calls", i, c.memory, c.touched)
			}
			c.touched++
			r.Start(c.line, c.plan(random, limit, grace))
			asked = append(asked, c)
		}
		r.Wait(nil, grace)
		if took := time.Since(begin); took > limit+grace {
			t.Errorf("a round of %v with a grace of %v took %v", limit, grace, took)
		}
		for i, c := range asked {
			if got := c.line.Outcome(); got != c.want {
				lasted := c.until.Sub(begin)
				t.Errorf("call %d of %v: outcome %d, want %d; limit %v, grace %v", i, lasted, got, c.want, limit, grace)
			}
		}
		time.Sleep(time.Duration(2*random.IntN(40)) * time.Millisecond)
		synctest.Wait() // what is back at this moment has said so
	}
	time.Sleep(time.Second) // until all are back
}
