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

// Records is a source of records: an experiment.
type Records interface {
	// Next returns up to n of the next records, waits until at least one is available, and returns io.EOF
	// at the end.
	Next(ctx context.Context, n int) ([]*experiment.Record, error)
	// Done reports that the records up to a number need not be kept.
	Done(through uint64) error
}

// Run takes records until from ends or ctx ends. While the queue is full it takes none: they stay in the
// experiment, under the policies of its bindings. Errors, such as a full disk, are retried each second;
// State shows them. Run should be ended by the end of from: the end of ctx, or Close, loses up to 100
// records that were just taken. The error then wraps ErrUndelivered and counts them. A record without a
// number ends Run, too.
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

const (
	runBatch = 100
	pause    = time.Second
)

func (d *Delivery) bring(ctx context.Context, from Records, records []*experiment.Record) error {
	err := d.insist(ctx, func() error {
		n, err := d.Put(ctx, records...)
		if n > 0 {
			// If this fails, the next run delivers the records again.
			d.trouble(from.Done(records[n-1].Number))
		}
		records = records[n:]
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w: %d records did not reach the queue: %w", ErrUndelivered, len(records), err)
	}
	return err
}

// insist calls try until it succeeds, ctx or the delivery ends, or a retry cannot help.
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

func (d *Delivery) trouble(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = err
}
