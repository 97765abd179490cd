package push

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/internal/queue"
)

// stepping is a clock whose time of day a test sets. Time passes as in its bubble.
type stepping struct {
	start time.Time
	ahead atomic.Int64 // of the bubble's
}

func (c *stepping) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())).Round(0) }

func (c *stepping) Elapsed() time.Duration { return time.Since(c.start) }

func (c *stepping) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// The time of day is set forth and back, by seconds and by years, while a target is away and while it is
// there: no sample is dropped as too old or missed, each has the time that it was taken at, and the
// queue knows for how long they have waited.
func TestClockIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 15 * time.Second
		clock := &stepping{start: time.Now()}
		taken := map[float64]int64{} // when each value was taken
		src := &counting{}
		src.now = func() time.Time {
			taken[float64(src.n)] = clock.Now().UnixMilli()
			return clock.Now()
		}
		target := &away{order: map[string]*order{}, keep: true}
		p, err := New(Options{
			Target: Target{URL: "remote-write+http://host"}, Source: src, Interval: interval, Dir: t.TempDir(),
			NewMapper: newPlain, Clock: clock, Queue: queue.Options{Sync: 1000 * time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.sender.client.http.Transport = target
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { p.Run(ctx); close(ended) }()
		time.Sleep(interval / 2)

		const year = 365 * 24 * time.Hour
		for i, step := range []time.Duration{3 * time.Second, -3 * time.Second, year, -2 * year, -time.Minute, 10 * year} {
			target.set(i%3 > 0)
			clock.ahead.Add(int64(step))
			time.Sleep(time.Duration(20+rand.IntN(20)) * interval)
			st := p.Stats()
			if waits := clock.Now().Sub(st.Queued.Oldest); i%3 > 0 && (waits < 19*interval || waits > 80*interval) {
				t.Errorf("after a step of %v the oldest sample has waited for %v", step, waits)
			}
		}
		target.set(false)
		time.Sleep(2 * time.Minute)
		cancel()
		<-ended
		if err := p.Close(); err != nil {
			t.Error(err)
		}

		st := p.Stats()
		if st.Queued.Dropped+st.Lost+st.MeasureErrors > 0 || time.Since(clock.start)/interval > time.Duration(src.n) {
			t.Errorf("%d samples in %v, %+v", src.n, time.Since(clock.start), st)
		}
		if last := check(t, target.points); uint64(last) != src.n {
			t.Errorf("values up to %v, want %d", last, src.n)
		}
		for _, got := range target.points {
			if got.ms != taken[got.value] {
				t.Errorf("%v has the time %d, was taken at %d", got.value, got.ms, taken[got.value])
			}
		}
	})
}
