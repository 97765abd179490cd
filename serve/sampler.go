package serve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// snapshot is one sample for all scrapes at about the same time. It does not change. Its frame is read
// with the turn: until the sampler has decoded two more samples, for which it needs the turn.
type snapshot struct {
	number   uint64 // tells it from others of the same sampler; from 1
	time     time.Time
	frame    frame.Frame
	names    *nametable.Names
	cost     measure.Cost
	partial  bool      // it lacks objects
	deadline time.Time // until which it could last; zero: without limit
}

func newSnapshot(c *measure.Cycle, number uint64) *snapshot {
	return &snapshot{
		number: number, time: c.Time, frame: c.Frame, names: c.Names, cost: c.Cost, partial: partial(c),
	}
}

// suits reports whether a scrape that allows a sample to last until the deadline can have this one. A partial
// sample that had less time does not suit it.
func (s *snapshot) suits(deadline time.Time) bool {
	return !s.partial || !earlier(s.deadline, deadline)
}

// earlier reports whether one deadline is before another. The zero time is no limit.
func earlier(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }

// sampler takes samples when they are asked for, one at a time, and shares them.
type sampler struct {
	renew func() *measure.Measurement
	c     *measure.Measurement
	fresh time.Duration // how old a sample may be to be handed out
	least time.Duration // that each sample may take, even if the scrape that began it waits for less
	// took is told of every sample that ended, on the goroutine that took it.
	took func(*measure.Cycle, error)
	// mapped returns the frame that scrapes mapped last. It is called with the turn.
	mapped func() frame.Frame
	turn   chan struct{} // see Exporter
	last   frame.Frame   // that was decoded

	base   context.Context // of all samples
	cancel context.CancelFunc

	mu     sync.Mutex
	newest *snapshot // the last one that succeeded
	begun  time.Time // the last one that was begun
	ended  time.Time // the newest one was complete
	number uint64
	err    error     // of the last one
	flight *flight   // that is under way; nil: none is
	wanted time.Time // the latest deadline of a scrape so far
	closed bool
}

// flight is a sample that is under way.
type flight struct {
	done     chan struct{}
	deadline time.Time // zero: none
	err      error     // once it is done
}

func newSampler(
	renew func() *measure.Measurement, took func(*measure.Cycle, error),
	mapped func() frame.Frame, turn chan struct{},
) *sampler {
	s := &sampler{
		renew: renew, c: renew(), fresh: measure.LeastInterval, least: leastTime,
		took: took, mapped: mapped, turn: turn,
	}
	s.base, s.cancel = context.WithCancel(context.Background())
	return s
}

// leastTime is longer than sources wait for one of their providers. So no scrape can make a sample lack
// objects that are only slow.
const leastTime = defaultTimeout

// closeGrace is how long is waited for a sample that was told to end.
const closeGrace = 3 * time.Second

// errClosed says that the configuration was replaced while a scrape waited.
var errClosed = errors.New("the exporter is closed")

// get returns a sample that is under way or was complete just now, or takes one. It waits as long as ctx
// lasts. It takes another one after a sample that had less time and needed all of it, or is partial. The
// error is from the sample or from ctx.
func (s *sampler) get(ctx context.Context) (best *snapshot, err error) {
	deadline := before(ctx)
	for {
		f, shared := s.board(deadline, best)
		if f == nil {
			return shared, nil
		}

		select {
		case <-ctx.Done():
			if best != nil {
				return best, nil
			}
			return nil, fmt.Errorf("it did not come in time: %w", ctx.Err())
		case <-f.done:
		}

		got, err := s.land(f)
		if got != nil {
			best = got
		}
		hurried := earlier(f.deadline, deadline) && !time.Now().Before(f.deadline)
		switch {
		case (hurried || got != nil && !got.suits(deadline)) && !errors.Is(err, errClosed):
		case best != nil:
			return best, nil
		default:
			return nil, err
		}
	}
}

// board returns a sample to wait for, or one that is there and fresh and another one than had.
func (s *sampler) board(deadline time.Time, had *snapshot) (*flight, *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if deadline.After(s.wanted) {
		s.wanted = deadline
	}
	ready := s.newest != nil && s.err == nil && s.flight == nil && s.newest != had
	if ready && s.newest.suits(deadline) && time.Since(s.ended) < s.fresh {
		return nil, s.newest
	}
	return s.start(deadline), nil
}

// land returns what a sample gave that is done.
func (s *sampler) land(f *flight) (*snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.err != nil:
		return nil, f.err
	case s.newest == nil:
		return nil, errClosed
	}
	return s.newest, nil
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

// latest returns the newest sample, nil where there is none.
func (s *sampler) latest() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		return nil
	}
	return s.newest
}

// start begins a sample if none is under way. Its caller has the lock. The sample has until the deadline,
// where there is one, but no less than the least time, and until all scrapes so far end: a scrape with a
// short timeout must not take objects from the others, which may get this sample too. A scrape that is broken
// off does not end it, as others may wait for it.
func (s *sampler) start(deadline time.Time) *flight {
	if s.flight != nil {
		return s.flight
	}
	if least := time.Now().Add(s.least); !deadline.IsZero() && deadline.Before(least) {
		deadline = least
	}
	if earlier(deadline, s.wanted) && !s.wanted.IsZero() {
		deadline = s.wanted
	}
	s.flight = &flight{done: make(chan struct{}), deadline: deadline}
	if s.closed {
		s.err, s.flight.err = errClosed, errClosed
		close(s.flight.done)
		return s.flight
	}

	s.begun = time.Now()
	go func() {
		ctx := s.base
		if !deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline)
			defer cancel()
		}
		s.take(ctx)
	}()
	return s.flight
}

// take takes a sample.
func (s *sampler) take(ctx context.Context) {
	cycle, err := s.cycle(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.flight.err = err, err
	if err == nil {
		s.number++
		s.newest = newSnapshot(cycle, s.number)
		s.newest.deadline = s.flight.deadline
		s.ended = time.Now()
	}
	close(s.flight.done)
	s.flight = nil
}

// cycle measures once and reports. A panic discards this sample and its measurement, which is closed.
func (s *sampler) cycle(ctx context.Context) (*measure.Cycle, error) {
	begin := time.Now()
	cycle, err := contain(func() (*measure.Cycle, error) { return s.measure(ctx) })
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it was not complete after %v: %w", time.Since(begin).Round(10*time.Microsecond), err)
	}
	if _, panics := errors.AsType[*panicked](err); panics {
		abandon(s.c)
		s.mu.Lock()
		s.c = s.renew()
		s.mu.Unlock()
	}
	s.took(cycle, err)
	return cycle, err
}

// abandon closes a measurement that panicked. Close may panic too, or never return: then it is left behind.
func abandon(c *measure.Measurement) {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	_, _ = call.Once(ctx, func() (*measure.Cycle, error) {
		return contain(func() (*measure.Cycle, error) { return nil, c.Close() })
	})
}

// measure measures once. To decode a sample ends the frame before the last one, which only scrapes with the
// turn read. It is kept if it is the one that they mapped last, because the next one is compared with it.
func (s *sampler) measure(ctx context.Context) (cycle *measure.Cycle, err error) {
	if err := s.c.Prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.c.Sample(ctx); err != nil {
		return nil, err
	}

	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-s.base.Done():
		return nil, s.base.Err()
	}
	if f := s.mapped(); f != s.last {
		if err := f.Keep(); err != nil {
			return nil, err
		}
	}
	if cycle, err = s.c.Decode(); err == nil {
		s.last = cycle.Frame
	}
	return cycle, err
}

// contain makes an error of a panic.
func contain(do func() (*measure.Cycle, error)) (cycle *measure.Cycle, err error) {
	defer func() {
		if r := recover(); r != nil {
			cycle, err = nil, &panicked{r, debug.Stack()}
		}
	}()
	return do()
}

// panicked is the error of a sample that panicked.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic while a sample was taken: %v", p.value) }

// beside returns the newest sample, nil where there is none yet, and begins the next one when
// the last was begun an interval ago. Only the first one is waited for, as long as ctx lasts;
// it may last longer, up to the limit.
func (s *sampler) beside(ctx context.Context, interval, limit time.Duration) *snapshot {
	s.mu.Lock()
	f := s.flight
	if f == nil && (s.begun.IsZero() || time.Since(s.begun) >= interval) {
		f = s.start(time.Now().Add(limit))
	}
	first := s.newest == nil && s.err == nil
	s.mu.Unlock()

	if first && f != nil {
		select {
		case <-ctx.Done():
		case <-f.done:
		}
	}
	return s.latest()
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
		case <-flight.done:
		case <-time.After(closeGrace):
			return errors.New("the source did not end its sample")
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = nil
	return s.c.Close()
}
