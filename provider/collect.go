package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/datablock"
)

// Collect appends one performance data block with the requested objects to dst. It fails only if ctx
// ends, or with [winperf.ErrState] if the dispatcher is closed. It then returns dst without spare
// capacity. An abandoned provider may still read q and write to the spare capacity of dst: use only the
// returned slice afterwards.
//
// If ctx has a deadline, providers get at most three quarters of the time until then: the objects of fast
// providers arrive even if another one is slow. A provider that fails because of that is paused like any
// other.
func (d *Dispatcher) Collect(ctx context.Context, q *Query, dst []byte) ([]byte, error) {
	block, _, err := d.CollectPart(ctx, q, dst)
	return block, err
}

// CollectPart is Collect. It also returns why requested objects are missing: lack joins the errors of
// providers that failed or did not answer in time, in this call or in their last one, or is nil. It omits
// each error that wraps [io/fs.ErrPermission].
func (d *Dispatcher) CollectPart(ctx context.Context, q *Query, dst []byte) (block []byte, lack, err error) {
	if err := d.takeTurn(ctx); err != nil {
		return slices.Clip(dst), nil, err
	}
	defer func() { <-d.turn }()

	if err := d.awaitAbandoned(ctx, q); err != nil {
		return slices.Clip(dst), nil, err
	}
	d.choose(q)
	if err := d.open(ctx); err != nil {
		return slices.Clip(dst), nil, err
	}

	clocks := d.opt.Clocks()
	block = d.appendHead(dst, clocks)
	r := round{stage: stageCollect, limit: d.opt.CollectTimeout, query: q, clocks: clocks, block: block}
	if err := d.makeRound(ctx, d.selected, r); err != nil {
		return slices.Clip(dst), nil, err
	}

	block, objects := d.assemble(block)
	datablock.FinishBlock(block[len(dst):], objects)
	return block, d.lack(q), nil
}

func (d *Dispatcher) lack(q *Query) error {
	var errs []error
	for _, e := range d.entries {
		if e.failure != nil && slices.ContainsFunc(e.objects, q.Includes) {
			errs = append(errs, e.failure)
		}
	}
	return errors.Join(errs...)
}

func (d *Dispatcher) appendHead(dst []byte, clocks counter.Clocks) []byte {
	return datablock.AppendHead(dst, &datablock.Head{
		Machine:       d.opt.Machine,
		DefaultObject: -1,
		SystemTime:    winperf.FromFiletime(clocks.Time100ns),
		Clocks:        clocks,
	})
}

func (d *Dispatcher) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closing:
		return errClosed()
	}
}

func errClosed() error { return fmt.Errorf("collect from a closed dispatcher: %w", winperf.ErrState) }

// awaitAbandoned waits for providers whose call was abandoned because its query was cancelled. It waits
// up to the collect timeout, but leaves half of the time to ctx's deadline for the query itself.
func (d *Dispatcher) awaitAbandoned(ctx context.Context, q *Query) error {
	var left []*call.Line
	for _, e := range d.entries {
		if e.line.Busy() && !e.busyReported && slices.ContainsFunc(e.objects, q.Includes) {
			left = append(left, e.line)
		}
	}

	if len(left) == 0 {
		return nil
	}
	d.round.AwaitAbandoned(ctx, left, call.Share(ctx, d.opt.CollectTimeout, 1./2), d.closing)
	return d.ended(ctx)
}

func (d *Dispatcher) choose(q *Query) {
	d.selected = d.selected[:0]
	for _, e := range d.entries {
		if slices.ContainsFunc(e.objects, q.Includes) && d.canQuery(e) {
			d.selected = append(d.selected, e)
		}
	}
}

func (d *Dispatcher) canQuery(e *entry) bool {
	if e.line.Busy() {
		if !e.busyReported {
			e.busyReported = true
			d.fail(e, e.stage, ErrBusy)
		}
		return false
	}
	d.passReports(e)
	return e.pauses.Over(time.Now())
}

func (d *Dispatcher) open(ctx context.Context) error {
	var closed []*entry
	for _, e := range d.selected {
		if e.session == nil {
			closed = append(closed, e)
		}
	}

	if len(closed) == 0 {
		return nil
	}
	if err := d.makeRound(ctx, closed, round{stage: stageOpen, limit: d.opt.OpenTimeout}); err != nil {
		return err
	}
	d.selected = slices.DeleteFunc(d.selected, func(e *entry) bool { return !d.canQuery(e) || e.session == nil })
	return nil
}

// assemble joins the objects and counts them. The first provider wrote its objects directly after the
// block's head, the others to separate buffers; see makeRound. Memory that an abandoned provider may
// still write to is not reused.
func (d *Dispatcher) assemble(block []byte) (_ []byte, objects int) {
	for i, e := range d.selected {
		a := e.answered()
		objects += a.objects

		switch {
		case i > 0:
			e.buf = a.buf
			block = append(block, e.buf...)
		case a.buf != nil:
			block = a.buf
		case e.line.Outcome() == call.Abandoned:
			block = slices.Clone(block)
		}
	}
	return block, objects
}

// Close closes the sessions and returns their errors, which are also reported. A running query ends with
// an error. A provider that does not return within a second is abandoned: the error wraps [ErrBusy], and
// its session is closed when it returns.
func (d *Dispatcher) Close() error {
	var errs []error
	d.once.Do(func() {
		close(d.closing)
		d.turn <- struct{}{}
		errs = d.closeAll()
	})
	return errors.Join(errs...)
}

func (d *Dispatcher) closeAll() (errs []error) {
	failures := make([]error, len(d.entries))
	var wait sync.WaitGroup
	for i, e := range d.entries {
		wait.Go(func() {
			var failed error
			err := e.line.Close(closeGrace, func() error { failed = e.closeSession(); return nil })
			if err == nil {
				failures[i] = failed
			} else {
				failures[i] = ErrBusy
			}
		})
	}

	wait.Wait()
	for i, e := range d.entries {
		err := failures[i]
		if !errors.Is(err, ErrBusy) {
			d.passReports(e)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: close: %w", e.name, err))
			d.fail(e, stageClose, err)
		}
	}
	return errs
}
