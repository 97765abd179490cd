package experiment_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
)

// A region over a suspension lasts as long as that, too, and tells it; setting the time of day
// changes neither.
func TestRegionGap(t *testing.T) {
	for _, tt := range []struct {
		name       string
		set, slept time.Duration
		want       string // how long the outer region lasts, and the inner one, which begins later
	}{
		{"nothing", 0, 0, "inner 1s; outer 2s"},
		{"suspended", 0, time.Hour, "inner 1s; outer 1h0m2s suspended=1h0m0s"},
		{"suspended for less than is told", 0, 900 * time.Millisecond, "inner 1s; outer 2.9s"},
		{"set forward", time.Hour, 0, "inner 1s; outer 2s"},
		{"set back", -time.Hour, 0, "inner 1s; outer 2s"},
		{"both", -time.Hour, time.Minute, "inner 1s; outer 1m2s suspended=1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newClock()
			r := begin(t, newFake(nil), experiment.Options{Clock: c, Bindings: []experiment.Binding{bound("*")}})
			ctx, outer := r.program.Region(t.Context(), "outer")
			time.Sleep(time.Second)
			c.add(tt.set, tt.slept)
			_, inner := r.program.Region(ctx, "inner")
			time.Sleep(time.Second)
			inner.End()
			outer.End()

			var got []string
			for _, rec := range r.end() {
				s := fmt.Sprint(rec.Event.Name, " ", rec.Event.Duration)
				for _, a := range rec.Event.Attrs {
					s += fmt.Sprint(" ", a.Key, "=", a.Value)
				}
				got = append(got, s)
				if rec.Delay != 0 || rec.Blocked != 0 || rec.Cost.Sample != 0 {
					t.Errorf("%s: %s: delay %v, blocked %v, the sample took %v", tt.name, s, rec.Delay, rec.Blocked, rec.Cost.Sample)
				}
			}
			if all := strings.Join(got, "; "); all != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, all, tt.want)
			}
		})
	}
}

// A region in which the time of day was set is told so by the samples of its ends, as rates are.
func TestRegionClockSet(t *testing.T) {
	for by, want := range map[int]string{
		0: "", 3600: "clock_set: the system time was set by 1h0m0s", -3600: "clock_back: the system time went back by 59m59s",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(n int) string {
				wall := 133_485_408_000_000_000 + int64(n)*10_000_000
				if n > 2 {
					wall += int64(by) * 10_000_000
				}
				return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1000 time100ns=%d\n", n*1000, wall) +
					strings.SplitN(counting(n), "\n", 2)[1]
			})
			f.quirks = winperf.ClocksTogether
			r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})
			_, region := r.program.Region(t.Context(), "region")
			region.End()

			records := r.end()
			var told []string
			for _, a := range records[0].Anomalies {
				text, _, _ := strings.Cut(a.String(), " (")
				told = append(told, text)
			}
			if got := strings.Join(told, "; "); got != want {
				t.Errorf("set by %d s: %q, want %q", by, got, want)
			}
			if got := text(records[0]); got != "span region Ticks=3 Work=10(+10)" {
				t.Errorf("set by %d s: record %s", by, got)
			}
		})
	}
}

// The difference of an inverse timer is of the time that passed, whatever the time of day was set to.
func TestInverseTimerClockSet(t *testing.T) {
	for _, by := range []int64{0, 3600, -3600} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(n int) string {
				wall := 133_485_408_000_000_000 + int64(n)*10_000_000
				if n > 2 {
					wall += by * 10_000_000
				}
				idle := n * 4_000_000
				return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1000 time100ns=%d\n", n*1000, wall) +
					fmt.Sprintf("object 2 form=single\n counter 8 PERF_100NSEC_TIMER_INV\n values : %d\n", idle)
			})
			f.quirks = winperf.ClocksTogether
			b := experiment.Binding{Events: []string{"*"}, Paths: paths(`\System\Work`)}
			r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{b}})
			_, region := r.program.Region(t.Context(), "region")
			region.End()
			if v := r.end()[0].Values[0]; !v.HasDifference || v.Difference != 6_000_000 {
				t.Errorf("set by %d s: %+v", by, v)
			}
		})
	}
}
