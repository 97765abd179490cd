package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf/experiment"
)

// Records is where records come from: an experiment.
type Records interface {
	// Next returns up to n records that are next, waits until there is one, and returns
	// io.EOF at the end.
	Next(ctx context.Context, n int) ([]*experiment.Record, error)
	// Done tells that the records up to a number need not be kept any more.
	Done(through uint64) error
}

// Run takes records until there are no more or ctx ends. While the queue is full it takes
// none: they stay where they are, under the policy of their bindings. What fails, such as a
// disk that is full, is tried again each second, and State tells it meanwhile. The end of ctx,
// or Close, loses those that were just taken, up to 100: the error then wraps ErrUndelivered
// and counts them. So it should be the end of from that ends Run. So does a record without a number, which no
// experiment gives.
func (d *Delivery) Run(ctx context.Context, from Records) error {
	for {
		records, err := from.Next(ctx, runBatch)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = d.bring(ctx, from, records)
		}
		if errors.Is(err, errNoNumber) || err != nil && !d.rest(ctx, err) {
			return err
		}
	}
}

// runBatch is how many records Run takes at once, and retry how long it leaves alone what failed.
const (
	runBatch = 100
	retry    = time.Second
)

// bring puts records into the queue, all of them, unless ctx or the delivery ends.
func (d *Delivery) bring(ctx context.Context, from Records, records []*experiment.Record) error {
	for {
		n, err := d.Put(ctx, records...)
		if n > 0 {
			// Where this fails the records come again in the next run, which is no loss.
			d.trouble(from.Done(records[n-1].Number))
		}
		if records = records[n:]; len(records) == 0 {
			return nil
		}
		if errors.Is(err, errNoNumber) || !d.rest(ctx, err) {
			return fmt.Errorf("%w: %d that were on their way into the queue: %w", ErrUndelivered, len(records), err)
		}
	}
}

// rest waits before something that failed is tried again. It reports whether there is a next time.
func (d *Delivery) rest(ctx context.Context, err error) bool {
	d.trouble(err)
	pause := time.NewTimer(retry)
	defer pause.Stop()
	select {
	case <-pause.C:
		return ctx.Err() == nil
	case <-ctx.Done():
	case <-d.closed:
	}
	return false
}

// trouble notes why records do not come into the queue; nil is that they do.
func (d *Delivery) trouble(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = err
}
