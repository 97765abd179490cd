package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// snapshot is one sample for all who ask for it at about the same time. It does not
// change. Its frame is held until nobody uses it any more.
type snapshot struct {
	number   uint64 // tells it from others of the same sampler; from 1
	time     time.Time
	frame    frame.Frame // zero where values came cooked
	readings winperf.ReadingList
	names    *nametable.Names
	cost     measure.Cost

	mu    sync.Mutex
	users int
}

// newSnapshot keeps what a cycle gave. It is held once.
func newSnapshot(c *measure.Cycle, number uint64) *snapshot {
	s := &snapshot{number: number, time: c.Time, names: c.Names, cost: c.Cost, users: 1}
	if c.Frame.IsZero() {
		s.readings = slices.Clone(c.Readings())
	} else if c.Frame.Retain() == nil {
		s.frame = c.Frame
	}
	return s
}

func (s *snapshot) hold() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s
}

// release gives up one hold; nil holds nothing.
func (s *snapshot) release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 && !s.frame.IsZero() {
		s.frame.Release()
	}
}

// sampler takes samples when they are asked for, one at a time, and shares them.
type sampler struct {
	c     *measure.Measurement
	fresh time.Duration // how old a sample may be to be handed out
	// took is told of every sample that ended, on the goroutine that took it.
	took func(*measure.Cycle, error)

	base   context.Context // of all samples
	cancel context.CancelFunc

	mu     sync.Mutex
	newest *snapshot // the last one that succeeded
	begun  time.Time // the last one that was begun
	ended  time.Time // the newest one was complete
	number uint64
	err    error         // of the last one
	flight chan struct{} // closed when the one that is under way ends; nil: none is
	closed bool
}

func newSampler(c *measure.Measurement, took func(*measure.Cycle, error)) *sampler {
	s := &sampler{c: c, fresh: measure.LeastInterval, took: took}
	s.base, s.cancel = context.WithCancel(context.Background())
	return s
}

// closeGrace is how long is waited for a sample that was told to end.
const closeGrace = 3 * time.Second

// errClosed says that the configuration was replaced while a scrape waited.
var errClosed = errors.New("the exporter is closed")

// get returns a sample that is under way or was complete just now, or takes one. It waits
// as long as ctx lasts, and the sample, too, gets no longer than that. The error is that of the
// sample or of ctx. The caller releases the snapshot.
func (s *sampler) get(ctx context.Context) (*snapshot, error) {
	s.mu.Lock()
	if s.newest != nil && s.err == nil && s.flight == nil && time.Since(s.ended) < s.fresh {
		defer s.mu.Unlock()
		return s.newest.hold(), nil
	}
	flight := s.start(before(ctx))
	s.mu.Unlock()

	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-flight:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	return s.newest.hold(), nil
}

// before is when a sample must end so that there is time to hand it over before ctx ends; zero
// where that has no end.
func before(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return deadline
	}
	return deadline.Add(-time.Until(deadline) / 10)
}

// start begins a sample if none is under way, and returns what is closed when it ends. Its
// caller has the lock. The sample has until the deadline, where there is one; a scrape
// that is broken off does not end it, as others may wait for it.
func (s *sampler) start(deadline time.Time) <-chan struct{} {
	if s.flight != nil {
		return s.flight
	}
	s.flight = make(chan struct{})
	if s.closed {
		s.err = errClosed
		close(s.flight)
		return s.flight
	}

	ctx, cancel := context.WithCancel(s.base)
	if !deadline.IsZero() {
		ctx, cancel = context.WithDeadline(s.base, deadline)
	}
	s.begun = time.Now()
	go func() {
		defer cancel()
		s.take(ctx)
	}()
	return s.flight
}

// take takes a sample.
func (s *sampler) take(ctx context.Context) {
	cycle, err := s.c.Cycle(ctx)
	s.took(cycle, err)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	if err == nil {
		s.newest.release()
		s.number++
		s.newest = newSnapshot(cycle, s.number)
		s.ended = time.Now()
	}
	close(s.flight)
	s.flight = nil
}

// beside returns the newest sample, nil where there is none yet, and begins the next one when
// the last was begun an interval ago. Only the first one is waited for, as long as ctx lasts;
// it may last longer, up to the limit.
func (s *sampler) beside(ctx context.Context, interval, limit time.Duration) *snapshot {
	s.mu.Lock()
	var flight <-chan struct{} = s.flight
	if flight == nil && (s.begun.IsZero() || time.Since(s.begun) >= interval) {
		flight = s.start(time.Now().Add(limit))
	}
	first := s.newest == nil && s.err == nil
	s.mu.Unlock()

	if first {
		select {
		case <-ctx.Done():
		case <-flight:
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		return nil
	}
	return s.newest.hold()
}

// close ends the sample that is under way and gives back the newest one.
func (s *sampler) close() error {
	s.cancel()
	s.mu.Lock()
	s.closed = true
	flight := s.flight
	s.mu.Unlock()

	if flight != nil {
		select {
		case <-flight:
		case <-time.After(closeGrace):
			return errors.New("the source did not end its sample")
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest.release()
	s.newest = nil
	return s.c.Close()
}
