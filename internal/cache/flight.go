package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// flight is a query of the source under way. A query that needs an object of it
// waits for it.
type flight struct {
	began  stamp
	needs  *needs    // of all queries when it began
	start  time.Time // when it was begun, by package time
	sample *sample
	err    error
	damage []error       // that came with err
	done   chan struct{} // closed at the end; made by the first query that waits
	// waiting are the queries that wait, once for each object, from which they are then banned.
	waiting []waiter
}

// waiter is a query that waits for an object, by its position there.
type waiter struct {
	query *query
	at    int
}

// errAborted is what waiting queries get when the query that asked gave up.
var errAborted = errors.New("sample was not taken")

// join waits for an object of a flight. Source.mu is locked.
func (f *flight) join(q *query, at int) {
	if f.done == nil {
		f.done = make(chan struct{})
	}
	f.waiting = append(f.waiting, waiter{q, at})
}

// leave takes a query out of those that wait for an object. Source.mu is locked.
func (f *flight) leave(q *query, at int) {
	f.waiting = slices.DeleteFunc(f.waiting, func(w waiter) bool { return w.query == q && w.at == at })
}

// begin registers a flight for what the query misses. Source.mu is locked.
func (q *query) begin() {
	if q.flight == nil || q.flight.done != nil {
		q.flight = &flight{} // a query that waited for the last one may still look at it
	}
	f := q.flight
	f.sample, f.err, f.damage, f.began = nil, errAborted, nil, q.source.table.step()
	f.needs = q.source.needs
	f.start = time.Now()
	for _, at := range q.missing {
		q.items[at].flight = f
	}
}

// fly asks the source.
func (q *query) fly(ctx context.Context, a asked) (*sample, error) {
	s, f := q.source, q.flight
	defer q.land() // also when the source panics
	c, err := s.acquire(ctx, a)
	if err != nil {
		f.err = err
		return nil, err
	}

	err = c.Next(ctx, &c.sample)
	sm := newSample(&c.sample)
	sm.asked = c.asked
	if old := s.giveBack(c); old != nil {
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

// land ends a flight: it inserts what was asked for, ends the bans of all and
// hands the sample to the queries that wait.
func (q *query) land() {
	s, f := q.source, q.flight
	s.mu.Lock()
	defer s.mu.Unlock()
	sm := f.sample
	if sm != nil {
		s.queries++
		sm.began, sm.start, sm.landed, sm.at = f.began, f.start, s.table.step(), s.clock.Elapsed()
	}

	for _, at := range q.missing {
		it := q.items[at]
		if it.flight == f {
			it.flight = nil
		}
		if f.err == nil {
			s.table.insert(it, sm)
			q.bans[at].give(sm)
		}
	}

	if f.err == nil {
		s.fresh = append(s.fresh, sm)
		for _, w := range f.waiting {
			w.query.items[w.at].counts.Joined++
			w.query.bans[w.at].give(sm)
		}
		s.table.sweep()
	}

	f.waiting = f.waiting[:0]
	if f.done != nil {
		close(f.done)
	}
}

// await waits for the end of a flight. again tells that it failed for reasons
// of the query that asked.
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
