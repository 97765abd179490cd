package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/retry"
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
		var records []*experiment.Record
		err := d.insist(ctx, func() (err error) {
			records, err = from.Next(ctx, runBatch)
			return err
		})
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = d.bring(ctx, from, records)
		}
		if err != nil {
			return err
		}
	}
}

// runBatch is the number of records that Run takes at once, and pause how long it waits after a failure.
const (
	runBatch = 100
	pause    = time.Second
)

// bring puts records into the queue, all of them, unless ctx or the delivery ends.
func (d *Delivery) bring(ctx context.Context, from Records, records []*experiment.Record) error {
	err := d.insist(ctx, func() error {
		n, err := d.Put(ctx, records...)
		if n > 0 {
			// Where this fails the records come again in the next run, which is no loss.
			d.trouble(from.Done(records[n-1].Number))
		}
		records = records[n:]
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w: %d that were on their way into the queue: %w", ErrUndelivered, len(records), err)
	}
	return err
}

// insist calls try until it succeeds, ctx or the delivery ends, or trying again cannot help.
func (d *Delivery) insist(ctx context.Context, try func() error) error {
	gaps := retry.Policy{First: pause, Most: pause}
	until, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(d.open, cancel)
	defer stop()

	return gaps.Do(until, func() error {
		err := try()
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, errNoNumber) {
			return err
		}
		d.trouble(err)
		return retry.Later(0, err)
	})
}

// trouble notes why records do not come into the queue; nil is that they do.
func (d *Delivery) trouble(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = err
}
