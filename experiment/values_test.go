package experiment

import (
	"testing"

	"github.com/winperf/winperf/counter"
)

// An inverse timer grows by the rest of the region: its raw value is what there was not. All others grow by
// what their raw value does.
func TestDifference(t *testing.T) {
	const (
		idle     counter.Type = 0x21510500 // PERF_100NSEC_TIMER_INV
		multi    counter.Type = 0x23510500 // PERF_100NSEC_MULTI_TIMER_INV
		busy     counter.Type = 0x20510500 // PERF_100NSEC_TIMER
		gauge    counter.Type = 0x00010000 // PERF_COUNTER_RAWCOUNT
		number   counter.Type = 0x10410400 // PERF_COUNTER_COUNTER
		none                  = -1
		long                  = 1000
		rollover              = 1<<32 - 5
	)
	for name, c := range map[string]struct {
		kind         counter.Type
		older, newer uint64
		length       int64
		components   uint64
		status       counter.Status
		want         int
	}{
		"busy":                  {busy, 100, 700, long, 0, counter.OK, 600},
		"too short for a rate":  {busy, 100, 700, 0, 0, counter.TooClose, 600},
		"idle":                  {idle, 100, 700, long, 0, counter.OK, 400},
		"not idle at all":       {idle, 100, 100, long, 0, counter.OK, 1000},
		"a little behind":       {idle, 100, 1103, long, 0, counter.OK, 0},
		"idle, no time":         {idle, 100, 700, 0, 0, counter.OK, none},
		"idle, too short":       {idle, 100, 700, long, 0, counter.TooClose, none},
		"idle, it fell":         {idle, 700, 100, long, 0, counter.NegativeValue, none},
		"several idle":          {multi, 100, 700, long, 4, counter.OK, 3400},
		"does not accumulate":   {gauge, 100, 700, long, 0, counter.OK, none},
		"wrapped":               {number, rollover, 6, long, 0, counter.OK, 11},
		"fell, and no wrap":     {number, rollover, 6, long, 0, counter.NegativeValue, none},
		"the same, not counted": {number, 6, 6, long, 0, counter.OK, 0},
	} {
		sample := func(v uint64, at int64) *counter.Sample {
			return &counter.Sample{Value: v, Multi: c.components, Clocks: counter.Clocks{Time100ns: 5000 + at}}
		}
		got, ok := difference(c.kind, sample(c.older, 0), sample(c.newer, c.length), c.status)
		if want := c.want; ok != (want != none) || ok && got != uint64(want) {
			t.Errorf("%s: %d, %v, want %d", name, got, ok, want)
		}
	}
}
