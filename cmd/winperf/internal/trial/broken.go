package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf/experiment/delivery"
)

// errBroken ends the runs of an experiment whose results folder takes no more.
var errBroken = errors.New("the results folder takes no more")

// broken tells that the results folder takes no more, such as on a full disk: no further run is begun,
// as it would be measured for nothing.
type broken struct {
	told chan struct{} // closed with the first error

	mu  sync.Mutex
	err error
}

func (b *broken) tell(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = fmt.Errorf("%w: %w", errBroken, err)
		close(b.told)
	}
}

// stop is an error where no further run should be begun.
func (b *broken) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// resultsSink is the way into the results folder. What it does not take is counted and left out: nothing
// waits for a disk that is full, and no command for records.
type resultsSink struct {
	delivery.Sink
	broken  *broken
	earlier *earlier
}

// earlier counts records that a run which was killed had left in its queue.
type earlier struct {
	session atomic.Pointer[string] // of this run; nil before it has any records
	records atomic.Uint64
}

// count counts what was delivered: a batch is of one session.
func (e *earlier) count(batch []delivery.Item) {
	if own := e.session.Load(); len(batch) > 0 && (own == nil || batch[0].Session != *own) {
		e.records.Add(uint64(len(batch)))
	}
}

// Deliver implements [delivery.Sink].
func (s resultsSink) Deliver(ctx context.Context, batch []delivery.Item) error {
	err := s.Sink.Deliver(ctx, batch)
	if err == nil {
		s.earlier.count(batch)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.broken.tell(err)
	return delivery.Refuse(err)
}
