package call

import (
	"time"

	"github.com/winperf/winperf/internal/retry"
)

// How long something that fails again and again is left alone.
const (
	firstPause   = 100 * time.Millisecond // doubles with every failure in a row
	manyFailures = 10                     // the last that doubles it, to 51.2 s
	longPause    = 10 * time.Minute       // after every failure from then on, and never more
)

// Pauses are how long something that fails is left alone: for First, twice as long
// after every further failure in a row, and for 10 minutes from the eleventh on.
// The zero Pauses begin with 100 ms.
type Pauses struct {
	First    time.Duration
	Failures int // in a row

	until time.Time
}

// Fail notes a failure and returns how long the pause is that begins now.
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

// Over reports whether to ask again, after a pause or because there was no failure.
func (p *Pauses) Over(now time.Time) bool { return !now.Before(p.until) }

// Cut ends the pause that is under way. The next failure still counts as one more.
func (p *Pauses) Cut() { p.until = time.Time{} }

// Reset notes that there was no failure.
func (p *Pauses) Reset() { p.Failures, p.until = 0, time.Time{} }
