package call

import (
	"time"

	"github.com/winperf/winperf/internal/retry"
)

// The pauses after repeated failures.
const (
	firstPause   = 100 * time.Millisecond // doubles with every failure in a row
	manyFailures = 10                     // the last that doubles it, to 51.2 s
	longPause    = 10 * time.Minute       // after later failures, and the maximum
)

// Pauses are the pauses after failures: First, twice as long after each further failure in
// a row, and 10 minutes from the eleventh on. The zero Pauses begin with 100 ms.
type Pauses struct {
	First    time.Duration
	Failures int // in a row

	until time.Time
}

// Fail registers a failure and returns the length of the pause that begins.
func (p *Pauses) Fail(now time.Time) time.Duration {
	p.Failures++
	pause := p.length()
	p.until = now.Add(pause)
	return pause
}

func (p *Pauses) length() time.Duration {
	first := p.First
	if first == 0 {
		first = firstPause
	}
	if p.Failures > manyFailures {
		return longPause
	}
	return retry.Backoff(first, longPause, p.Failures-1)
}

// Over reports whether no pause is active.
func (p *Pauses) Over(now time.Time) bool { return !now.Before(p.until) }

// Cut ends the current pause. The number of failures is unchanged.
func (p *Pauses) Cut() { p.until = time.Time{} }

// Reset registers a success.
func (p *Pauses) Reset() { p.Failures, p.until = 0, time.Time{} }
