package call

import (
	"time"

	"github.com/winperf/winperf/internal/retry"
)

// The gaps after repeated failures.
const (
	firstPause   = 100 * time.Millisecond // doubles with every failure in a row
	manyFailures = 10                     // the last failure that doubles it, to 51.2 s
	longPause    = 10 * time.Minute       // the longest gap, after all further failures
)

// Pauses computes the gaps after failures: First, doubled after every further failure in a row, and
// 10 minutes from the eleventh on. The zero Pauses begin with 100 ms.
type Pauses struct {
	First    time.Duration
	Failures int // in a row

	until time.Time
}

// Fail records a failure and returns the length of the pause that begins now.
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

// Over reports whether the pause has ended or no failure was recorded.
func (p *Pauses) Over(now time.Time) bool { return !now.Before(p.until) }

// Cut ends the current pause. The number of failures is unchanged.
func (p *Pauses) Cut() { p.until = time.Time{} }

// Reset records a success.
func (p *Pauses) Reset() { p.Failures, p.until = 0, time.Time{} }
