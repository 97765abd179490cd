package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/retry"
	"github.com/winperf/winperf/sink"
)

type route struct {
	Route
	reader  entryReader
	more    chan struct{}
	sendNow chan struct{}
	last    chan struct{}
	done    chan struct{}
	space   chan struct{}
	stop    context.CancelFunc

	pending  []pending
	complete bool // all records were delivered; valid when done is closed

	mu    sync.Mutex
	state RouteState
}

type pending struct {
	item   Item
	number uint64
}

func newRoute(r Route, reader entryReader, space chan struct{}) *route {
	way := &route{
		Route: r, reader: reader, space: space, state: RouteState{Name: r.Name},
		more: make(chan struct{}, 1), sendNow: make(chan struct{}, 1),
		last: make(chan struct{}), done: make(chan struct{}),
	}
	signal(way.more)
	return way
}

func (r *route) get() RouteState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *route) set(change func(*RouteState)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.state)
}

// run delivers until ctx ends, or until last is closed and everything is delivered.
func (r *route) run(ctx context.Context) {
	defer close(r.done)
	for r.await(ctx) {
		r.drain(ctx)
	}
	r.complete = ctx.Err() == nil
}

func (r *route) drain(ctx context.Context) {
	gaps := retry.Policy{First: r.First, Most: r.Most, Shorten: r.last}
	for some := true; some && ctx.Err() == nil; {
		_ = gaps.Do(ctx, func() (err error) {
			if some, err = r.deliverSome(ctx); err == nil {
				return nil
			}
			r.set(func(s *RouteState) { s.Err = err })
			some = true
			return retry.Later(pauseOf(err), err)
		})
	}
}

func pauseOf(err error) time.Duration {
	var w *wait
	if errors.As(err, &w) {
		return min(w.pause, mostWait)
	}
	return 0
}

// await waits for records, and then for Linger. It returns false when no more records follow.
func (r *route) await(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-r.more:
	case <-r.last:
		select {
		case <-r.more:
			return true
		default:
			return false
		}
	}

	if r.Linger > 0 {
		linger := time.NewTimer(r.Linger)
		defer linger.Stop()
		select {
		case <-linger.C:
		case <-r.sendNow:
		case <-r.last:
		case <-ctx.Done():
		}
	}
	return true
}

// mostWait limits the pause that a sink may request.
const mostWait = 10 * time.Minute

func (r *route) deliverSome(ctx context.Context) (bool, error) {
	if err := r.read(ctx); err != nil || len(r.pending) == 0 {
		return false, err
	}

	var batch []Item
	bytes := r.Bytes
	for _, p := range r.pending {
		bytes -= int64(len(p.item.JSON))
		if p.item.Session != r.pending[0].item.Session || bytes < 0 && len(batch) > 0 {
			break
		}
		batch = append(batch, p.item)
	}
	n, err := r.deliver(ctx, batch)
	if n > 0 {
		r.forget(n)
	}
	return err == nil, err
}

func (r *route) forget(n int) {
	// If the queue cannot store that, for example on a full disk, continue: the sink has the records. The
	// next run of the program may deliver them again.
	through := r.pending[n-1].number
	r.pending = r.pending[n:]
	if err := r.reader.Done(through); err != nil {
		r.set(func(s *RouteState) { s.Err = err })
	}
	signal(r.space)
}

func (r *route) read(ctx context.Context) error {
	if len(r.pending) > 0 {
		return nil
	}
	r.pending = nil
	for bytes := r.Bytes; len(r.pending) < r.Records && bytes > 0; {
		var data []byte
		before := r.reader.After()
		number, err := r.reader.Next(ctx, &data)
		if errors.Is(err, io.EOF) || err != nil && len(r.pending) > 0 {
			return nil
		}
		if err != nil {
			return err
		}

		lost := number - before - 1
		if item, err := ParseItem(data); err == nil {
			r.pending = append(r.pending, pending{item, number})
			bytes -= int64(len(data))
		} else {
			lost++
		}
		r.set(func(s *RouteState) { s.Lost += lost })
	}
	return nil
}

// deliver delivers a batch. If the sink refuses it, each record is delivered alone, so that one bad
// record does not affect others. It returns the number of leading records that are done.
func (r *route) deliver(ctx context.Context, batch []Item) (n int, err error) {
	err = r.try(ctx, batch)
	var no *refused
	switch {
	case err == nil:
		return len(batch), nil
	case !errors.As(err, &no):
		return 0, err
	}

	for i := range batch {
		if len(batch) > 1 {
			err = r.try(ctx, batch[i:i+1])
		}
		switch {
		case errors.As(err, &no):
			r.set(func(s *RouteState) { s.Refused, s.Refusal, s.Err = s.Refused+1, no.err, err })
		case err != nil:
			return i, err
		}
	}
	return len(batch), nil
}

func (r *route) try(ctx context.Context, batch []Item) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	err := r.Sink.Deliver(ctx, batch)

	last := batch[len(batch)-1]
	r.set(func(s *RouteState) {
		if err != nil {
			s.Failures++
			return
		}
		s.Session, s.Number, s.Err = last.Session, last.Number, nil
		s.Delivered += uint64(len(batch))
		if l, ok := r.Sink.(sink.LateCounter); ok {
			s.Late = l.Late()
		}
	})
	return err
}

func (r *route) close(ctx context.Context) error {
	select {
	case <-r.done:
	default: // only one goroutine may use a sink
		return fmt.Errorf("%s: %w: %w", r.Name, ErrUndelivered, errStuck)
	}

	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
	}
	err := r.Sink.Close(ctx)

	if !r.complete {
		why := cmp.Or(r.get().Err, context.Cause(ctx), errNoTime)
		if err != nil {
			why = fmt.Errorf("%w; then %w", why, err) // one line: both errors are of this route
		}
		err = fmt.Errorf("%w: %w", ErrUndelivered, why)
	}

	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return nil
}

var (
	errNoTime = errors.New("the time was too short")
	errStuck  = errors.New("the sink does not return")
)
