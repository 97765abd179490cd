// Package retry tries again what failed for a while, with growing gaps, and reads how long the other
// side asks to wait.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Policy says how long to wait before each try.
type Policy struct {
	// First is the gap after the first failure. It doubles with each further one, up to Most. Gaps vary by half,
	// so that many programs do not try at the same time.
	First, Most time.Duration
	// Hurry ends the gap during which it is closed. Later gaps are at most First. nil never does.
	Hurry <-chan struct{}
}

// later is an error after which Do tries again.
type later struct {
	after time.Duration
	err   error
}

func (l *later) Error() string { return l.err.Error() }

// Later returns an error with which try makes Do try again, at the earliest after a time.
func Later(after time.Duration, err error) error { return &later{after, err} }

// Do calls try until it returns nil or an error that is not from Later, and returns that. If ctx ends before,
// it returns the last error that was given to Later.
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

// gap returns the gap after a number of failures before the last one.
func (p Policy) gap(failures int) time.Duration {
	d := Backoff(p.First, p.Most, failures)
	return d/2 + rand.N(d/2+1)
}

// Backoff returns first, doubled for each of a number of earlier failures, and at most most.
func Backoff(first, most time.Duration, failures int) time.Duration {
	if failures < 32 && first <= most>>failures {
		return first << failures
	}
	return most
}

// pause waits, and reports whether ctx has not ended.
func (p Policy) pause(ctx context.Context, d time.Duration) bool {
	hurry := p.Hurry
	select {
	case <-hurry:
		hurry, d = nil, min(d, p.First)
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Sleep waits, or until ctx ends. It reports whether ctx has not ended.
func Sleep(ctx context.Context, d time.Duration) bool { return Policy{}.pause(ctx, d) }
