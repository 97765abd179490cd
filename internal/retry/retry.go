// Package retry repeats failed calls with growing gaps, and parses the waits that servers request.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Policy is the wait before each retry.
type Policy struct {
	// First is the gap after the first failure. It doubles with each further failure, up to Most.
	// Gaps vary randomly by half, so that many programs do not retry at the same time.
	First, Most time.Duration
	// Shorten, when closed, ends the current gap and limits later gaps to First. nil has no effect.
	Shorten <-chan struct{}
}

// later is an error that makes Do retry.
type later struct {
	after time.Duration
	err   error
}

func (l *later) Error() string { return l.err.Error() }

// Later returns an error that makes Do retry, not earlier than after.
func Later(after time.Duration, err error) error { return &later{after, err} }

// Do calls try until it returns nil or an error not from Later, and returns that result. If ctx
// ends first, it returns the latest error passed to Later.
func (p Policy) Do(ctx context.Context, try func() error) error {
	for failures := 0; ; failures++ {
		err := try()
		var again *later
		if !errors.As(err, &again) {
			return err
		}
		if !p.pause(ctx, max(p.gap(failures), again.after)) {
			return again.err
		}
	}
}

// gap returns the gap after failures previous failures and the latest one.
func (p Policy) gap(failures int) time.Duration {
	d := Backoff(p.First, p.Most, failures)
	return d/2 + rand.N(d/2+1)
}

// Backoff returns the time first, doubled for each previous failure, but not more than most.
func Backoff(first, most time.Duration, failures int) time.Duration {
	if failures < 32 && first <= most>>failures {
		return first << failures
	}
	return most
}

// pause waits for d, and reports whether ctx is still active.
func (p Policy) pause(ctx context.Context, d time.Duration) bool {
	shorten := p.Shorten
	select {
	case <-shorten:
		shorten, d = nil, min(d, p.First)
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-shorten:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Sleep waits for d or until ctx ends. It reports whether ctx is still active.
func Sleep(ctx context.Context, d time.Duration) bool { return Policy{}.pause(ctx, d) }
