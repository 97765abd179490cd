package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// flight is a running query of the source. Other queries that need its objects wait for it.
type flight struct {
	began  stamp
	needs  *needs    // needs of all queries at its start
	start  time.Time // start time, by package time
	sample *sample
	err    error
	damage []error       // damage reported with err
	done   chan struct{} // closed at the end; made by the first waiting query
	// waiting are the waiting queries, once per object. Afterwards the object is banned for them.
	waiting []waiter
}

// waiter is a query that waits for the object at a position.
type waiter struct {
	query *query
	at    int
}

// errAborted is the error of waiting queries if the running query was cancelled.
var errAborted = errors.New("sample was not taken")

// join adds a waiter for an object. The caller holds Source.mu.
func (f *flight) join(q *query, at int) {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	f.waiting = append(f.waiting, waiter{q, at})
}

// leave removes a waiter for an object. The caller holds Source.mu.
func (f *flight) leave(q *query, at int) {
	f.waiting = slices.DeleteFunc(f.waiting, func(w waiter) bool { return w.query == q && w.at == at })
}

// begin registers a flight for the query's misses. The caller holds Source.mu.
func (q *query) begin() {
	if q.flight == nil || q.flight.done != nil {
		q.flight = &flight{} // a query may still wait for the previous one
	}
	f := q.flight
	f.sample, f.err, f.damage, f.began = nil, errAborted, nil, q.source.table.step()
	f.needs = q.source.needs
	f.start = time.Now()
	for _, at := range q.missing {
		q.items[at].flight = f
	}
}

// fetch samples the requested objects from the source.
func (q *query) fetch(ctx context.Context, a requested) (*sample, error) {
	s, f := q.source, q.flight
	defer q.finish() // also when the source panics
	c, err := s.acquire(ctx, a)
	if err != nil {
		f.err = err
		return nil, err
	}

	err = c.Next(ctx, &c.sample)
	sm := newSample(&c.sample)
	sm.requested = c.requested
	if old := s.release(c); old != nil {
		_ = old.Close() // no data can be lost
	}

	f.sample, f.err = sm, err
	if err != nil {
		f.damage = sm.from.Damage
		q.damage = f.damage
		return nil, err
	}
	return sm, nil
}

// finish ends a flight: it inserts the requested objects, ends all bans and passes the sample to
// waiting queries.
func (q *query) finish() {
	s, f := q.source, q.flight
	s.mu.Lock()
	defer s.mu.Unlock()
	sm := f.sample
	if sm != nil {
		s.queries++
		sm.began, sm.start, sm.ended, sm.at = f.began, f.start, s.table.step(), s.clock.Elapsed()
	}

	for _, at := range q.missing {
		it := q.items[at]
		if it.flight == f {
			it.flight = nil
		}
		if f.err == nil {
			s.table.insert(it, sm)
			q.bans[at].set(sm)
		}
	}

	if f.err == nil {
		s.fresh = append(s.fresh, sm)
		for _, w := range f.waiting {
			w.query.items[w.at].counts.Joined++
			w.query.bans[w.at].set(sm)
		}
		s.table.sweep()
	}

	f.waiting = f.waiting[:0]
	if f.done != nil {
		close(f.done)
	}
}

// await waits for the end of a flight. again reports that it failed for reasons of the running
// query only.
func (f *flight) await(ctx context.Context) (again bool, err error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		return false, fmt.Errorf("waiting for a sample: %w", ctx.Err())
	}

	for _, own := range [...]error{context.Canceled, context.DeadlineExceeded, errAborted} {
		if errors.Is(f.err, own) {
			return true, nil
		}
	}
	return false, f.err
}
