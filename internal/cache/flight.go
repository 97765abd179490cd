package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// flight is a running query of the source. Queries that need an object of it wait for it.
type flight struct {
	began  stamp
	needs  *needs    // of all queries when it began
	start  time.Time // begin, by package time
	sample *sample
	err    error
	damage []error       // of the error
	done   chan struct{} // closed at the end; made by the first query that waits
	// waiting are the waiting queries, once for each object. At the end they are banned
	// from these.
	waiting []waiter
}

// waiter is a query that waits for an object, by its position there.
type waiter struct {
	query *query
	at    int
}

// errAborted is the result for waiting queries if the asking query gave up.
var errAborted = errors.New("sample was not taken")

// join waits for an object of a flight. Source.mu is locked.
func (f *flight) join(q *query, at int) {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	f.waiting = append(f.waiting, waiter{q, at})
}

// leave ends the wait of a query for an object. Source.mu is locked.
func (f *flight) leave(q *query, at int) {
	f.waiting = slices.DeleteFunc(f.waiting, func(w waiter) bool { return w.query == q && w.at == at })
}

// begin registers a flight for the missing objects of the query. Source.mu is locked.
func (q *query) begin() {
	if q.flight == nil || q.flight.done != nil {
		q.flight = &flight{} // a query that waited for the previous one may still read it
	}
	f := q.flight
	f.sample, f.err, f.damage, f.began = nil, errAborted, nil, q.source.table.step()
	f.needs = q.source.needs
	f.start = time.Now()
	for _, at := range q.missing {
		q.items[at].flight = f
	}
}

func (q *query) fly(ctx context.Context, a request) (*sample, error) {
	s, f := q.source, q.flight
	defer q.finish() // also if the source panics
	c, err := s.acquire(ctx, a)
	if err != nil {
		f.err = err
		return nil, err
	}

	err = c.Next(ctx, &c.sample)
	sm := newSample(&c.sample)
	sm.request = c.request
	if old := s.release(c); old != nil {
		_ = old.Close() // it was only read from
	}

	f.sample, f.err = sm, err
	if err != nil {
		f.damage = sm.from.Damage
		q.damage = f.damage
		return nil, err
	}
	return sm, nil
}

// finish ends a flight: it inserts the objects, ends all bans and passes the sample to the
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

// await waits for the end of a flight; until then only the asking query may use its result.
// again reports that it failed for reasons of that query.
func (f *flight) await(ctx context.Context) (again bool, damage []error, err error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		return false, nil, fmt.Errorf("waiting for a sample: %w", ctx.Err())
	}

	for _, own := range [...]error{context.Canceled, context.DeadlineExceeded, errAborted} {
		if errors.Is(f.err, own) {
			return true, nil, nil
		}
	}
	return false, f.damage, f.err
}
