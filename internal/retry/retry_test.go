package retry_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/internal/retry"
)

var errDown = errors.New("down")

// Gaps double up to a bound, each between half and the whole of that, and are at least as long as was asked
// for.
func TestGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Time
		waits := map[int]time.Duration{2: time.Hour}
		p := retry.Policy{First: time.Second, Most: 5 * time.Second}
		err := p.Do(t.Context(), func() error {
			times = append(times, time.Now())
			if len(times) > 50 {
				return errDown
			}
			return retry.Later(waits[len(times)], errors.New("later"))
		})
		if !errors.Is(err, errDown) || len(times) != 51 {
			t.Fatalf("%d tries, error %v", len(times), err)
		}

		wants := []time.Duration{time.Second, time.Hour, 4 * time.Second}
		for i := range times[1:] {
			want := 5 * time.Second
			if i < len(wants) {
				want = wants[i]
			}
			got := times[i+1].Sub(times[i])
			if least := max(want/2, waits[i+1]); got < least || got > want {
				t.Errorf("gap %d is %v, want %v to %v", i, got, least, want)
			}
		}
	})
}

// The end of a context ends a gap, with the error that made it.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		p := retry.Policy{First: time.Hour, Most: time.Hour}
		err := p.Do(ctx, func() error { return retry.Later(0, errDown) })
		if !errors.Is(err, errDown) || time.Since(begin) != time.Minute {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
		if retry.Sleep(ctx, time.Hour) || time.Since(begin) != time.Minute {
			t.Errorf("a sleep after the end took until %v", time.Since(begin))
		}
	})
}

// Shorten ends the gap at hand, and those that follow are short.
func TestHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hurry := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(hurry) })
		begin, tries := time.Now(), 0
		p := retry.Policy{First: time.Second, Most: time.Hour, Shorten: hurry}
		err := p.Do(t.Context(), func() error {
			if tries++; time.Since(begin) > time.Minute+5*time.Second {
				return nil
			}
			return retry.Later(time.Hour, errDown)
		})
		if took := time.Since(begin); err != nil || tries != 8 || took != time.Minute+6*time.Second {
			t.Errorf("%d tries in %v, error %v", tries, took, err)
		}
	})
}

// A wait is seconds or a date of one of three forms, and never longer than an hour.
func TestAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 5, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-3": 0, "1.5": 0, "soon": 0, "99999": time.Hour, "31536000": time.Hour,
		"99999999999999999999": time.Hour, "-99999999999999999999": 0,
		"Mon, 23 Nov 2026 05:00:30 GMT":    30 * time.Second,
		"Mon, 23 Nov 2026 04:00:30 GMT":    0,
		"Mon, 23 Nov 2126 04:00:30 GMT":    time.Hour,
		"Monday, 23-Nov-26 05:00:30 GMT":   30 * time.Second, // RFC 850
		"Mon Nov 23 05:00:31 2026":         31 * time.Second, // asctime
		"Mon, 23 Nov 2026 05:00:30 +0100 ": 0,
	} {
		if got := retry.After(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A gap doubles up to a bound, whatever the number of failures.
func TestBackoff(t *testing.T) {
	for _, tt := range []struct {
		first, most time.Duration
		failures    int
		want        time.Duration
	}{
		{time.Second, 5 * time.Second, 0, time.Second},
		{time.Second, 5 * time.Second, 2, 4 * time.Second},
		{time.Second, 5 * time.Second, 3, 5 * time.Second},
		{time.Second, 8 * time.Second, 3, 8 * time.Second},
		{time.Second, 5 * time.Second, 1 << 30, 5 * time.Second},
		{time.Second, math.MaxInt64, 34, math.MaxInt64},
		{time.Minute, time.Second, 0, time.Second},
	} {
		if got := retry.Backoff(tt.first, tt.most, tt.failures); got != tt.want {
			t.Errorf("%v to %v after %d failures: %v, want %v", tt.first, tt.most, tt.failures, got, tt.want)
		}
	}
}
