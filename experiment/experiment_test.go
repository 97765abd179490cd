package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// Each event has a sample of its own, begun after it; values are since the sample before.
func TestPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Name: "load", Bindings: []experiment.Binding{bound("go*")}})
		for i := range 3 {
			r.program.Event(t.Context(), "gone", slog.Int("i", i), slog.String("who", "me"),
				slog.Group("g", slog.Bool("b", true), slog.Group("h", slog.Float64("f", 0.5))))
			r.program.Event(t.Context(), "unbound")
		}

		records := r.end()
		// Sample 1 is the one before the first event.
		want := "point gone Ticks=2 Work=10\npoint gone Ticks=3 Work=10\npoint gone Ticks=4 Work=10\n"
		if diff := cmp.Diff(want, texts(records)); diff != "" {
			t.Error(diff)
		}
		for i, rec := range records {
			want := []experiment.Attr{{Key: "i", Value: int64(i)}, {Key: "who", Value: "me"}, {Key: "g.b", Value: true}, {Key: "g.h.f", Value: 0.5}}
			if diff := cmp.Diff(want, rec.Event.Attrs); diff != "" {
				t.Error(diff)
			}
			if rec.Begun.Before(rec.Event.Time) || rec.Ended.Before(rec.Begun) || rec.Binding != "go*" || rec.Event.Source != "code" {
				t.Errorf("record %+v", rec)
			}
			if raw := rec.Values[1].Raw; len(raw) != 1 || raw[0].Value != uint64(10*(i+2)) || raw[0].PerfFreq != 1000 {
				t.Errorf("operands %+v", raw)
			}
		}
	})
}

// A region is cooked from its begin to its end, whatever was sampled in between.
func TestRegions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		ctx, outer := r.program.Region(t.Context(), "outer", slog.Int("n", 1)) // sample 2
		time.Sleep(time.Second)
		inside, inner := r.program.Region(ctx, "inner") // 3
		r.program.Event(inside, "point")                // 4
		inner.End()                                     // 5
		time.Sleep(time.Second)
		outer.End(slog.Int("m", 2)) // 6
		outer.End()
		inner.End()

		records := r.end()
		want := "point point Ticks=4 Work=10\nspan inner Ticks=5 Work=10(+20)\nspan outer Ticks=6 Work=10(+40)\n"
		if diff := cmp.Diff(want, texts(records)); diff != "" {
			t.Error(diff)
		}

		point, in, out := records[0], records[1], records[2]
		if point.Event.Parent != in.Event.ID || in.Event.Parent != out.Event.ID || out.Event.Parent != 0 {
			t.Errorf("parents %d, %d, %d of %d, %d", point.Event.Parent, in.Event.Parent, out.Event.Parent, in.Event.ID, out.Event.ID)
		}
		if out.Event.Duration != 2*time.Second || in.Event.Duration != 0 {
			t.Errorf("the regions lasted %v and %v", out.Event.Duration, in.Event.Duration)
		}
		if diff := cmp.Diff([]experiment.Attr{{Key: "n", Value: int64(1)}, {Key: "m", Value: int64(2)}}, out.Event.Attrs); diff != "" {
			t.Error(diff)
		}
		if raw := out.Values[1].Raw; len(raw) != 2 || raw[0].Value != 20 || raw[1].Value != 60 {
			t.Errorf("operands %+v", raw)
		}
	})
}

// Regions of many goroutines, which end in others: no two ends or begins share a sample, and each
// end is compared with its own begin. Run with -race.
func TestConcurrentRegions(t *testing.T) {
	r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("work")}})
	const goroutines, each = 16, 30
	ends := make(chan experiment.OpenRegion, goroutines*each)
	var begins, ending sync.WaitGroup
	for g := range goroutines {
		begins.Go(func() {
			for i := range each {
				_, region := r.program.Region(t.Context(), "work", slog.Int("id", g*each+i))
				ends <- region
			}
		})
		ending.Go(func() {
			for region := range ends {
				region.End()
			}
		})
	}
	begins.Wait()
	close(ends)
	ending.Wait()

	seen, ids := map[uint64]bool{}, map[any]bool{}
	records := r.end()
	for _, rec := range records {
		raw := rec.Values[1].Raw
		if rec.Kind != experiment.Span || len(raw) != 2 || raw[1].Value <= raw[0].Value {
			t.Fatalf("record %s: operands %+v", text(rec), raw)
		}
		if seen[raw[0].Value] || seen[raw[1].Value] {
			t.Errorf("a sample serves two events: %+v", raw)
		}
		seen[raw[0].Value], seen[raw[1].Value] = true, true
		if d := rec.Values[1].Difference; d != raw[1].Value-raw[0].Value {
			t.Errorf("difference %d of %+v", d, raw)
		}
		ids[rec.Event.Attrs[0].Value] = true
	}
	if len(records) != goroutines*each || len(ids) != len(records) {
		t.Errorf("%d records of %d regions, want %d", len(records), len(ids), goroutines*each)
	}
}

// An event returns when its sample is begun, a region's begin when its sample is complete.
func TestWhatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(context.Context, int) error { time.Sleep(time.Second); return nil })
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})

		start := time.Now()
		r.program.Event(t.Context(), "first")
		if d := time.Since(start); d != 0 {
			t.Errorf("an event blocked for %v", d)
		}
		r.program.Event(t.Context(), "second") // waits for the sample of the first
		if d := time.Since(start); d != time.Second {
			t.Errorf("the second event blocked for %v", d)
		}
		_, region := r.program.Region(t.Context(), "region")
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("the begin of a region returned after %v", d)
		}
		time.Sleep(5 * time.Second)
		region.End()
		if d := time.Since(start); d != 8*time.Second {
			t.Errorf("the end of a region returned after %v", d)
		}

		_, whole := r.program.Region(t.Context(), "whole") // after the sample of that end
		whole.EndSampled()
		if d := time.Since(start); d != 11*time.Second {
			t.Errorf("the whole end of a region returned after %v", d)
		}

		var got []string
		for _, rec := range r.end() {
			got = append(got, fmt.Sprint(rec.Event.Name, " ", rec.Delay, " ", rec.Blocked, " ", rec.Event.Duration, " ", rec.Cost.Sample))
		}
		want := []string{"first 0s 0s 0s 1s", "second 1s 1s 0s 1s", "region 0s 2s 5s 2s", "whole 0s 3s 0s 2s"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// The end of a context ends the waiting and not the measuring.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(context.Context, int) error { time.Sleep(6 * time.Second); return nil })
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, region := r.program.Region(ctx, "region")
		r.program.Event(ctx, "point")
		if d := time.Since(start); d != time.Second {
			t.Errorf("it took %v", d)
		}
		region.End()
		want := "point point Ticks=3 Work=10\nspan region Ticks=4 Work=10(+20)\n"
		records := r.end()
		if diff := cmp.Diff(want, texts(records)); diff != "" {
			t.Error(diff)
		}
		// After a second the sample of the region's begin takes 5 s more, and that of the point 6 s.
		if p := records[0]; p.Delay != 5*time.Second || p.Blocked >= time.Millisecond {
			t.Errorf("the point has a delay of %v, and held up the program for %v", p.Delay, p.Blocked)
		}
		if s := records[1]; s.Blocked != time.Second+11*time.Second {
			t.Errorf("the region held up the program for %v", s.Blocked)
		}
	})
}

// Between begin and end of a region processes come, leave, move and take other names.
func TestRegionIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := []string{
			processes(1, "a 10 1 100", "b 20 1 100"),
			processes(2, "a 10 1 100", "b 20 1 100", "c 30 1 100"),                                               // begin
			processes(3, "c 30 1 200", "a 11 3 5", "b 20 1 300"),                                                 // a was replaced
			processes(4, "renamed 20 1 400", "c 30 1 300", "a 11 3 50", "b 12 4 7", "a 10 4 9", "hidden 5 1 70"), // end
		}
		f := newFake(func(n int) string { return script[min(n, len(script))-1] })
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`)},
		}})
		_, region := r.program.Region(t.Context(), "region")
		r.program.Event(t.Context(), "middle")
		region.End()

		records := r.end()
		last := records[len(records)-1]
		got := map[string]string{}
		for _, v := range last.Values {
			got[v.Path] = fmt.Sprint(v.Status, " ", v.Difference, " ", v.HasDifference, " ", v.Touched.Has(winperf.InstancesAdded))
		}
		want := map[string]string{
			`\\HOST\Process(renamed)\Work Rate`: "ok 300 true false",
			`\\HOST\Process(c)\Work Rate`:       "ok 200 true false",
			`\\HOST\Process(a)\Work Rate`:       "ok 50 true true", // it began in the region, from 0
			`\\HOST\Process(b)\Work Rate`:       "ok 7 true true",
			`\\HOST\Process(a#1)\Work Rate`:     "ok 9 true true",           // the id of another one before
			`\\HOST\Process(hidden)\Work Rate`:  "no_previous 0 false true", // it was not seen before, though it was there
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A process that began in a region of two seconds has the rate as well as the difference, unless the binding computes as
// PDH does. An inverse counter has neither.
func TestRegionRates(t *testing.T) {
	for _, exact := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(n int) string {
				const epoch int64 = 133_485_408_000_000_000
				s := header(n) + fmt.Sprintf("object 230 time=%d freq=10000000\n", epoch+int64(n)*1e7) +
					" counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n" +
					" counter 232 PERF_COUNTER_BULK_COUNT\n counter 6 PERF_100NSEC_TIMER_INV\n"
				if n > 2 {
					s += fmt.Sprintf(" instance \"new\" : 30 %d %d 5000000\n", epoch+int64(2.5*1e7), 4*n-9)
				}
				return s + fmt.Sprintf(" instance \"old\" : 20 %d %d %d\n", epoch, 10*n, 5_000_000*n)
			})
			b := experiment.Binding{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`, `\Process(*)\Ticks`)}
			b.Cook.NeedPrevious = exact
			r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{b}})
			_, region := r.program.Region(t.Context(), "region") // sample 2
			r.program.Event(t.Context(), "between")
			region.End() // sample 4

			want := "span region Work Rate=3.5(+7) Work Rate=10(+20) Ticks=no_previous Ticks=50(+10000000)"
			if exact {
				want = strings.Replace(want, "=3.5(", "=no_previous(", 1)
			}
			last := r.end()[1]
			if diff := cmp.Diff(want, text(last)); diff != "" {
				t.Errorf("as PDH does: %v: %s", exact, diff)
			}
			for i, v := range last.Values {
				if want := i == 0 && !exact; v.Touched.Has(winperf.InstanceBegan) != want {
					t.Errorf("as PDH does: %v: %s: anomalies %v", exact, v.Path, v.Touched)
				}
			}
		})
	}
}

// The rate of a process that began in a region is over the clocks of its object. If the object was not there at
// the begin, the process has a difference and no rate.
func TestRegionRatesObject(t *testing.T) {
	for missing, want := range map[bool]string{
		false: "span region Level=25(+5000000) Work Rate=3.5(+7)", true: "span region Level=no_previous(+5000000) Work Rate=no_previous(+7)",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(n int) string {
				const epoch int64 = 133_485_408_000_000_000
				s := header(n) + "object 2\n counter 8 PERF_COUNTER_COUNTER\n instance \"a\" : 1\n"
				if n == 2 && missing {
					return s
				}
				s += fmt.Sprintf("object 230 time=%d freq=10000000\n", epoch+int64(n)*1e7) +
					" counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n" +
					" counter 232 PERF_COUNTER_BULK_COUNT\n counter 10 PERF_OBJ_TIME_TIMER\n"
				if n > 2 {
					s += fmt.Sprintf(" instance \"new\" : 30 %d %d 5000000\n", epoch+int64(2.5*1e7), 4*n-9)
				}
				return s
			})
			b := experiment.Binding{Events: []string{"*"}, Paths: paths(`\Process(new)\Level`, `\Process(new)\Work Rate`)}
			r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{b}})
			_, region := r.program.Region(t.Context(), "region") // sample 2
			r.program.Event(t.Context(), "between")
			region.End() // sample 4
			if got := text(r.end()[1]); got != want {
				t.Errorf("the object is missing: %v: record %s, want %s", missing, got, want)
			}
		})
	}
}

// Idle and _Total do not count from zero if they were not in the sample at the begin, although their start is
// later: that of _Total is the time of the sample.
func TestRegionTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			if n < 3 {
				return processes(n, "old 20 1 100")
			}
			return processes(n, "old 20 1 300", "new 30 3 7", "Idle 0 3 900", "_Total 0 3 1200")
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`)},
		}})
		_, region := r.program.Region(t.Context(), "region")
		region.End()
		want := "span region Work Rate=200(+200) Work Rate=7(+7) Work Rate=no_previous Work Rate=no_previous"
		if got := text(r.end()[0]); got != want {
			t.Errorf("record %s, want %s", got, want)
		}
	})
}

// When a process began is told by the clock of its object, which may be apart from the time of day: on
// Linux that was set since the system was booted.
func TestRegionIdentityApart(t *testing.T) {
	for _, apart := range []int64{-3 * 1e7, 3 * 1e7} {
		synctest.Test(t, func(t *testing.T) {
			shift := func(n int, all ...string) string {
				const epoch int64 = 133_485_408_000_000_000
				old, now := fmt.Sprintf("time=%d freq", epoch+int64(n)*1e7), fmt.Sprintf("time=%d freq", epoch+apart+int64(n)*1e7)
				return strings.Replace(processes(n, all...), old, now, 1)
			}
			by := int(apart / 1e7)
			f := newFake(func(n int) string {
				if n < 3 {
					return shift(n, "old 20 "+strconv.Itoa(by+1)+" 100")
				}
				return shift(n, "old 20 "+strconv.Itoa(by+1)+" 300", "new 30 "+strconv.Itoa(by+3)+" 7",
					"hidden 40 "+strconv.Itoa(by+1)+" 9")
			})
			r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
				{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`)},
			}})
			_, region := r.program.Region(t.Context(), "region")
			region.End()
			want := "span region Work Rate=200(+200) Work Rate=7(+7) Work Rate=no_previous"
			if got := text(r.end()[0]); got != want {
				t.Errorf("clocks %d s apart: record %s, want %s", by, got, want)
			}
		})
	}
}

// A counter of 4 bytes that falls is taken to have wrapped only where the instance is known to be the
// same: not of a total. Of several instances with one name, of which a value fell, it is another one.
func TestRegionWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			at := int64(4294967290)
			if n > 2 {
				at = 10
			}
			s := header(n) + "object 2\n counter 8 PERF_COUNTER_COUNTER\n"
			for _, name := range []string{"alone", "twin", "twin", "_Total"} {
				s += fmt.Sprintf(" instance %q : %d\n", name, at)
			}
			return s
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\System(*)\Work`)},
		}})
		_, region := r.program.Region(t.Context(), "region")
		r.program.Event(t.Context(), "between")
		region.End()
		records := r.end()
		want := "span region Work=8(+16) Work=no_previous Work=no_previous Work=negative_value"
		if got := text(records[1]); got != want {
			t.Errorf("record %s, want %s", got, want)
		}
	})
}

// A living process that changes its name keeps its sensor, and an anomaly says so.
func TestProcessRenamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			if n < 3 {
				return processes(n, fmt.Sprint("shell 10 1 ", 100*n), "b 20 1 100")
			}
			return processes(n, fmt.Sprint("editor 10 1 ", 100*n), "b 20 1 100")
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\Process(shell)\Work Rate`)},
		}})
		for range 3 {
			r.program.Event(t.Context(), "e")
		}
		renamed := 0
		for _, rec := range r.end() {
			if len(rec.Values) != 1 || rec.Values[0].Path != `\\HOST\Process(shell)\Work Rate` || rec.Values[0].Value.String() != "100" {
				t.Errorf("record %s", text(rec))
			}
			for _, a := range rec.Anomalies {
				if a.Kind == winperf.InstancesRenamed {
					renamed++
				}
			}
		}
		if renamed != 1 {
			t.Errorf("%d anomalies tell it", renamed)
		}
	})
}

// Bindings of one event share a sample that was begun after it, and are given nothing older.
func TestBindingsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		first, second := bound("*"), bound("*")
		first.Name, second.Name = "first", "second"
		later := func(context.Context) (_, _, _ string) { // called before the samples of an event are begun
			time.Sleep(time.Microsecond)
			return "", "", ""
		}
		r := begin(t, f, experiment.Options{Links: later, Bindings: []experiment.Binding{first, second}})
		before := f.samples()
		f.setBefore(func(context.Context, int) error { time.Sleep(time.Millisecond); return nil })
		for range 4 {
			time.Sleep(10 * time.Millisecond)
			r.program.Event(t.Context(), "e")
		}

		records := r.end()
		by := map[string]string{}
		for _, rec := range records {
			by[rec.Binding] += text(rec) + "\n"
		}
		if len(records) != 8 || by["first"] == "" || by["first"] != by["second"] {
			t.Errorf("records of the two bindings:\n%s\n%s", by["first"], by["second"])
		}
		if n := f.samples() - before; n != 4 {
			t.Errorf("%d samples for 4 events of two bindings", n)
		}
	})
}

// A sample that fails costs its event, and one that hangs only as long as the binding waits.
func TestSampleFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		b := bound("*")
		b.Timeout = 3 * time.Second
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{b}})
		f.setBefore(func(ctx context.Context, n int) error {
			switch n {
			case 3:
				return errors.New("no luck")
			case 5:
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})

		r.program.Event(t.Context(), "a")
		_, region := r.program.Region(t.Context(), "failed begin") // 3
		region.End()                                               // 4
		_, region = r.program.Region(t.Context(), "hung begin")    // 5
		region.End()
		r.program.Event(t.Context(), "b")
		status := r.Status()
		want := "point a Ticks=2 Work=10\nspan failed begin error=at the begin: no luck\n" +
			"span hung begin error=at the begin: no sample within 3s: context canceled\npoint b Ticks=7 Work=10\n"
		if diff := cmp.Diff(want, texts(r.end())); diff != "" {
			t.Error(diff)
		}
		if n := status.Bindings[0].Failed; n != 2 {
			t.Errorf("%d records without values", n)
		}
	})
}

// A source that never returns holds up neither the program nor the end.
func TestSourceHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, free := newFake(nil), make(chan struct{})
		f.setBefore(func(_ context.Context, n int) error {
			if n == 3 {
				<-free
			}
			time.Sleep(time.Millisecond)
			return nil
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		_, region := r.program.Region(t.Context(), "region")
		r.program.Event(t.Context(), "hangs")
		start := time.Now()
		region.End()
		if d := time.Since(start); d != 20*time.Second {
			t.Errorf("the end of the region took %v", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Detach(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if got := texts(r.rest()); got != "change attached\nchange detached\n" {
			t.Errorf("records:\n%s", got)
		}
		close(free) // what was left behind ends, too
		time.Sleep(time.Minute)
	})
}

// A region tells what was unusual since its begin, also between the samples of its ends.
func TestRegionAnomalies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			all := []string{"a 10 0 100"}
			if n == 4 || n == 2 {
				all = append(all, fmt.Sprintf("b%d 20 %d 1", n, n))
			}
			return processes(n, all...)
		})
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{
			{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`)},
		}})
		_, region := r.program.Region(t.Context(), "region") // sample 2, where b2 came
		r.program.Event(t.Context(), "e")                    // left,
		r.program.Event(t.Context(), "e")                    // b4 came
		region.End()                                         // and left
		records := r.end()
		var got []string
		for _, a := range records[2].Anomalies {
			got = append(got, a.String())
		}
		want := []string{
			"instances_left: Process: b2", "instances_came: Process: b4 (measured from here on)",
			"instance_began: Process: b4 (counted from zero)",
			"instances_left: Process: b4",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Pausing passes over events, but not over the ends of regions; all changes have records.
func TestChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		_, region := r.program.Region(t.Context(), "open")
		must(t, r.Pause(experiment.Attr{Key: "by", Value: "test"}))
		r.program.Event(t.Context(), "passed over")
		_, passed := r.program.Region(t.Context(), "passed over")
		region.End()
		synctest.Wait() // its record is made
		if err := r.Pause(); !errors.Is(err, winperf.ErrState) {
			t.Errorf("pausing twice: %v", err)
		}
		must(t, r.Resume())
		passed.End()
		r.program.Event(t.Context(), "seen")

		must(t, r.SetSensors(t.Context(), "*", paths(`\System\Work`), nil))
		r.program.Event(t.Context(), "other sensors")
		err := r.SetSensors(t.Context(), "other", paths(`\System\Work`), nil)
		if !errors.Is(err, experiment.ErrUnknown) {
			t.Errorf("sensors of a binding that is not there: %v", err)
		}
		must(t, r.Detach(context.Background()))

		want := "change attached\nchange paused\nspan open Ticks=3 Work=10(+10)\nchange resumed\n" +
			"point seen Ticks=4 Work=10\nchange sensors changed\npoint other sensors Work=10\nchange detached\n"
		records := r.rest()
		if diff := cmp.Diff(want, texts(records)); diff != "" {
			t.Error(diff)
		}
		for i, rec := range records {
			if rec.Number != uint64(i+1) {
				t.Errorf("record %d has the number %d", i+1, rec.Number)
			}
		}
		if diff := cmp.Diff([]experiment.Attr{{Key: "by", Value: "test"}}, records[1].Event.Attrs); diff != "" {
			t.Error(diff)
		}
		r.program.Event(t.Context(), "after the end")
		if err := r.Attach(t.Context()); !errors.Is(err, winperf.ErrState) {
			t.Errorf("attaching again: %v", err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Regions that do not fit into memory give up what was measured at the oldest begins.
func TestOpenRegionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A region counts 4 and its two operands.
		r := begin(t, newFake(nil), experiment.Options{Operands: 3 * 6, Bindings: []experiment.Binding{bound("*")}})
		regions := make([]experiment.OpenRegion, 5)
		for i := range regions {
			_, regions[i] = r.program.Region(t.Context(), fmt.Sprint(i))
		}
		if n := r.Status().OpenRegions; n != 3 {
			t.Errorf("%d regions are kept", n)
		}
		for _, region := range regions {
			region.End()
		}
		const gone = " error=too many open regions: the raw values of its begin were dropped\n"
		want := "span 0" + gone + "span 1" + gone +
			"span 2 Ticks=9 Work=10(+50)\nspan 3 Ticks=10 Work=10(+50)\nspan 4 Ticks=11 Work=10(+50)\n"
		if diff := cmp.Diff(want, texts(r.end())); diff != "" {
			t.Error(diff)
		}
	})
}

// Each experiment has its own clock, and its own names for what an event belongs to.
func TestExperimentsStamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var program experiment.Program
		var rigs []*rig
		clocks := []*clock{newClock(), newClock()}
		clocks[1].add(time.Hour, 0)
		for i, c := range clocks {
			links := func(context.Context) (_, _, _ string) { return "", fmt.Sprint(i), "" }
			rigs = append(rigs, begin(t, newFake(nil), experiment.Options{
				Program: &program, Clock: c, Links: links, Bindings: []experiment.Binding{bound("*")},
			}))
		}
		start := time.Now().Round(0)
		_, region := program.Region(t.Context(), "region")
		program.Event(t.Context(), "point")
		time.Sleep(time.Second)
		region.End()
		for i, r := range rigs {
			for _, rec := range r.end() {
				if e := rec.Event; e.SpanID != fmt.Sprint(i) || e.Time.Sub(start) != time.Duration(i)*time.Hour {
					t.Errorf("experiment %d: event %+v", i, e)
				}
			}
		}
	})
}

// Thousands of regions are open at once, and end in any order, each with its own begin.
func TestThousandsOfRegions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bound("*")
		b.Paths = b.Paths[1:]
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}})
		const n = 3000
		regions := make([]experiment.OpenRegion, n)
		for i := range regions {
			_, regions[i] = r.program.Region(t.Context(), "r", slog.Int("begin", 10*(i+2))) // the first sample was before
		}
		if open := r.Status().OpenRegions; open != n {
			t.Errorf("%d regions are open", open)
		}
		for k, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
			regions[i].End(slog.Int("end", 10*(k+n+2)))
		}

		records := r.end()
		for _, rec := range records {
			a, raw := rec.Event.Attrs, rec.Values[0].Raw
			if len(raw) != 2 || int64(raw[0].Value) != a[0].Value || int64(raw[1].Value) != a[1].Value {
				t.Fatalf("region %v has operands %v", a, raw)
			}
		}
		if len(records) != n {
			t.Errorf("%d records", len(records))
		}
	})
}

// Two experiments on one program do not know each other.
func TestTwoExperiments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var program experiment.Program
		program.Declare("late")
		one := begin(t, newFake(nil), experiment.Options{Program: &program, Bindings: []experiment.Binding{bound("*")}})
		program.Event(t.Context(), "early")
		two := begin(t, newFake(nil), experiment.Options{Program: &program, Bindings: []experiment.Binding{bound("e*")}})
		_, region := program.Region(t.Context(), "extent")
		program.Event(t.Context(), "other")
		first := texts(one.end())
		region.End()
		second := texts(two.end())
		if want := "point early Ticks=2 Work=10\npoint other Ticks=4 Work=10\n"; first != want {
			t.Errorf("records of the first:\n%s", first)
		}
		if want := "span extent Ticks=3 Work=10(+10)\n"; second != want {
			t.Errorf("records of the second:\n%s", second)
		}
		if n := len(program.Experiments()); n != 0 {
			t.Errorf("%d experiments are attached", n)
		}
		if diff := cmp.Diff([]string{"early", "extent", "late", "other"}, program.Names()); diff != "" {
			t.Error(diff)
		}
	})
}

func withSource(src []sensor.Origin, s experiment.EventSource) experiment.Options {
	return experiment.Options{Sources: src, Bindings: []experiment.Binding{bound("a")}, Events: []experiment.EventSource{s}}
}

func TestNewRefuses(t *testing.T) {
	src := []sensor.Origin{{Source: newFake(nil)}}
	for _, tt := range []struct {
		want string
		opt  experiment.Options
	}{
		{"expected a source", experiment.Options{}},
		{"expected a binding", experiment.Options{Sources: src}},
		{"expected the name of an event", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Name: "b"}}}},
		{"expected a path or a sensor", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Events: []string{"e"}}}}},
		{`two bindings are called "A"`, experiment.Options{Sources: src, Bindings: []experiment.Binding{bound("a"), bound("A")}}},
		{"unknown policy 9", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Events: []string{"e"}, Paths: paths(`\A\B`), Policy: 9}}}},
		{"needs Options.Spool", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Events: []string{"e"}, Paths: paths(`\A\B`), Policy: experiment.Spill}}}},
		{"percentiles between", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Events: []string{"e"}, Paths: paths(`\A\B`),
			Aggregate: &experiment.Aggregate{Percentiles: []float64{101}}}}}},
		{"confidence between", experiment.Options{Sources: src, Bindings: []experiment.Binding{{Events: []string{"e"}, Paths: paths(`\A\B`),
			Aggregate: &experiment.Aggregate{Confidence: 1}}}}},
		{`(interval): expected a name`, experiment.Options{Sources: src, Bindings: []experiment.Binding{bound("a")},
			Events: []experiment.EventSource{experiment.Interval{}}}},
		{`two sources of events are called "t"`, experiment.Options{Sources: src, Bindings: []experiment.Binding{bound("a")},
			Events: []experiment.EventSource{experiment.Interval{Name: "t"}, experiment.Interval{Name: "t"}}}},
		{`"t": expected an interval`, withSource(src, experiment.Interval{Name: "t", Every: -1})},
		{`"t": expected something to read`, withSource(src, experiment.Lines{Name: "t"})},
		{`"t": expected a listener`, withSource(src, experiment.LineServer{Name: "t"})},
		{`"t": expected a command`, withSource(src, experiment.Child{Name: "t"})},
		{`"t": expected the name of the processes`, withSource(src, experiment.Processes{Name: "t"})},
		{`"t": path \A\B: expected one with instances`, withSource(src, experiment.Instances{Name: "t", Path: paths(`\A\B`)[0]})},
		{`"t": expected a bound that is a number`, withSource(src, experiment.Threshold{Name: "t", Bound: math.NaN()})},
		{`"t": expected a hysteresis`, withSource(src, experiment.Threshold{Name: "t", Hysteresis: -1})},
		{`"t": expected a time`, withSource(src, experiment.Threshold{Name: "t", For: -1})},
		{`"t": bad counter path`, withSource(src, experiment.Threshold{Name: "t"})},
		{`"t": expected a signal`, experiment.Options{Sources: src, Bindings: []experiment.Binding{bound("a")},
			Events: []experiment.EventSource{experiment.Signals{Name: "t"}}}},
	} {
		_, err := experiment.New(tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}
}

// A source that cannot be sampled leaves nothing attached, and Attach can be tried again.
func TestAttachFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(_ context.Context, n int) error {
			if n == 2 {
				return errors.New("no luck")
			}
			return nil
		})
		var program experiment.Program
		second := bound("b")
		e, err := experiment.New(experiment.Options{
			Program: &program, Apart: true, Sources: []sensor.Origin{{Source: f}},
			Bindings: []experiment.Binding{bound("a"), second},
		})
		must(t, err)
		if err := e.Attach(t.Context()); err == nil || !strings.Contains(err.Error(), `binding "b": no luck`) {
			t.Errorf("error %v", err)
		}
		if f.open != 0 || len(program.Experiments()) != 0 {
			t.Errorf("%d queries are open, %d experiments attached", f.open, len(program.Experiments()))
		}
		must(t, e.Attach(t.Context()))
		must(t, e.Detach(context.Background()))
	})
}

// A region that is open when its binding gets other sensors has no values of them but those that need
// no begin, and no invented differences.
func TestSensorsChangeInRegion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string { return processes(n, fmt.Sprint("a 10 ", n, " 100")) })
		b := experiment.Binding{Events: []string{"*"}, Paths: paths(`\Process(*)\Work Rate`)}
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{b}})
		_, region := r.program.Region(t.Context(), "region")
		must(t, r.SetSensors(t.Context(), "*", paths(`\Process(*)\Work Rate`, `\Process(*)\ID Process`), nil))
		region.End()
		if got, want := texts(r.end()), "span region Work Rate=no_previous ID Process=10\n"; got != want {
			t.Errorf("records:\n%swant %s", got, want)
		}
	})
}

// A binding measures sensors of several sources, each by its name.
func TestSeveralSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newFake(nil), newFake(nil)
		named := func(text string) sensor.Name {
			n, err := sensor.ParseName(text)
			must(t, err)
			return n
		}
		options := func(sensors ...sensor.Name) experiment.Options {
			return experiment.Options{
				Sources:  []sensor.Origin{{Name: "one", Source: one}, {Name: "two", Source: two}},
				Bindings: []experiment.Binding{{Events: []string{"*"}, Sensors: sensors}},
			}
		}
		r := begin(t, one, options(named("one/System/Ticks"), named("two/System/Work")))
		r.program.Event(t.Context(), "e")
		two.setBefore(func(context.Context, int) error { return errors.New("no luck") })
		r.program.Event(t.Context(), "half")
		records := r.end()
		if got, want := texts(records), "point e Ticks=2 Work=10\npoint half Ticks=3\n"; got != want {
			t.Errorf("records:\n%swant\n%s", got, want)
		}
		if a := records[1].Anomalies; len(a) != 1 || a[0].Kind != winperf.SourceFailed || a[0].Source != "two" {
			t.Errorf("anomalies %v", a)
		}

		for text, want := range map[string]error{"three/System/Ticks": winperf.ErrNoMachine} {
			opt := options(named(text))
			e, err := experiment.New(opt)
			must(t, err)
			if err := e.Attach(t.Context()); !errors.Is(err, want) {
				t.Errorf("sensor %s: error %v", text, err)
			}
		}
	})
}
