package experiment_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
)

// Whoever emits how many events at once, to bindings that share samples: each is served by a sample that
// was begun after it, and no two of a binding by the same one.
func TestSamplesBeginAfterEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(_ context.Context, n int) error {
			time.Sleep(time.Duration(n%5) * 300 * time.Microsecond)
			return nil
		})
		var bindings []experiment.Binding
		for _, events := range []string{"*", "point", "region"} {
			bindings = append(bindings, bound(events))
		}
		r := begin(t, f, experiment.Options{Bindings: bindings})

		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := range 25 {
					_, region := r.program.Region(t.Context(), "region")
					time.Sleep(time.Duration(worker*100+i*7) * time.Microsecond)
					r.program.Event(t.Context(), "point")
					region.End()
				}
			})
		}
		all.Wait()

		served := map[string]map[uint64]bool{"*": {}, "point": {}, "region": {}}
		serve := func(rec *experiment.Record, ticks uint64, since time.Time) {
			if served[rec.Binding][ticks] {
				t.Errorf("binding %s: sample %d serves two", rec.Binding, ticks)
			}
			served[rec.Binding][ticks] = true
			if began := f.begins[ticks-1]; began.Before(since) {
				t.Errorf("%s of %v: its sample was begun at %v", rec.Event.Name, since, began)
			}
		}
		for _, rec := range r.end() {
			raw := rec.Values[0].Raw
			serve(rec, raw[0].Value, rec.Event.Time)
			if rec.Kind == experiment.Span {
				serve(rec, raw[1].Value, rec.Event.Time.Add(rec.Event.Duration))
			}
		}
		for name, want := range map[string]int{"*": 300, "point": 100, "region": 200} {
			if n := len(served[name]); n != want {
				t.Errorf("binding %s has %d samples of %d events and ends", name, n, want)
			}
		}
	})
}

// A record says what its measurement cost, that of a region what both ends did, and how long values have
// waited next to newer ones. Operands are there when they are asked for.
func TestRecordIsComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(n int) string {
			work := fmt.Sprintf(" counter 8 PERF_COUNTER_BULK_COUNT\n values : %d\n", 10*n)
			return header(n) + "object 2 form=single\n" + work
		})
		raw, plain := bound("*"), bound("*")
		raw.Paths, plain.Paths = paths(`\System\Work`), paths(`\System\Work`)
		raw.Name, plain.Name, plain.Raw = "raw", "plain", false
		r := begin(t, f, experiment.Options{Apart: true, Bindings: []experiment.Binding{raw, plain}})
		f.setBefore(func(context.Context, int) error { time.Sleep(3 * time.Millisecond); return nil })
		r.program.Event(t.Context(), "point")
		_, region := r.program.Region(t.Context(), "region")
		region.End()

		bytes := 0
		for _, rec := range r.end() {
			samples := 1
			if rec.Kind == experiment.Span {
				samples = 2
			} else if bytes == 0 {
				bytes = rec.Cost.Bytes
			}
			if rec.Cost.Sample != time.Duration(samples)*3*time.Millisecond || rec.Cost.Bytes != samples*bytes || bytes == 0 {
				t.Errorf("%s of %s cost %+v", rec.Event.Name, rec.Binding, rec.Cost)
			}
			want := samples
			if rec.Binding == "plain" {
				want = 0
			}
			for _, v := range rec.Values {
				if len(v.Raw) != want || v.Age != 0 || v.Status != counter.OK || v.Unit != counter.PerSecond {
					t.Errorf("%s of %s: %+v", rec.Event.Name, rec.Binding, v)
				}
			}
		}
	})
}

// Instances of any object come and go.
func TestInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		queues := []string{"in out", "in out dead", "out dead", "in out dead"}
		f := newFake(func(n int) string {
			s := header(n) + "object 2\n counter 6 PERF_COUNTER_RAWCOUNT\n"
			for _, name := range strings.Fields(queues[min(int(time.Since(start)/time.Second), 3)]) {
				s += fmt.Sprintf(" instance %q : 1\n", name)
			}
			return s
		})
		r := begin(t, f, experiment.Options{
			Apart:    true,
			Bindings: []experiment.Binding{{Events: []string{"queues.*"}, Paths: paths(`\System(out)\Ticks`)}},
			Events:   []experiment.EventSource{experiment.Instances{Name: "queues", Path: paths(`\System(*)\Ticks`)[0]}},
		})
		time.Sleep(3500 * time.Millisecond)
		want := []string{
			"instances queues.begin instance=dead within=1s",
			"instances queues.end instance=in within=1s",
			"instances queues.begin instance=in within=1s",
		}
		if diff := cmp.Diff(want, names(r.end(), "instance", "within")); diff != "" {
			t.Error(diff)
		}
	})
}

// There may be thousands of bindings, each with a sample of its own for an event of all.
func TestThousandsOfBindings(t *testing.T) {
	const count = 1000
	var bindings []experiment.Binding
	for i := range count {
		b := bound(fmt.Sprint("own", i), "all")
		b.Name = fmt.Sprint(i)
		bindings = append(bindings, b)
	}
	r := begin(t, newFake(nil), experiment.Options{Bindings: bindings})
	r.program.Event(t.Context(), "all")
	r.program.Event(t.Context(), "own7")
	seen := map[string]int{}
	for _, rec := range r.end() {
		seen[rec.Binding]++
		if rec.Err != "" || len(rec.Values) != 2 {
			t.Fatalf("record %s", text(rec))
		}
	}
	if len(seen) != count || seen["7"] != 2 || seen["8"] != 1 {
		t.Errorf("records of %d bindings, %d and %d of 7 and 8", len(seen), seen["7"], seen["8"])
	}
}

// Experiments of one program share the samples of a source, but for the first one where that has a single
// binding; each event has a sample of each binding all the same.
func TestExperimentsShare(t *testing.T) {
	for _, tt := range []struct {
		name    string
		apart   bool
		first   int // bindings of the first experiment
		samples int // for an event of three experiments
	}{
		{"one binding each", false, 1, 2}, {"several bindings in the first", false, 2, 1}, {"apart", true, 1, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, program := newFake(nil), &experiment.Program{}
				later := func(context.Context) (_, _, _ string) { // called before the samples of an event are begun
					time.Sleep(time.Microsecond)
					return "", "", ""
				}
				var rigs []*rig
				for i := range 3 {
					bindings := []experiment.Binding{bound("*")}
					if i == 0 && tt.first == 2 {
						bindings = append(bindings, bound("e"))
					}
					rigs = append(rigs, begin(t, f, experiment.Options{
						Program: program, Apart: tt.apart, Bindings: bindings, Links: later,
					}))
				}
				f.setBefore(func(context.Context, int) error { time.Sleep(time.Millisecond); return nil })
				time.Sleep(10 * time.Millisecond)
				before := f.samples()
				program.Event(t.Context(), "e")
				synctest.Wait()
				time.Sleep(10 * time.Millisecond)
				if n := f.samples() - before; n != tt.samples {
					t.Errorf("%d samples for the event, want %d", n, tt.samples)
				}

				records := 0
				for _, r := range rigs {
					must(t, r.Detach(t.Context()))
					for _, rec := range r.rest() {
						if rec.Kind == experiment.Point && rec.Err == "" && len(rec.Values) == 2 {
							records++
						}
					}
				}
				if records != 2+tt.first || f.open != 0 {
					t.Errorf("%d records with values, %d queries are open at the end", records, f.open)
				}
			})
		})
	}
}
