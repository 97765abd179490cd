package measure_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Two samples that are closer than measure.LeastInterval give no rate, live and from a
// capture of a Linux host; a log of Windows is computed as Windows does it.
func TestTooClose(t *testing.T) {
	const linux, windows = winperf.ClocksTogether, 0
	for _, tt := range []struct {
		recorded bool
		quirks   winperf.Quirks
		apart    time.Duration
		opt      measure.Options
		want     counter.Status
	}{
		{false, linux, 127 * time.Microsecond, measure.Options{}, counter.TooClose},
		{false, windows, 127 * time.Microsecond, measure.Options{}, counter.TooClose},
		{false, linux, measure.LeastInterval - 1000, measure.Options{}, counter.TooClose},
		{false, linux, measure.LeastInterval, measure.Options{}, counter.OK},
		{true, linux, 127 * time.Microsecond, measure.Options{}, counter.TooClose},
		{true, windows, 127 * time.Microsecond, measure.Options{}, counter.OK},
		{false, linux, 127 * time.Microsecond, measure.Options{Cook: counter.Options{Least: -1}}, counter.OK},
		{true, windows, 127 * time.Microsecond, measure.Options{Cook: counter.Options{Least: time.Millisecond}}, counter.TooClose},
		{false, linux, 0, measure.Options{}, counter.InvalidData}, // the clock stands still
	} {
		m := newFakeMachine()
		m.quirks = tt.quirks
		tt.opt.Clock = m
		var src winperf.Source = m.source()
		if tt.recorded {
			src = recording{m.source(), 2}
		}
		c := measure.New(src, selection(t, busy, `\System\Processes`), tt.opt)
		defer c.Close()
		if _, err := c.Cycle(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.run(tt.apart)
		cycle, err := c.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := cycle.Readings()[0].Status; got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
		if got := cycle.Readings()[1].Status; got != counter.OK {
			t.Errorf("%+v: what needs one sample is %v", tt, got)
		}
	}
}

// The schedule never makes a pair that is too close, however late samples are and
// however long they last, down to an interval of measure.LeastInterval.
func TestScheduleNotTooClose(t *testing.T) {
	for _, interval := range []time.Duration{measure.LeastInterval, 15 * ms, 2 * measure.LeastInterval, 50 * ms} {
		m := newFakeMachine()
		r := rand.New(rand.NewPCG(1, 2))
		upTo := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))).Truncate(100) }
		m.onSleep = func(_ int, d time.Duration) { m.run(d + upTo(3*ms)) }
		m.onTake = func(int) { m.run(upTo(interval)) }
		m.watch(t, measure.Options{Interval: interval, Count: 500}, func(n int, c *measure.Cycle) {
			if got := c.Readings()[0].Status; got != counter.OK {
				t.Fatalf("interval %v, cycle %d: %v", interval, n, got)
			}
			m.run(upTo(interval))
		})
	}
}

// A shorter interval is raised, so that rates have values.
func TestScheduleShort(t *testing.T) {
	m := newFakeMachine()
	begin := m.Elapsed()
	var text string
	m.watch(t, measure.Options{Interval: ms, Count: 3}, func(_ int, c *measure.Cycle) {
		text += fmt.Sprintf("%v %v %d;", m.Elapsed()-begin, c.Readings()[0].Status, c.Missed)
	})
	if want := "10ms ok 0;20ms ok 0;30ms ok 0;"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
