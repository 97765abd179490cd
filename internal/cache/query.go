package cache

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// query is one user of the cache: the winperf.Query of a Source.
type query struct {
	source   *Source
	sel      winperf.Selection
	selected []winperf.ObjectID
	needs    needs
	since    *needs // needs of all queries since this one was added

	// By position in selected: the object in the cache, its ban for this query, and the
	// result of Next. Guarded by Source.mu.
	items []*item
	bans  []ban
	picks []*sample

	// alone samples the whole selection for this query only, while none of its objects is
	// known.
	alone     winperf.Query
	aloneLast winperf.Sample

	flight     *flight
	missing    []int // positions in selected that must be requested
	missingIDs []winperf.ObjectID
	waits      []wait
	damage     []error // of the error of Next
}

type wait struct {
	flight *flight
	at     int
}

// setSelected sets the selected objects. The previous ones must be first; sm, if not nil, is a
// sample of the others that the query has.
func (q *query) setSelected(ids []winperf.ObjectID, sm *sample) {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	q.selected = ids
	q.picks = make([]*sample, len(ids))

	for _, id := range ids[len(q.items):] {
		b := ban(0)
		if sm != nil {
			b.set(sm)
		}
		q.items, q.bans = append(q.items, s.table.item(id)), append(q.bans, b)
		if _, named := q.needs[id]; !named {
			q.needs[id] = need{whole: true}
		}
	}

	s.join(q)
	q.since = s.needs
}

// Next implements winperf.Query: it takes objects from the cache, waits for objects of
// running queries, and requests the others.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	q.update()
	clear(q.picks)
	if err := ctx.Err(); err != nil {
		return err
	}

	if err := q.take(ctx); err != nil {
		clear(q.picks)
		s.Damage = append(s.Damage, q.damage...)
		q.damage = nil
		return err
	}
	q.fill(s)
	return nil
}

// fill fills a sample with the objects in order: each run of objects of one sample is a
// part.
func (q *query) fill(s *winperf.Sample) {
	if len(q.selected) == 0 {
		q.picks[0].addTo(s, nil, false)
		s.Schema = q.picks[0].from.Schema
		return
	}

	newest := q.picks[0]
	for from := 0; from < len(q.picks); {
		sm, end := q.picks[from], from+1
		for end < len(q.picks) && q.picks[end] == sm {
			end++
		}

		only := q.selected[from:end:end]
		selected := request{ids: q.selected, global: q.sel.Global, costly: q.sel.Costly, unneeded: q.sel.Unneeded}
		if len(only) == len(q.selected) && sm.request.sameObjects(selected) {
			only = nil // new objects of a requested class are included
		}

		sm.addTo(s, only, slices.Contains(q.picks[:from], sm))
		if sm.at > newest.at {
			newest = sm
		}
		from = end
	}
	s.Schema = newest.from.Schema
}

// update updates the selected objects from the last result, if it was decoded.
func (q *query) update() {
	q.source.mu.Lock()
	q.source.update()
	var more []winperf.ObjectID
	sm := q.only()
	if sm != nil {
		more = q.added(sm)
	}
	q.source.mu.Unlock()

	if len(more) > 0 {
		q.setSelected(more, sm)
	}
}

// only returns the only sample of the result, nil for several or none.
func (q *query) only() *sample {
	if len(q.picks) == 0 || slices.ContainsFunc(q.picks, func(sm *sample) bool { return sm != q.picks[0] }) {
		return nil
	}
	return q.picks[0]
}

// added returns the objects selected from now on, nil if unchanged: the objects of a sample
// for this query alone, or new ones of a class that is selected and was sampled as a whole.
func (q *query) added(sm *sample) []winperf.ObjectID {
	if len(q.selected) == 0 {
		sm.look() // only this query has it
		return slices.Clone(sm.ids)
	}
	var found []winperf.ObjectID
	for _, id := range sm.ids {
		selected := sm.request.global && q.sel.Global && !slices.ContainsFunc(q.sel.Unneeded, id.Is)
		if schema := sm.from.Schema; schema != nil && slices.Contains(schema.Costly, id.Index) {
			selected = sm.request.costly && q.sel.Costly
		}
		if selected && !slices.Contains(q.selected, id) {
			found = append(found, id)
		}
	}

	if found == nil {
		return nil
	}
	return append(slices.Clone(q.selected), found...)
}

// take gets a sample of every selected object.
func (q *query) take(ctx context.Context) error {
	if len(q.selected) == 0 {
		return q.takeAlone(ctx)
	}
	for {
		if err := q.look(notBeforeOf(ctx)); err != nil {
			return err
		}
		if err := q.sampleMissing(ctx); err != nil {
			q.leave(0)
			return err
		}
		again, err := q.await(ctx)
		if err != nil || !again {
			return err
		}
	}
}

// look finds every selected object: in the cache, in a running query, or missing. Samples
// begun at the time after or earlier are refused.
func (q *query) look(after time.Time) error {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	s.update()
	if s.left {
		s.count()
	}
	q.missing, q.missingIDs, q.waits = q.missing[:0], q.missingIDs[:0], q.waits[:0]
	q.lookEach(s.clock.Elapsed(), after)
	if len(q.missing) > 0 {
		q.begin()
	}
	return nil
}

// lookEach finds each object.
func (q *query) lookEach(now time.Duration, after time.Time) {
	for i, it := range q.items {
		if q.picks[i] != nil {
			continue
		}
		if q.picks[i] = q.source.table.find(it, &q.bans[i], q.since.of(it.id), now, after); q.picks[i] != nil {
			continue
		}
		f := it.flight
		if f != nil && f.began > stamp(q.bans[i]) && begunAfter(f.start, after) &&
			f.needs.of(it.id).covers(q.since.of(it.id)) {
			q.wait(f, i)
		} else {
			q.miss(i)
		}
	}
}

func (q *query) wait(f *flight, at int) {
	f.join(q, at)
	q.waits = append(q.waits, wait{f, at})
}

func (q *query) miss(at int) {
	q.missing, q.missingIDs = append(q.missing, at), append(q.missingIDs, q.selected[at])
}

func errClosed() error { return fmt.Errorf("the cache is closed: %w", winperf.ErrState) }

// sampleMissing requests the missing objects.
func (q *query) sampleMissing(ctx context.Context) error {
	if len(q.missing) == 0 {
		return nil
	}
	a := request{ids: q.missingIDs, needs: q.flight.needs}
	if len(q.missing) == len(q.selected) {
		a.global, a.costly, a.unneeded = q.sel.Global, q.sel.Costly, q.sel.Unneeded
	}

	sm, err := q.fly(ctx, a)
	if err != nil {
		return err
	}

	q.source.mu.Lock()
	defer q.source.mu.Unlock()
	for _, at := range q.missing {
		q.picks[at] = sm
	}
	return nil
}

// await waits for running queries. again reports that objects must be looked for again.
func (q *query) await(ctx context.Context) (again bool, err error) {
	for i, w := range q.waits {
		retry, damage, err := w.flight.await(ctx)
		if err != nil {
			q.damage = damage
			q.leave(i)
			return false, err
		}
		if retry {
			again = true
			continue
		}
		q.picks[w.at] = w.flight.sample
	}
	return again, nil
}

// leave stops waiting for all but the first n objects.
func (q *query) leave(n int) {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range q.waits[n:] {
		w.flight.leave(q, w.at)
	}
}

// takeAlone takes a sample that is not shared.
func (q *query) takeAlone(ctx context.Context) error {
	s := q.source
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.queries++
	}
	s.mu.Unlock()

	if closed {
		return errClosed()
	}

	if q.alone == nil {
		inner, err := s.src.Compile(ctx, q.sel)
		if err != nil {
			return err
		}
		q.alone = inner
	}

	err := q.alone.Next(ctx, &q.aloneLast)
	sm := newSample(&q.aloneLast)
	if err != nil {
		q.damage = sm.from.Damage
		return err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	q.picks = append(q.picks[:0], sm)
	sm.ended, sm.at = s.table.step(), s.clock.Elapsed()
	return nil
}

// Close implements winperf.Query. It removes the bans of the query.
func (q *query) Close() error {
	s := q.source
	s.mu.Lock()
	if _, open := s.open[q]; open {
		delete(s.open, q)
		s.left = true
	}
	s.mu.Unlock()

	if q.alone == nil {
		return nil
	}
	inner := q.alone
	q.alone = nil
	return inner.Close()
}
