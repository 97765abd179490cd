package provider_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// flaky returns a provider that fails as long as *bad is true.
func flaky(t testing.TB, index uint32, bad *bool) *fake {
	p := answers(t, "flaky", simple(index, false))
	answer := p.collect
	p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
		if *bad {
			return errBoom
		}
		return answer(ctx, q, w)
	}
	return p
}

// TestPauses: a provider that goes on failing is left alone longer and longer,
// and from the eleventh time on for 10 minutes; what is asked in between is not
// reported. A success forgets it all.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := true
		var seen []provider.Problem
		d := newDispatcher(t,
			provider.Options{OnProblem: func(p provider.Problem) { seen = append(seen, p) }},
			flaky(t, 2, &bad))
		ms := time.Millisecond
		pauses := []time.Duration{100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms,
			12800 * ms, 25600 * ms, 51200 * ms,
			10 * time.Minute, 10 * time.Minute}
		total := 0
		for range 2 {
			for i, pause := range pauses {
				seen = nil
				collect(t, d, nil)
				total++
				want := provider.Problem{Provider: "flaky", Stage: "collect", Err: errBoom, Time: time.Now(),
					Failures: i + 1, Total: total, Pause: pause}
				if diff := cmp.Diff([]provider.Problem{want}, seen, cmpopts.EquateErrors()); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
				seen = nil
				for range 4 {
					time.Sleep(pause/4 - time.Nanosecond)
					collect(t, d, nil)
				}
				if len(seen) != 0 {
					t.Errorf("asked again after less than %v: %v", pause, seen)
				}
				time.Sleep(4 * time.Nanosecond)
			}
			bad = false
			if diff := cmp.Diff([]uint32{2}, titles(ask(t, d, everything()))); diff != "" {
				t.Errorf("objects afterwards (-want +got):\n%s", diff)
			}
			if len(seen) != 0 {
				t.Errorf("problems afterwards: %+v", seen)
			}
			bad = true
		}
	})
}

// TestPausesOfOpen: that a provider can be opened does not forget that it
// cannot collect.
func TestPausesOfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed, bad := true, true
		p := flaky(t, 2, &bad)
		p.open = func(context.Context) error {
			if closed {
				return errors.New("closed")
			}
			return nil
		}
		var seen problems
		d := newDispatcher(t, provider.Options{OnProblem: seen.add}, p)
		collect(t, d, nil)
		time.Sleep(time.Second)
		closed = false
		collect(t, d, nil)
		if list := seen.list; len(list) != 2 || list[1].Failures != 2 || list[1].Stage != "collect" {
			t.Errorf("problems %+v", list)
		}
	})
}

// TestProblems: those of several providers are told in the order of the providers, with
// the time by the clocks of the samples.
func TestProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := true
		hanging, release := stuck(t)
		second := flaky(t, 6, &bad)
		second.name = "second"
		var seen problems
		clocks := func() counter.Clocks {
			return counter.Clocks{PerfFreq: 1,
				Time100ns: winperf.ToFiletime(time.Now())}
		}
		d := newDispatcher(t, provider.Options{Clocks: clocks, OnProblem: seen.add},
			flaky(t, 2, &bad), answers(t, "good", simple(8, false)), second, hanging)
		start := time.Now()
		collect(t, d, nil)

		var names []string
		for _, p := range seen.list {
			names = append(names, p.Provider)
			if want := start.Add(5100 * time.Millisecond); !p.Time.Equal(want) {
				t.Errorf("%s failed at %v, want %v", p.Provider, p.Time, want)
			}
		}
		if diff := cmp.Diff([]string{"flaky", "second", "stuck"}, names); diff != "" {
			t.Errorf("problems as they came (-want +got):\n%s", diff)
		}
		close(release)
		synctest.Wait()
	})
}

// TestProblemsMeanwhile: while several collect, problems are told by one goroutine at a time,
// which the race detector watches.
func TestProblemsMeanwhile(t *testing.T) {
	bad := true
	var seen problems
	d := newDispatcher(t, provider.Options{OnProblem: seen.add}, flaky(t, 2, &bad))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				collect(t, d, nil)
			}
		})
	}
	wg.Wait()
	for i, p := range seen.list {
		if p.Total != i+1 || !errors.Is(p.Err, errBoom) {
			t.Errorf("problem %+v", p)
		}
	}
}

// TestReport: what a provider reports is told, costs it nothing and counts as no
// failure. What it reports before it fails is told too, as it will not say it again.
func TestReport(t *testing.T) {
	errReported := errors.New("half of it")
	bad := false
	p := answers(t, "reporter", simple(2, false))
	answer := p.collect
	p.collect = func(ctx context.Context, q *provider.Query, w *provider.Writer) error {
		w.Report(errReported)
		if bad {
			return errBoom
		}
		return answer(ctx, q, w)
	}
	synctest.Test(t, func(t *testing.T) {
		var seen []provider.Problem
		d := newDispatcher(t,
			provider.Options{OnProblem: func(p provider.Problem) { seen = append(seen, p) }}, p)
		for range 2 {
			seen = nil
			if n := len(decode(t, collect(t, d, nil)).Objects); n != 1 {
				t.Errorf("%d objects, want 1", n)
			}
			want := []provider.Problem{{Provider: "reporter", Stage: "collect", Err: errReported,
				Time: time.Now()}}
			if diff := cmp.Diff(want, seen, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		}
		bad, seen = true, nil
		collect(t, d, nil)
		want := []provider.Problem{
			{Provider: "reporter", Stage: "collect", Err: errReported, Time: time.Now()},
			{Provider: "reporter", Stage: "collect", Err: errBoom, Time: time.Now(), Failures: 1, Total: 1,
				Pause: 100 * time.Millisecond},
		}
		if diff := cmp.Diff(want, seen, cmpopts.EquateErrors()); diff != "" {
			t.Errorf("problems of a call that fails (-want +got):\n%s", diff)
		}
	})
}
