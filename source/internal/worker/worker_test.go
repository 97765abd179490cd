package worker_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/worker"
)

// TestLeftBehind leaves a function that does not return, and goes on when it
// does.
func TestLeftBehind(t *testing.T) {
	w := worker.New()
	hang, started := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if err := w.Do(ctx, func() { close(started); <-hang }); !errors.Is(err, context.Canceled) || errors.Is(err, provider.ErrBusy) {
		t.Errorf("left: %v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Millisecond))
	defer cancel()
	if err := w.Do(late, func() { t.Error("ran") }); !errors.Is(err, provider.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("busy: %v", err)
	}
	close(hang)
	ran := 0
	for range 3 {
		if err := w.Do(t.Context(), func() { ran++ }); err != nil {
			t.Error(err)
		}
	}
	if ran != 3 {
		t.Errorf("ran %d times", ran)
	}
	f := func() { ran++ }
	if n := testing.AllocsPerRun(10, func() { _ = w.Do(t.Context(), f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	last := false
	if err := w.Close(time.Hour, func() { last = true }); err != nil || !last {
		t.Errorf("close: %v, %v", err, last)
	}
	if err := w.Close(time.Hour, func() { t.Error("ran") }); err != nil {
		t.Error(err)
	}
	if err := w.Do(t.Context(), func() { t.Error("ran") }); !errors.Is(err, winperf.ErrState) {
		t.Errorf("closed: %v", err)
	}
}

// TestCloseBusy does not wait for a function that hangs.
func TestCloseBusy(t *testing.T) {
	w := worker.New()
	hang, started, last := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_ = w.Do(ctx, func() { close(started); <-hang })
	if err := w.Close(0, func() { close(last) }); !errors.Is(err, provider.ErrBusy) {
		t.Error(err)
	}
	close(hang)
	<-last
}

// TestMany uses a worker from several goroutines.
func TestMany(t *testing.T) {
	w := worker.New()
	var wg sync.WaitGroup
	n := 0
	for range 8 {
		wg.Go(func() {
			for range 100 {
				_ = w.Do(t.Context(), func() { n++ })
			}
		})
	}
	wg.Wait()
	if n != 800 {
		t.Errorf("ran %d times", n)
	}
	_ = w.Close(time.Hour, func() {})
}
