package experiment_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
)

// stubborn is an event source that does not end when it is told to.
type stubborn struct{ free chan struct{} }

func (stubborn) Describe() experiment.EventSourceInfo {
	return experiment.EventSourceInfo{Name: "stubborn", Kind: "test"}
}

func (s stubborn) Run(context.Context, *experiment.Emitter) error {
	<-s.free
	return nil
}

// Whatever does not return holds up the end of an experiment no longer than it was told to wait.
func TestDetachLeavesBehind(t *testing.T) {
	soon := func(t *testing.T, r *rig) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		err := r.Detach(ctx)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if s := r.State(); s != experiment.Detached {
			t.Errorf("the experiment is %v", s)
		}
	}

	t.Run("event source", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			defer close(free)
			r := begin(t, newFake(nil), experiment.Options{
				Bindings: []experiment.Binding{bound("*")}, Events: []experiment.EventSource{stubborn{free}},
			})
			defer time.AfterFunc(time.Hour, func() { panic("it is never left behind") }).Stop()
			soon(t, r)
			if got := texts(r.rest()); got != "change attached\nchange detached\n" {
				t.Errorf("records:\n%s", got)
			}
		})
	})
	t.Run("spool", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := begin(t, newFake(nil), experiment.Options{
				Bindings: []experiment.Binding{numbered("a", experiment.Spill, 2)}, Spool: &spool{delay: 24 * time.Hour},
			})
			r.emit(t.Context(), "a", 0, 2)
			late := time.AfterFunc(time.Hour, func() { panic("it is never left behind") })
			soon(t, r)
			late.Stop()
			time.Sleep(48 * time.Hour) // what was left behind ends, too
		})
	})
}

// The end does not wait for a change that is under way, whose source does not answer.
func TestDetachDuringChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		r := begin(t, f, experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		f.setBefore(func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() })
		changed := make(chan error, 1)
		go func() { changed <- r.SetSensors(context.Background(), "*", paths(`\System\Ticks`), nil) }()
		synctest.Wait()

		defer time.AfterFunc(time.Hour, func() { panic("the end waits for a change") }).Stop()
		if err := r.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-changed; !errors.Is(err, winperf.ErrState) {
			t.Errorf("error %v", err)
		}
		if got := texts(r.rest()); got != "change attached\nchange detached\n" {
			t.Errorf("records:\n%s", got)
		}
	})
}

// An experiment that is attached to a source which does not answer can be ended.
func TestDetachDuringAttach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() })
		e, err := experiment.New(experiment.Options{
			Program: &experiment.Program{}, Sources: []sensor.Origin{{Source: f}}, Bindings: []experiment.Binding{bound("*")},
		})
		if err != nil {
			t.Fatal(err)
		}
		attached := make(chan error, 1)
		go func() { attached <- e.Attach(context.Background()) }()
		synctest.Wait()

		defer time.AfterFunc(time.Hour, func() { panic("the end waits for the begin") }).Stop()
		if err := e.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-attached; !errors.Is(err, winperf.ErrState) {
			t.Errorf("error %v", err)
		}
		if _, err := e.Next(t.Context(), 1); !errors.Is(err, io.EOF) {
			t.Errorf("error %v", err)
		}
	})
}

// paced is a stubborn event source that counts how often it was begun.
type paced struct {
	stubborn
	begun *atomic.Int32
}

func (p paced) WithInterval(time.Duration) experiment.EventSource { return p }

func (p paced) Run(ctx context.Context, out *experiment.Emitter) error {
	p.begun.Add(1)
	return p.stubborn.Run(ctx, out)
}

// An event source that has not stopped yet is not begun anew by a second change, which waited for the first.
func TestDetachDuringTwoChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := paced{stubborn{make(chan struct{})}, new(atomic.Int32)}
		defer close(p.free)
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{bound("*")}, Events: []experiment.EventSource{p},
		})
		changed := make(chan error, 2)
		for range 2 {
			go func() { changed <- r.SetInterval("stubborn", time.Second) }()
			synctest.Wait()
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Detach(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		for range 2 {
			if err := <-changed; !errors.Is(err, winperf.ErrState) {
				t.Errorf("error %v", err)
			}
		}
		if n := p.begun.Load(); n != 1 {
			t.Errorf("it was begun %d times", n)
		}
	})
}

// Of events that are emitted while an experiment ends each one that counts has a record.
func TestDetachCounts(t *testing.T) {
	for range 25 {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		var all sync.WaitGroup
		var ended atomic.Bool
		for range 3 {
			all.Go(func() {
				for !ended.Load() {
					r.program.Event(t.Context(), "point")
					_, region := r.program.Region(t.Context(), "region")
					region.End()
				}
			})
		}
		for r.fake.samples() < 10 {
			time.Sleep(10 * time.Microsecond)
		}
		if err := r.Detach(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended.Store(true)
		all.Wait()

		points, spans, open := 0, 0, 0
		for _, rec := range r.rest() {
			switch {
			case rec.Kind == experiment.Point:
				points++
			case rec.Kind == experiment.Span:
				spans++
			case len(rec.Event.Attrs) > 0:
				open = int(rec.Event.Attrs[0].Value.(int64))
			}
		}
		s := r.Status()
		if emitted := int(s.Bindings[0].Emitted); emitted != points+2*spans+open || s.Bindings[0].Queued != 0 {
			t.Fatalf("%d events, and %d records of points, %d of regions, %d open; %d wait",
				emitted, points, spans, open, s.Bindings[0].Queued)
		}
	}
}

// Regions that are open at the end are told, and keep no memory.
func TestRegionsOpenAtEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		_, one := r.program.Region(t.Context(), "one")
		_, two := r.program.Region(t.Context(), "two")
		if err := r.Detach(t.Context()); err != nil {
			t.Fatal(err)
		}
		one.End()
		two.End()
		records := r.rest()
		last := records[len(records)-1]
		want := []experiment.Attr{{Key: "open regions", Value: int64(2)}}
		if diff := cmp.Diff(want, last.Event.Attrs); diff != "" {
			t.Error(diff)
		}
		if s := r.Status(); s.OpenRegions != 0 {
			t.Errorf("%d regions are kept", s.OpenRegions)
		}
	})
}

// Whoever waits no longer when he detaches an experiment has it detached all the same.
func TestDetachCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 {
		r := begin(t, newFake(nil), experiment.Options{Bindings: []experiment.Binding{bound("*")}})
		if err := r.Detach(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if got := texts(r.rest()); r.State() != experiment.Detached || got != "change attached\nchange detached\n" {
			t.Fatalf("the experiment is %v, with records:\n%s", r.State(), got)
		}
	}
}
