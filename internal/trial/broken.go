package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"

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
	broken *broken
}

// Deliver implements [delivery.Sink].
func (s resultsSink) Deliver(ctx context.Context, batch []delivery.Item) error {
	err := s.Sink.Deliver(ctx, batch)
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.broken.tell(err)
	return &delivery.Refused{Err: err}
}
