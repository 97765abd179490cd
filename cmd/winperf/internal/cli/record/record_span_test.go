package record

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
)

// handClock is a measure.Clock on which waiting takes no time: each wait plays the
// next step, which may be another one than was waited for.
type handClock struct {
	mu      sync.Mutex
	wall    time.Time
	elapsed time.Duration
	steps   []func(c *handClock, d time.Duration)
	waits   []time.Duration
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

func (c *handClock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

func (c *handClock) Timer(d time.Duration) (fired <-chan time.Time, stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := pass
	if n := len(c.waits); n < len(c.steps) {
		step = c.steps[n]
	}
	step(c, d)
	c.waits = append(c.waits, d)
	ready := make(chan time.Time, 1)
	ready <- c.wall
	return ready, func() bool { return false }
}

// pass lets time pass.
func pass(c *handClock, d time.Duration) { c.wall, c.elapsed = c.wall.Add(d), c.elapsed+d }

// suspend lets a machine sleep that long while it is waited for.
func suspend(by time.Duration) func(*handClock, time.Duration) {
	return func(c *handClock, d time.Duration) { pass(c, d+by) }
}

// set sets the time of day while it is waited for.
func set(by time.Duration) func(*handClock, time.Duration) {
	return func(c *handClock, d time.Duration) {
		pass(c, d)
		c.wall = c.wall.Add(by)
	}
}

// TestRecordSpan: --begin and --end are met on the clock that people see, whoever
// sets it and whether the machine was suspended; --for is a time that passes.
func TestRecordSpan(t *testing.T) {
	const day = "2026-01-02 "
	steps := func(s ...func(*handClock, time.Duration)) []func(*handClock, time.Duration) { return s }
	tests := []struct {
		name       string
		begin, end string
		during     time.Duration
		steps      []func(*handClock, time.Duration)
		wall       string // when it ends, or has begun where there is no end
		elapsed    time.Duration
	}{
		{"begins", "15:01:00", "", 0, nil, "15:01:00", time.Minute},
		{"begins, the clock set forward", "16:00:00", "", 0, steps(pass, set(2*time.Hour)), "17:00:04", 4 * time.Second},
		{"begins, the clock set back", "15:00:10", "", 0, steps(set(-10 * time.Second)), "15:00:10", 20 * time.Second},
		{"begins, suspended", "16:00:00", "", 0, steps(suspend(3 * time.Hour)), "18:00:02", 3*time.Hour + 2*time.Second},
		{"ends", "", "15:01:00", 0, nil, "15:01:00", time.Minute},
		{"ends, the clock set forward", "", "16:00:00", 0, steps(pass, set(2*time.Hour)), "17:00:04", 4 * time.Second},
		{"ends, the clock set back", "", "15:00:10", 0, steps(set(-10 * time.Second)), "15:00:10", 20 * time.Second},
		{"ends, suspended", "", "16:00:00", 0, steps(suspend(3 * time.Hour)), "18:00:02", 3*time.Hour + 2*time.Second},
		{"lasts", "", "", time.Minute, nil, "15:01:00", time.Minute},
		{"lasts, the clock set forward", "", "", time.Minute, steps(set(2 * time.Hour)), "17:01:00", time.Minute},
		{"lasts, the clock set back", "", "", time.Minute, steps(set(-time.Hour)), "14:01:00", time.Minute},
		{"lasts, suspended", "", "", time.Minute, steps(suspend(time.Hour)), "16:00:02", time.Hour + 2*time.Second},
		{"lasts beyond the end", "", "15:01:00", time.Hour, nil, "15:01:00", time.Minute},
		{"ends after it lasted", "", "16:00:00", time.Minute, nil, "15:01:00", time.Minute},
		{"begins and lasts", "15:01:00", "15:30:00", time.Minute, nil, "15:02:00", 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at := func(text string) string {
				if text == "" {
					return ""
				}
				return day + text
			}
			wall, err := time.ParseInLocation(time.DateTime, day+"15:00:00", time.Local)
			if err != nil {
				t.Fatal(err)
			}
			clock := &handClock{wall: wall, steps: tt.steps}
			r := &recorder{zone: output.ShownZone{Location: time.Local},
				app: &console.App{Stderr: io.Discard}, live: true, clock: clock,
				begin: at(tt.begin), end: at(tt.end), during: input.Interval(tt.during),
			}

			if err := r.schedule(t.Context()); err != nil {
				t.Fatal(err)
			}
			if ends := tt.end != "" || tt.during > 0; ends != r.ends() {
				t.Errorf("it has an end: %v", r.ends())
			}
			sampleUntilEnd(t, r, clock)

			if got := clock.Now().Format(time.DateTime); got != at(tt.wall) || clock.Elapsed() != tt.elapsed {
				t.Errorf("at %s after %v, want %s after %v", got, clock.Elapsed(), at(tt.wall), tt.elapsed)
			}
			for _, d := range clock.waits {
				if d > 5*time.Second {
					t.Errorf("waited for %v without a look at the clock", d)
				}
			}
		})
	}
}

// sampleUntilEnd takes samples as the recorder would, if it has an end.
func sampleUntilEnd(t *testing.T, r *recorder, clock measure.Clock) {
	t.Helper()
	due := schedule.New(2*time.Second, clock)
	due.Limit(time.Duration(r.during), r.until)
	for r.ends() {
		due.Begin()
		due.End()
		if _, _, err := due.Wait(t.Context()); errors.Is(err, schedule.ErrOver) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecordSpanInterrupted: Ctrl-C ends the wait for the beginning.
func TestRecordSpanInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clock := &handClock{wall: time.Now(), steps: []func(*handClock, time.Duration){
		pass, func(*handClock, time.Duration) { cancel() },
	}}
	r := &recorder{app: &console.App{Stderr: io.Discard}, live: true, zone: output.ShownZone{Location: time.Local}, clock: clock, begin: "2100-01-01"}
	if err := r.schedule(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("schedule: %v", err)
	}
}
