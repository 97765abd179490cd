package frame_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
)

// A process that began after the older sample counts from zero. The samples are 10 s apart.
func TestBegan(t *testing.T) {
	const (
		second  = 10_000_000
		older   = 133_485_408_000_000_000
		newer   = older + 10*second
		objects = "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n" +
			" counter 28 PERF_COUNTER_BULK_COUNT\n counter 30 PERF_100NSEC_TIMER_INV\n"
	)
	sample := func(ticks, time int64, instances string) string {
		return fmt.Sprintf("block perftime=%d perffreq=1000 time100ns=%d\n%s%s", ticks, time, objects, instances)
	}
	instance := func(name string, pid, start, work int64) string {
		return fmt.Sprintf(" instance %q : %d %d %d 0\n", name, pid, start, work)
	}
	old := instance("a", 8, older-second, 100)
	first := sample(1000, older, old)
	const none = "no_previous"
	for _, tt := range []struct {
		name, older, instance string
		ticks, time           int64
		opt                   counter.Options
		want                  string
	}{
		{"began between", first, instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, "5"},
		{"began just before", first, instance("b", 9, older-second/100, 50), 11000, newer, counter.Options{}, "5"},
		{"a reused id", first, instance("a", 8, older+second, 50), 11000, newer, counter.Options{}, "5"},
		{"as PDH does", first, instance("b", 9, older+second, 50), 11000, newer, counter.Options{NeedPrevious: true}, none},
		{"began before", first, instance("b", 9, older-second, 50), 11000, newer, counter.Options{}, none},
		{"began later", first, instance("b", 9, newer+second, 50), 11000, newer, counter.Options{}, none},
		{"start unknown", first, instance("b", 9, 0, 50), 11000, newer, counter.Options{}, none},
		{"total", first, instance("_Total", 0, older+second, 50), 11000, newer, counter.Options{}, none},
		{"idle", first, instance("Idle", 0, older+second, 50), 11000, newer, counter.Options{}, none},
		{"clock set", first, instance("b", 9, older+second, 50), 2000, newer, counter.Options{}, none},
		{"first sample", "", instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := pair(t, tt.older, sample(tt.ticks, tt.time, tt.instance), tt.opt)
			rate, inverse := p.Column(2), ""
			got := rate.Status[0].String()
			if rate.Status[0] == counter.OK {
				got = fmt.Sprint(rate.Value(0))
			}
			if inv := p.Column(3); inv.Status[0] != counter.NoPrevious {
				inverse = inv.Status[0].String()
			}
			if diff := cmp.Diff([]string{tt.want, ""}, []string{got, inverse}); diff != "" {
				t.Error(diff)
			}
		})
	}
}
