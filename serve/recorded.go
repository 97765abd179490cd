package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

type feed interface {
	get(ctx context.Context) (*snapshot, error) // waits for a fresh one
	latest() *snapshot                          // nil without one
	close() error
}

// recorded has the last two samples of a log. The first scrape gets the earlier one, so that rates
// can be computed; later scrapes get the last one.
type recorded struct {
	mu   sync.Mutex
	last []*snapshot
}

// readRecorded reads a log to its end, or to the first error, which it passes to damaged.
func readRecorded(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options,
	sampled func(*measure.Cycle, error), damaged func(error),
) (*recorded, error) {
	r := &recorded{}
	opt.KeepFirst = true
	number := uint64(0)
	var broken error
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			broken = err // the last one that is yielded
			break
		}
		sampled(cycle, nil)

		number++
		if len(r.last) == 2 {
			r.last = slices.Delete(r.last, 0, 1)
		}
		r.last = append(r.last, newSnapshot(cycle, number))
	}

	switch err := ctx.Err(); {
	case err != nil:
		return nil, errors.Join(err, r.close())
	case len(r.last) == 0 && broken != nil:
		return nil, broken
	case len(r.last) == 0:
		return nil, fmt.Errorf("the log has no samples: %w", io.ErrUnexpectedEOF)
	case broken != nil:
		damaged(broken)
	}
	return r, nil
}

func (r *recorded) get(context.Context) (*snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) == 0 {
		return nil, errClosed
	}
	return r.last[0], nil
}

// latest returns the next sample.
func (r *recorded) latest() *snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) == 0 {
		return nil
	}
	s := r.last[0]
	if len(r.last) == 2 {
		r.last = slices.Delete(r.last, 0, 1)
	}
	return s
}

func (r *recorded) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = nil
	return nil
}
