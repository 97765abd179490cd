package cache

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// TestCostlyApart: costly objects that come from different samples of the cache, one of which holds the
// others as well, are measured once each.
func TestCostlyApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.fake.schema.Costly = []uint32{process, thread}
		r.fake.unasked = map[uint32][]uint32{thread: {process}}
		c := measure.New(r.cache, winperf.Selection{Objects: ids(system, process, thread)}, measure.Options{Interval: time.Second})
		other := r.user(process)
		for n := range 6 {
			if n%2 == 1 {
				other.sample()
				r.clock.advance(100 * ms)
			}
			cycle, err := c.Cycle(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range cycle.Readings() {
				text := fmt.Sprint(x.Path, " ", x.Value)
				if x.Status != counter.OK {
					text = fmt.Sprint(x.Path, " ", x.Status)
				}
				got = append(got, text)
			}
			if len(got) != 4 {
				t.Errorf("cycle %d, parts %d: %q", n, len(cycle.Sample.Parts), got)
			}
			synctest.Wait()
			r.clock.advance(time.Second)
			time.Sleep(time.Second)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
