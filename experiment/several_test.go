package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// twoSources are an experiment's, with a binding of all events to the processes of both.
func twoSources(t *testing.T, one, two *fake) *rig {
	t.Helper()
	var sensors []sensor.Name
	for _, text := range []string{"one/Process/Work Rate#*", "two/Process/Work Rate#*"} {
		n, err := sensor.ParseName(text)
		must(t, err)
		sensors = append(sensors, n)
	}
	return begin(t, one, experiment.Options{
		Sources:  []sensor.Origin{{Name: "one", Source: one}, {Name: "two", Source: two}},
		Bindings: []experiment.Binding{{Events: []string{"*"}, Sensors: sensors, Raw: true}},
	})
}

// twin makes the same processes for each source, whose work tells of which it is.
func twin(factor int) func(n int) string {
	return func(n int) string {
		all := []string{fmt.Sprint("a 10 1 ", factor*n), fmt.Sprint("b 20 1 ", 3*factor*n)}
		if n > 1 && factor > 1 { // they are in another order from then on
			all[0], all[1] = all[1], all[0]
		}
		return processes(n, all...)
	}
}

// A region over several sources compares each value with that of its own source, where both have
// processes of the same names and ids.
func TestSeveralSourcesRegion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoSources(t, newFake(twin(1)), newFake(twin(100)))
		_, region := r.program.Region(t.Context(), "outer") // sample 2
		_, inner := r.program.Region(t.Context(), "inner")  // 3
		inner.End()                                         // 4
		region.End()                                        // 5
		want := "span inner a:3-4 b:9-12 b:900-1200 a:300-400\nspan outer a:2-5 b:6-15 b:600-1500 a:200-500\n"
		if diff := cmp.Diff(want, spans(r.end())); diff != "" {
			t.Error(diff)
		}
	})
}

// What two sources have at the same path is told apart in records and their statistics. Of one source the
// name is not said.
func TestSeveralSourcesSamePath(t *testing.T) {
	sources := func(records []*experiment.Record) string {
		var b strings.Builder
		for _, r := range records {
			for _, v := range r.Values {
				fmt.Fprintf(&b, "%s:%s", v.Source, v.Series.Path.Counter)
				if v.Statistics != nil {
					fmt.Fprintf(&b, " %d of %g", v.Statistics.Count, v.Statistics.Mean)
				}
				b.WriteByte('\n')
			}
		}
		return b.String()
	}
	synctest.Test(t, func(t *testing.T) {
		one, two := newFake(nil), newFake(nil)
		two.setBefore(func(_ context.Context, n int) error { // it fails once: its statistics have one value less
			if n == 3 {
				return errors.New("no luck")
			}
			return nil
		})
		b := experiment.Binding{
			Events: []string{"*"}, Paths: paths(`\System\Ticks`), Aggregate: &experiment.Aggregate{Percentiles: []float64{50}},
		}
		r := begin(t, one, experiment.Options{
			Sources:  []sensor.Origin{{Name: "one", Source: one}, {Name: "two", Source: two}},
			Bindings: []experiment.Binding{b},
		})
		r.program.Event(t.Context(), "e")
		r.program.Event(t.Context(), "e")
		want := "one:Ticks\ntwo:Ticks\none:Ticks\n"
		if got := sources(r.end()); !strings.HasPrefix(got, want) {
			t.Errorf("records of %s, want %s", got, want)
		}
		if got, want := sources(r.Summaries()), "one:Ticks 2 of 2.5\ntwo:Ticks 1 of 2\n"; got != want {
			t.Errorf("statistics of %s, want %s", got, want)
		}

		alone := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{b}})
		alone.program.Event(t.Context(), "e")
		if got := sources(alone.end()); !strings.HasPrefix(got, ":Ticks\n") {
			t.Errorf("records of %s", got)
		}
	})
}

// spans are the operands of regions: instance:begin-end, or what there is instead.
func spans(records []*experiment.Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "span %s", r.Event.Name)
		for _, v := range r.Values {
			fmt.Fprintf(&b, " %s:", v.Series.Path.Instance)
			if len(v.Raw) == 2 && v.HasDifference && v.Difference == v.Raw[1].Value-v.Raw[0].Value {
				fmt.Fprintf(&b, "%d-%d", v.Raw[0].Value, v.Raw[1].Value)
			} else {
				fmt.Fprintf(&b, "%v,%d,%v", v.Status, v.Difference, v.HasDifference)
			}
		}
		if r.Err != "" {
			fmt.Fprintf(&b, " error=%s", r.Err)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A source that fails at one end of a region costs its own values, and an anomaly tells it.
func TestSeveralSourcesFail(t *testing.T) {
	for _, tt := range []struct {
		fails int // the sample of source two that does: that of the begin, or of the end
		want  string
	}{
		{2, "span region a:2-3 b:6-9 b:no_previous,0,false a:no_previous,0,false\n"},
		{3, "span region a:2-3 b:6-9\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			two := newFake(twin(100))
			two.setBefore(func(_ context.Context, n int) error {
				if n == tt.fails {
					return errors.New("no luck")
				}
				return nil
			})
			r := twoSources(t, newFake(twin(1)), two)
			_, region := r.program.Region(t.Context(), "region")
			region.End()
			records := r.end()
			if diff := cmp.Diff(tt.want, spans(records)); diff != "" {
				t.Errorf("sample %d fails: %s", tt.fails, diff)
			}

			told := 0
			for _, a := range records[0].Anomalies {
				if a.Kind == winperf.SourceFailed && a.Source == "two" {
					told++
				}
			}
			if told != 1 {
				t.Errorf("sample %d fails: anomalies %v", tt.fails, records[0].Anomalies)
			}
		})
	}
}

// A process that began in a region counts from 0. That is told by the time of its own source, however
// much that of the others is ahead or behind.
func TestSeveralSourcesOtherTimes(t *testing.T) {
	const day = 86_400
	for _, offset := range []int{-day, 0, day} {
		synctest.Test(t, func(t *testing.T) {
			one := newFake(func(n int) string {
				all := []string{fmt.Sprint("a 10 1 ", n)}
				if n > 2 { // one that was not seen before, though it was there, and one that began
					all = append(all, "hidden 5 1 70", fmt.Sprint("new 30 ", day+3, " 9"))
				}
				return processes(day+n, all...)
			})
			two := newFake(func(n int) string { return processes(day+offset+n, fmt.Sprint("b 20 0 ", n)) })
			r := twoSources(t, one, two)
			_, region := r.program.Region(t.Context(), "region")
			region.End()
			want := "span region a:2-3 hidden:no_previous,0,false new:ok,9,true b:2-3\n"
			if diff := cmp.Diff(want, spans(r.end())); diff != "" {
				t.Errorf("the time of the second source is %v ahead: %s", time.Duration(offset)*time.Second, diff)
			}
		})
	}
}

// Public events of one experiment reach others of the program, once each, and those that have a source of
// that name get their own. Other events are for their experiment alone.
func TestPublicEvents(t *testing.T) {
	for _, public := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			owner := begin(t, newFake(nil), experiment.Options{
				Name: "owner", Bindings: []experiment.Binding{bound("*"), numbered("tick", experiment.DropOldest, 100)},
				Events: []experiment.EventSource{
					experiment.Interval{Name: "tick", Every: time.Second}, experiment.Lines{Name: "app", Reader: in},
				},
				Public: public,
			})
			attach := func(name string, every time.Duration, pattern string) *rig {
				opt := experiment.Options{
					Name: name, Program: owner.program, Bindings: []experiment.Binding{bound(pattern)},
				}
				if every > 0 {
					opt.Events = []experiment.EventSource{experiment.Interval{Name: "Tick", Every: every}}
				}
				return begin(t, newFake(nil), opt)
			}
			ticks, all, own := attach("ticks", 0, "tick"), attach("all", 0, "*"), attach("own", time.Minute, "tick")
			known := map[bool][]string{true: {"order", "tick"}}[public]

			time.Sleep(2500 * time.Millisecond)
			fmt.Fprintln(out, "order region=begin id=1")
			fmt.Fprintln(out, "order region=end id=1 n=7")
			synctest.Wait()
			if diff := cmp.Diff(known, owner.program.Names(), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}

			for _, x := range []struct {
				of   *rig
				want []string
			}{
				{ticks, []string{"interval tick", "interval tick"}},
				{all, []string{"interval tick", "interval tick", "lines order n=7"}},
				{own, nil},
				{owner, []string{
					"interval tick", "interval tick", "interval tick", "interval tick", "lines order n=7",
				}},
			} {
				if !public && x.of != owner {
					x.want = nil
				}
				records := x.of.end()
				slices.SortStableFunc(records, func(a, b *experiment.Record) int { return a.Event.Time.Compare(b.Event.Time) })
				if diff := cmp.Diff(x.want, names(records, "n"), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("public %v, records of %s: %s", public, x.of.Name(), diff)
				}
			}
			must(t, out.Close())
		})
	}
}
