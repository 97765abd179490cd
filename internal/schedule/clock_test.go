package schedule

import (
	"testing"
	"testing/synctest"
	"time"
)

// The system's clock counts the time for which the machine was suspended, and
// never goes back whatever it is told of that.
func TestSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asleep := 5 * time.Hour
		c := &systemClock{start: time.Now(), asleep: func() time.Duration { return asleep }}
		begin := c.Elapsed()
		for _, step := range []struct{ pass, asleep, want time.Duration }{
			{time.Second, 5 * time.Hour, time.Second},
			{time.Second, 5*time.Hour - 100, 2 * time.Second}, // two clocks are not read at once
			{time.Second, 6 * time.Hour, time.Hour + 3*time.Second},
			{time.Second, 0, time.Hour + 4*time.Second},
		} {
			time.Sleep(step.pass)
			asleep = step.asleep
			if got := c.Elapsed() - begin; got != step.want {
				t.Errorf("suspended for %v: elapsed are %v, want %v", step.asleep, got, step.want)
			}
		}
	})

	if was, is := suspended(), suspended(); was < -time.Second || is < was-time.Second {
		t.Errorf("suspended for %v, then %v", was, is)
	}
}
