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

// The system is not asked again as long as no suspension can have been.
func TestSystemClockAsksRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := &systemClock{start: time.Now(), asleep: func() time.Duration { asked++; return time.Hour }}
		for _, step := range []struct {
			pass time.Duration
			want int
		}{
			{time.Second, 1}, {0, 1}, {unbroken - 1, 1}, {1, 2}, {unbroken / 2, 2}, {time.Hour, 3},
		} {
			time.Sleep(step.pass)
			if got, want := c.Elapsed(), time.Since(c.start)+time.Hour; got != want {
				t.Errorf("after another %v %v have passed, want %v", step.pass, got, want)
			}
			if asked != step.want {
				t.Errorf("after another %v the system was asked %d times, want %d", step.pass, asked, step.want)
			}
		}
	})
}

// BenchmarkElapsed is what the time costs that goes on while the machine is suspended: read once, and
// time and again in less than a suspension takes. The reference is the time of package time.
func BenchmarkElapsed(b *testing.B) {
	start := time.Now()
	b.Run("time.Since", func(b *testing.B) {
		for b.Loop() {
			time.Since(start)
		}
	})
	b.Run("system", func(b *testing.B) {
		for b.Loop() {
			suspended()
		}
	})
	b.Run("often", func(b *testing.B) {
		for c := SystemClock(); b.Loop(); {
			c.Elapsed()
		}
	})
}
