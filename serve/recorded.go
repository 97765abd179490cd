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

// feed is where snapshots come from.
type feed interface {
	get(ctx context.Context) (*snapshot, error) // waits for a fresh one
	latest() *snapshot                          // nil where there is none
	close() error
}

// recorded are the last two samples of a record. The first scrape gets the one before the
// last, so that what the counters did in between shows as a rate; all others get the last.
type recorded struct {
	mu   sync.Mutex
	last []*snapshot
}

// readRecorded reads a record to its end. Where that cannot be reached, what came before it is the end, and
// damaged is told why.
func readRecorded(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options,
	took func(*measure.Cycle, error), damaged func(error),
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
		took(cycle, nil)

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
		return nil, fmt.Errorf("the record has no samples: %w", io.ErrUnexpectedEOF)
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

// latest returns the sample that is next.
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
