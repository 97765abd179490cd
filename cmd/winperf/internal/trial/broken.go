package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf/experiment/delivery"
)

// errBroken ends the runs of an experiment whose results folder cannot be written.
var errBroken = errors.New("the results directory cannot be written")

// broken records that the results directory cannot be written, for example on a full disk. Then no further
// run is started.
type broken struct {
	closed chan struct{} // closed by the first error

	mu  sync.Mutex
	err error
}

func (b *broken) markBroken(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = fmt.Errorf("%w: %w", errBroken, err)
		close(b.closed)
	}
}

// stop returns an error if no further run should be started.
func (b *broken) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// resultsSink writes to the results folder. Records that cannot be written are counted and dropped, so
// that no command waits for a full disk.
type resultsSink struct {
	delivery.Sink
	broken  *broken
	earlier *earlier
}

type earlier struct {
	session atomic.Pointer[string] // of this run; nil before its first record
	records atomic.Uint64
}

func (e *earlier) count(batch []delivery.Item) {
	if own := e.session.Load(); len(batch) > 0 && (own == nil || batch[0].Session != *own) {
		e.records.Add(uint64(len(batch)))
	}
}

func (s resultsSink) Deliver(ctx context.Context, batch []delivery.Item) error {
	err := s.Sink.Deliver(ctx, batch)
	if err == nil {
		s.earlier.count(batch)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.broken.markBroken(err)
	return delivery.Refuse(err)
}
