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

// snapshot is an immutable sample shared by concurrent scrapes. Read its frame only with the turn,
// until the sampler has decoded two more samples.
type snapshot struct {
	number   uint64 // unique in the sampler; from 1
	time     time.Time
	frame    frame.Frame
	names    *nametable.Names
	cost     measure.Cost
	partial  bool      // it lacks objects
	deadline time.Time // of the sample; zero: none
}

func newSnapshot(c *measure.Cycle, number uint64) *snapshot {
	return &snapshot{
		number: number, time: c.Time, frame: c.Frame, names: c.Names, cost: c.Cost, partial: partial(c),
	}
}

// suits reports whether a scrape with a deadline for its sample can use this one. A partial sample
// with an earlier deadline does not suit.
func (s *snapshot) suits(deadline time.Time) bool {
	return !s.partial || !earlier(s.deadline, deadline)
}

// earlier reports whether one deadline is before another. The zero time is no deadline.
func earlier(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }

// sampler takes samples on demand, one at a time, and shares them.
type sampler struct {
	renew func() *measure.Measurement
	c     *measure.Measurement
	fresh time.Duration // the largest age of a shared sample
	least time.Duration // the shortest timeout of a sample
	// sampled is called for every sample that ended, on the goroutine that took it.
	sampled func(*measure.Cycle, error)
	// mapped returns the frame that was mapped last. It is called with the turn.
	mapped func() frame.Frame
	turn   chan struct{} // see Exporter
	last   frame.Frame   // the last decoded frame

	base   context.Context // of all samples
	cancel context.CancelFunc

	mu             sync.Mutex
	newest         *snapshot // the latest successful sample
	begun          time.Time // start of the latest sample
	ended          time.Time // end of newest
	number         uint64
	err            error     // of the latest sample
	pending        *pending  // the current sample, or nil
	latestDeadline time.Time // the latest deadline of a scrape
	closed         bool
}

// pending is a sample in progress.
type pending struct {
	done     chan struct{}
	deadline time.Time // zero: none
	err      error     // valid after done
}

func newSampler(
	renew func() *measure.Measurement, sampled func(*measure.Cycle, error),
	mapped func() frame.Frame, turn chan struct{},
) *sampler {
	s := &sampler{
		renew: renew, c: renew(), fresh: measure.LeastInterval, least: leastTime,
		sampled: sampled, mapped: mapped, turn: turn,
	}
	s.base, s.cancel = context.WithCancel(context.Background())
	return s
}

// leastTime exceeds the sources' timeout for providers, so that a scrape with a short timeout does
// not remove slow objects from the sample.
const leastTime = defaultTimeout

// closeGrace is the timeout for a cancelled sample.
const closeGrace = 3 * time.Second

// errClosed reports that the exporter was closed, for example by a new configuration, while a
// scrape waited.
var errClosed = errors.New("the exporter is closed")

// get returns the current or a fresh sample, or takes one. It waits until ctx ends. It tries again
// after a sample that is partial or was stopped by an earlier deadline. The error is from the
// sample or from ctx.
func (s *sampler) get(ctx context.Context) (best *snapshot, err error) {
	deadline := before(ctx)
	for {
		f, shared := s.acquire(deadline, best)
		if f == nil {
			return shared, nil
		}

		select {
		case <-ctx.Done():
			if best != nil {
				return best, nil
			}
			return nil, fmt.Errorf("the sample is not complete: %w", ctx.Err())
		case <-f.done:
		}

		got, err := s.result(f)
		if got != nil {
			best = got
		}
		early := earlier(f.deadline, deadline) && !time.Now().Before(f.deadline)
		switch {
		case (early || got != nil && !got.suits(deadline)) && !errors.Is(err, errClosed):
		case best != nil:
			return best, nil
		default:
			return nil, err
		}
	}
}

// acquire returns a sample to wait for, or a fresh one other than had.
func (s *sampler) acquire(deadline time.Time, had *snapshot) (*pending, *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if deadline.After(s.latestDeadline) {
		s.latestDeadline = deadline
	}
	ready := s.newest != nil && s.err == nil && s.pending == nil && s.newest != had
	if ready && s.newest.suits(deadline) && time.Since(s.ended) < s.fresh {
		return nil, s.newest
	}
	return s.start(deadline), nil
}

// result returns the result of a completed sample.
func (s *sampler) result(f *pending) (*snapshot, error) {
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

// before returns the deadline of a sample that leaves time for the answer before ctx ends; zero
// without one.
func before(ctx context.Context) time.Time {
	deadline, ok := ctx.Deadline()
	if !ok {
		return deadline
	}
	return deadline.Add(-time.Until(deadline) / 10)
}

func (s *sampler) latest() *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		return nil
	}
	return s.newest
}

// start begins a sample if none is in progress. The caller holds the lock. Its deadline is extended
// to the shortest timeout and to the deadlines of all scrapes, which may share the sample. A
// cancelled scrape does not stop it.
func (s *sampler) start(deadline time.Time) *pending {
	if s.pending != nil {
		return s.pending
	}
	if least := time.Now().Add(s.least); !deadline.IsZero() && deadline.Before(least) {
		deadline = least
	}
	if earlier(deadline, s.latestDeadline) && !s.latestDeadline.IsZero() {
		deadline = s.latestDeadline
	}
	s.pending = &pending{done: make(chan struct{}), deadline: deadline}
	if s.closed {
		s.err, s.pending.err = errClosed, errClosed
		close(s.pending.done)
		return s.pending
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
	return s.pending
}

func (s *sampler) take(ctx context.Context) {
	cycle, err := s.cycle(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.pending.err = err, err
	if err == nil {
		s.number++
		s.newest = newSnapshot(cycle, s.number)
		s.newest.deadline = s.pending.deadline
		s.ended = time.Now()
	}
	close(s.pending.done)
	s.pending = nil
}

// cycle measures once and reports. A panic discards this sample and its measurement, which is
// closed.
func (s *sampler) cycle(ctx context.Context) (*measure.Cycle, error) {
	begin := time.Now()
	cycle, err := contain(func() (*measure.Cycle, error) { return s.measure(ctx) })
	if errors.Is(err, context.DeadlineExceeded) {
		took := time.Since(begin).Round(10 * time.Microsecond)
		err = fmt.Errorf("the sample was not complete after %v: %w", took, err)
	}
	if _, panics := errors.AsType[*panicked](err); panics {
		abandon(s.c)
		s.mu.Lock()
		s.c = s.renew()
		s.mu.Unlock()
	}
	s.sampled(cycle, err)
	return cycle, err
}

// abandon closes a measurement that panicked. If Close panics or blocks, it is ignored.
func abandon(c *measure.Measurement) {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	_, _ = call.Once(ctx, func() (*measure.Cycle, error) {
		return contain(func() (*measure.Cycle, error) { return nil, c.Close() })
	})
}

// measure measures once. Decode invalidates the frame before the last one, which only scrapes with
// the turn read. It is kept if it was mapped last, because the next frame is compared with it.
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

func contain(do func() (*measure.Cycle, error)) (cycle *measure.Cycle, err error) {
	defer func() {
		if r := recover(); r != nil {
			cycle, err = nil, &panicked{r, debug.Stack()}
		}
	}()
	return do()
}

type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic while a sample was taken: %v", p.value) }

// background returns the latest sample, or nil, and begins the next one an interval after the start of
// the last. It waits only for the first sample, until ctx ends; that sample may continue up to the
// limit.
func (s *sampler) background(ctx context.Context, interval, limit time.Duration) *snapshot {
	s.mu.Lock()
	f := s.pending
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

// close stops the current sample and releases the latest one.
func (s *sampler) close() error {
	s.cancel()
	s.mu.Lock()
	s.closed = true
	pending := s.pending
	s.mu.Unlock()

	if pending != nil {
		select {
		case <-pending.done:
		case <-time.After(closeGrace):
			return errors.New("the source did not end its sample")
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = nil
	return s.c.Close()
}
